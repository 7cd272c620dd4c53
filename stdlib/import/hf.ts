// A configuration of Hugging Face's transformers (config.json) as a model: `model = hf("config.json")`.
// What each key means, and what holds where one is left out, is as in transformers' own classes of
// that `model_type` (src/transformers/models/*/configuration_*.py and modeling_*.py, release 5).
//
// A key that changes parameters, work or memory is followed or refused. std.import.hf_keys lists those
// that change none, by reason. A key that is in no list is a warning (W0314), which names it.
//
// `seq`: words of a sample; 0: 4,096, or as many as the file has positions for, if that is less.
// `load`: how unevenly experts are loaded (std.ops.routing). `mtp`: with the modules that predict
// further words, which transformers does not build. `met`: of the experts those alone that a word
// meets, to count the parameters that are active. `target`: words to predict where a decoder has an
// encoder's; 0: 114 for 512, as where spans of 15 % are hidden (T5). `text`: of a model of pictures and
// words the one of words alone; else `pictures` of a sample, squares of so many `pixels` a side (0: as the
// configuration has it), are words of the sample besides those that are written.
import std.models.decoder, std.import.hf_keys, std.import.hf_types, std.import.hf_experts, std.import.hf_renamed, std.import.hf_late,
  std.import.hf_hybrids, std.import.hf_encoders, std.import.hf_pictures
import std.import.hf_others
export import std.ops.routing

fn hf(
  file: String,
  seq: Int = 0,
  load: Any = 1,
  mtp: Bool = false,
  met: Bool = false,
  target: Int = 0,
  text: Bool = false,
  pictures: Int = 1,
  pixels: Int = 0,
) -> Model = hf_of(json(file), seq, load, mtp, met, target, text, pictures, pixels)
// The same of a configuration that is a record.
fn hf_of(
  config: Record,
  seq: Int = 0,
  load: Any = 1,
  mtp: Bool = false,
  met: Bool = false,
  target: Int = 0,
  text: Bool = false,
  pictures: Int = 1,
  pixels: Int = 0,
  tiled: String = "",
) -> Model = _model(
  config,
  { seq: seq, mtp: mtp, met: met, target: target, text: text, pictures: pictures, pixels: pixels, tiled: tiled },
  load,
)
// What goes over its words in tiles: "loss" (with the head), and "mlp" (dense ones without biases); both with a blank
// between.
fn _in_tiles(d: Decoder, parts: String) -> Decoder = d with {
  tiled = hf_is("loss", parts) and not d.head_bias and not d.soft_cap
  layers = if hf_is("mlp", parts) then [l with { mlp = _tile(l.mlp) } for l in d.layers] else d.layers
}
fn _tile(m: Mlp) -> Mlp = if m.kind == "dense" and not m.bias then m with { tiled = true } else m

// Decoders as a record, for plans that change a part of it: `decoder(hf_decoder("c.json") with { ... })`.
fn hf_decoder(file: String, seq: Int = 0, load: Any = 1, mtp: Bool = false, met: Bool = false, text: Bool = false) -> Decoder = _decoder(
  json(file),
  { seq: seq, mtp: mtp, met: met, text: text },
) with { load = load }

// Its layers; none where the model is no record of them.
fn hf_layers_of(config: Record, text: Bool = false) -> List[Layer] = if _is_other(config) then [] else _decoder(
  config,
  { seq: 1, mtp: false, met: false, text: text },
).layers

// Whether some of its layers have experts, which a plan deals out to ranks.
fn hf_sparse(file: String, text: Bool = false) -> Bool = _sparse(json(file), text)
fn hf_sparse_of(config: Record, text: Bool = false) -> Bool = _sparse(config, text)
fn _is_other(file: Record) -> Bool = any([hf_is(_name(file), t.types) for t in hf_other_types])
fn _sparse(file: Record, text: Bool) -> Bool = not _is_other(file) and any([
  l.mlp.kind == "experts" or l.mlp.kind == "plain_experts" for l in _decoder(file, { seq: 1, mtp: false, met: false, text: text }).layers
])

let _decoders: List[Record] = hf_dense_types + hf_expert_types + hf_renamed_types + hf_late_types + hf_hybrid_types + hf_encoder_types
let _types: List[Record] = _decoders + hf_other_types
fn _name(file: Record) -> String = field(file, "model_type", "")
fn _type(name: String, types: List) -> Record = _one([t for t in types if hf_is(name, t.types)], name, types)
fn _one(found: List, name: String, types: List) -> Record = if found != [] then found[0] else _none(
  [t.why for t in hf_refused_types if hf_is(name, t.types)],
  name,
  types,
)
fn _none(why: List, name: String, types: List) -> Record = if why != [] then refuse("`model_type`: `" + name + "`: " + why[0]) else refuse(
  (if name == "" then "the file has no `model_type`" else "`model_type`: `" + name + "` is not known here") + "; known are " +
    str([name for t in types for name in words(t.types)]),
)
fn _model(file: Record, asked: Record, load: Any) -> Model = if _is_other(file) and asked.mtp then refuse(
  "`mtp`: no `" + _name(file) + "` has modules that predict further words: leave it out",
) else if asked.target != 0 and not hf_is(_name(file), hf_with_encoder) then refuse(
  "`target`: only a decoder behind an encoder has words of its own to predict: leave it out",
) else if _is_other(file) then _other(_type(_name(file), _types), file, asked)
  else decoder(_in_tiles(_decoder(file, asked), field(asked, "tiled", "")) with { load = load })
