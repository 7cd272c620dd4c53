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
// meets, to count the parameters that are active.
import std.models.decoder, std.import.hf_keys, std.import.hf_types, std.import.hf_experts
export import std.ops.routing

fn hf(file: String, seq: Int = 0, load: Any = 1, mtp: Bool = false, met: Bool = false) -> Model = decoder(
  hf_decoder(file, seq, load, mtp, met),
)

// The same as a record, for plans that change a part of it: `decoder(hf_decoder("c.json") with { ... })`.
fn hf_decoder(file: String, seq: Int = 0, load: Any = 1, mtp: Bool = false, met: Bool = false) -> Decoder = _read(
  json(file),
  { seq: seq, mtp: mtp, met: met },
) with { load = load }

let _types: List[Record] = hf_dense_types + hf_expert_types
fn _read(file: Record, asked: Record) -> Decoder = _of_type(_type(field(file, "model_type", "")), file, asked)
fn _type(name: String) -> Record = _one([t for t in _types if hf_is(name, t.types)], name)
fn _one(found: List, name: String) -> Record = if found != [] then found[0] else refuse(
  (if name == "" then "the file has no `model_type`" else "`model_type`: `" + name + "` is not known here") + "; known are " +
    hf_joined([t.types for t in _types]),
)
fn _of_type(type: Record, file: Record, asked: Record) -> Decoder = _unless(
  [r for r in hf_refused if hf_has(file, r.key) and not any([v == field(file, r.key, none) for v in r.but])],
  type,
  { file: file, default: type.default, seq: asked.seq, mtp: asked.mtp, met: asked.met },
)
fn _unless(refused: List, type: Record, c: Record) -> Decoder = if refused != [] then refuse(
  "`" + refused[0].key + "`: " + refused[0].why,
) else _built(type.build, c) with { unknown = _unknown(c.file, hf_known(type)) }
fn _built(build: Function, c: Record) -> Decoder = build(c)
fn _unknown(file: Record, known: List) -> List[String] = [k for k in fields(file) if not any([n == k for n in known])]
