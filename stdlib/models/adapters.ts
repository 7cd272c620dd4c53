// Fine-tuning that trains a part of a model: low-rank adapters beside products that are frozen (LoRA,
// QLoRA, rsLoRA, DoRA, as Hugging Face's peft places them) or some of its layers. What is said here by the
// names of modules becomes the plan's `tuning`: labels of ops, and arguments of theirs (std.ops.nn, `linear`).
//
// Names are those of transformers' and Megatron-Core's modules. A regular expression counts as the names in it.
import std.models.decoder

record Tuning {
  method: String = "full" // or "lora", "freeze" (the last `layers` are trained)
  rank: Int = 8
  targets: List[String] = [] // modules with adapters; of "all" all products of layers; none: queries and values
  saved: List[String] = [] // modules that are trained as they are
  experts: Bool = false // "all" means experts, too
  packed: Bool = false // queries, keys and values are one module, and so are gate and up
  dropped: Bool = false
  decomposed: Bool = false // DoRA
  stored: Any = none // the format of frozen products in layers
  layers: Int = 0
}

// The parts of a layer's products that a module is.
let _modules: Record = {
  qkv_proj: "qkv",
  c_attn: "qkv",
  Wqkv: "qkv",
  wqkv: "qkv",
  W_pack: "qkv",
  query_key_value: "qkv",
  linear_qkv: "qkv",
  attn: "qkv o",
  self_attention: "qkv o",
  linear_proj: "o",
  out_proj: "o out",
  c_proj: "o down",
  dense: "o",
  wo: "o",
  o_proj: "o",
  query: "q",
  key: "k",
  value: "v",
  gate_up_proj: "both",
  linear_fc1: "both",
  dense_h_to_4h: "both",
  c_fc: "both",
  fc1: "both",
  fc_in: "both",
  linear_fc2: "down",
  dense_4h_to_h: "down",
  fc2: "down",
  fc_out: "down",
  w1: "gate",
  w2: "down",
  w3: "up",
  q_a_proj: "qa",
  q_b_proj: "qb",
  kv_a_proj_with_mqa: "ka",
  kv_b_proj: "kb",
  linear_q_down_proj: "qa",
  linear_q_up_proj: "qb",
  linear_kv_down_proj: "ka",
  linear_kv_up_proj: "kb",
  linear_q_proj: "q qb",
  in_proj: "in",
  in_proj_qkvz: "in",
  in_proj_qkv: "in",
  in_proj_z: "in",
  lm_head: "head",
  output_layer: "head",
  embed_tokens: "embed",
  wte: "embed",
}
let _all: List[String] = ["all", "all-linear", "all_linear", "linear", "*_proj", "*"]
let _single: List[String] = ["q", "k", "v", "o", "gate", "up", "down", "experts"]
fn _is(word: Any, all: List) -> Bool = any([w == word for w in all])
fn _parts(name: String) -> List[String] = if _is(name, _all) then ["all"] else _of_words(words(name, ".()|*+?\\[]^$/ "))
fn _of_words(all: List) -> List[String] = [p for w in all for p in words(field(_modules, w, ""))] +
  [p for w in all for p in words(w, "_-") if field(_modules, w, "") == "" and _is(p, _single)]
fn _named(t: Tuning) -> List[String] = if t.targets == [] then ["q", "v"] else [p for n in t.targets for p in _parts(n)]
fn _has(parts: List, all: List) -> Bool = _is("all", parts) or any([_is(p, parts) for p in all])
fn _count(parts: List, all: List) -> Int = len([1 for p in all if _has(parts, [p])])

fn _set(t: Tuning, adapters: Int, adapted: Real = 1) -> Record = {
  frozen: true,
  rank: t.rank,
  adapters: adapters,
  adapted: adapted,
  dropped: t.dropped,
  decomposed: t.decomposed,
}
// Of queries, keys and values in one product.
fn _share(m: Mixer, parts: List) -> Real = if _has(parts, ["qkv"]) then 1 else ((if _has(parts, ["q"]) then m.heads else 0) +
  (if _has(parts, ["k"]) then m.kv_heads else 0) + if _has(
  parts,
  ["v"],
) then m.kv_heads else 0) / real(m.heads + 2 * m.kv_heads)
fn _together(t: Tuning, parts: List, one: String, all: List) -> Int = if _is(one, parts) or (t.packed and _is("all", parts)) then 1
  else _count(parts, all)