fn _decoder(file: Record, asked: Record) -> Decoder = if not hf_has(file, "text_config") then _of_type(
  _type(_name(file), _decoders),
  file,
  asked,
) else if asked.text then _text(file, field(file, "text_config", {}), asked) else _with_tower(
  [t for t in hf_picture_types if hf_is(_name(file), t.types)],
  file,
  asked,
)
// Towers of sound are none of these; of `vision_config` what is not known is told as of the rest.
fn _with_tower(found: List, file: Record, asked: Record) -> Decoder = if found == [] then refuse(
  "`text_config`: the other parts of `" + _name(file) + "` are not followed: say `text: true` for the model of words alone",
) else _seeing(
  _text(file, field(file, "text_config", {}), asked),
  found[0],
  { file: field(file, "vision_config", {}), default: found[0].default, whole: file, pixels: field(asked, "pixels", 0) },
  field(asked, "pictures", 1),
)
fn _seeing(d: Decoder, type: Record, v: Record, pictures: Int) -> Decoder = if pictures < 1 or v.pixels < 0 then refuse(
  "`pictures` of a sample are 1 or more, `pixels` of their side 0 or more: say `text: true` for words alone",
) else d with {
  towers = [_tower_of(type.build, v, d.hidden)]
  pictures = pictures
  unknown = d.unknown + _unknown(v.file, hf_known([type.reads]))
}
fn _tower_of(build: Function, v: Record, width: Int) -> Any = build(v, width)
// The head is tied as the whole says, and only where it does not, as the part.
fn _text(whole: Record, part: Record, asked: Record) -> Decoder = _tied_as(whole, _of_type(_type(_name(part), _decoders), part, asked))
fn _tied_as(whole: Record, d: Decoder) -> Decoder = d with { tied = field(whole, "tie_word_embeddings", d.tied) }
fn _of_type(type: Record, file: Record, asked: Record) -> Decoder = _unless(
  [
    r for r in hf_refused if hf_has(file, r.key) and not hf_is(r.key, type.reads) and
      not any([v == field(file, r.key, none) for v in r.but])
  ],
  type,
  { file: file, default: type.default, seq: asked.seq, mtp: asked.mtp, met: asked.met, target: field(asked, "target", 0) },
)
fn _unless(refused: List, type: Record, c: Record) -> Decoder = if refused != [] then refuse(
  "`" + refused[0].key + "`: " + refused[0].why,
) else _further(c, _built(type.build, c), _modules(c, type.reads)) with {
  unknown = _unknown(c.file, hf_known(hf_common + [type.reads]))
}
// Modules that predict further words are layers like the last one.
fn _modules(c: Record, reads: String) -> Int = if not c.mtp or not hf_or(c, "use_mtp", true) then 0 else sum(
  [hf_or(c, n, 0) for n in words(hf_mtp) if hf_is(n, reads)],
)
fn _further(c: Record, d: Decoder, modules: Int) -> Decoder = if not c.mtp then d else if modules == 0 then refuse(
  "`mtp`: the configuration has no modules that predict further words: leave it out",
) else if last(d.layers).mixer.kind == "none" or last(d.layers).mlp.kind == "none" then refuse(
  "`mtp`: modules of half a layer that predict further words are not followed: leave it out",
) else if hf_or(c, "mtp_transformer_layers", 1) != 1 then refuse(
  "`mtp_transformer_layers`: modules of several layers are not followed: leave `mtp` out",
) else if hf_flag(c, "mtp_use_dedicated_embeddings") then refuse(
  "`mtp_use_dedicated_embeddings`: modules with a table of their own are not followed: leave `mtp` out",
) else if d.hyper > 0 or d.per_layer != [] then refuse(
  "`mtp`: modules of layers in streams, or with embeddings of their own, are not followed: leave it out",
) else d with { mtp = [last(d.layers) for i in 0..modules] }
fn _built(build: Function, c: Record) -> Any = build(c)
fn _unknown(file: Record, known: List) -> List[String] = [k for k in fields(file) if not any([n == k for n in known])]

// Models that are no record of layers: a key that nobody knows is refused.
fn _other(type: Record, file: Record, asked: Record) -> Model = _known(
  _unknown(file, hf_known([type.reads, "is_encoder_decoder"])),
  type,
  { file: file, default: type.default, seq: asked.seq, target: asked.target },
)
fn _known(unknown: List, type: Record, c: Record) -> Model = if unknown != [] then refuse(
  "`" + unknown[0] + "` is not known of this type: take it out if it changes neither parameters nor a step",
) else _built(type.build, c)