// Of attention: layers with the same heads have the same adapters.
fn _queries(layers: List[Layer], t: Tuning, parts: List) -> List = if not _has(parts, ["qkv", "q", "k", "v"]) then [] else if layers == [
] then [
  { ops: "attn.qkv", set: _set(t, _together(t, parts, "qkv", ["q", "k", "v"])) },
] else [
  {
    ops: "layer[" + str(i) + "].attn.qkv",
    set: _set(t, _together(t, parts, "qkv", ["q", "k", "v"]), _share(layers[i].mixer, parts)),
  } for i in 0..len(layers) if layers[i].mixer.kind == "attention"
]
fn _some(wanted: Bool, ops: List, set: Record) -> List = if wanted then [{ ops: ["layer[*]." + o for o in ops], set: set }] else []
fn _products(layers: List[Layer], t: Tuning, parts: List) -> List = _queries(layers, t, parts) + _some(
  _has(parts, ["q"]),
  ["attn.q", "attn.gate.up"],
  _set(t, 1),
) + _some(_has(parts, ["k", "v"]), ["attn.kv"], _set(t, _count(parts, ["k", "v"]), _count(parts, ["k", "v"]) / 2.0)) + _some(
  _has(parts, ["o"]),
  ["attn.proj"],
  _set(t, 1),
) + _some(_has(parts, ["qa", "q"]), ["attn.query.compress"], _set(t, 1)) + _some(
  _has(parts, ["qb", "q"]),
  ["attn.query.up"],
  _set(t, 1),
) + _some(_has(parts, ["ka"]), ["attn.keys.compress"], _set(t, 1)) + _some(_has(parts, ["kb"]), ["attn.keys.up"], _set(t, 1)) + _some(
  _has(parts, ["in"]),
  ["attn.up", "ssm.up"],
  _set(t, 1),
) + _some(_has(parts, ["out"]), ["attn.down", "ssm.down"], _set(t, 1)) + _some(
  _has(parts, ["both", "gate", "up"]),
  ["mlp.up", "moe.shared.up", "moe.latent_in"] + _experts(t, parts, "moe.experts.up"),
  _set(
    t,
    _together(t, parts, "both", ["gate", "up"]),
    if _has(parts, ["both"]) then 1 else _count(parts, ["gate", "up"]) / 2.0,
  ),
) + _some(_has(parts, ["down"]), ["mlp.down", "moe.shared.down", "moe.latent_out"] + _experts(t, parts, "moe.experts.down"), _set(t, 1))
fn _experts(t: Tuning, parts: List, ops: String) -> List[String] = if t.experts or _is("experts", parts) then [ops] else []
fn _kept(t: Tuning) -> List = [
  { ops: if p == "head" then ["head"] else ["embed"], set: { frozen: false } } for n in t.saved
    for p in words(field(_modules, last(words(n, ".")), "")) if p == "head" or p == "embed"
]

// The plan's `tuning`. `layers`: of the model; none: it is no record of layers.
fn tuning_of(t: Tuning, layers: List[Layer]) -> List = match t.method {
  "full" -> []
  "freeze" -> [
    { ops: "*", set: { frozen: true } },
    { ops: ["layer[" + str(i) + "]" for i in max(len(layers) - t.layers, 0)..len(layers)], set: { frozen: false } },
  ] + _kept(t)
  "lora" -> if t.rank < 1 then refuse("the rank of adapters is 1 or more") else [{ ops: "*", set: { frozen: true } }] +
    (if t.stored == none then [] else [{ ops: ["layer[*]", "picture[*]"], set: { stored: t.stored } }]) + _products(layers, t, _named(t)) +
    _some_head(t) + _kept(t)
  _ -> refuse("what is trained is full, lora or freeze")
}
fn _some_head(t: Tuning) -> List = if _is("head", _named(t)) then [{ ops: "head", set: _set(t, 1) }] else []
