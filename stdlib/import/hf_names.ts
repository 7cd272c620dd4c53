// Published models by name: what the config.json of each says of sizes, by the keys of Hugging Face's
// transformers (facts of the models' own pages; as std.import.hf reads them). A name is compared without
// what stands before its last `/`, without capitals and without signs: `meta-llama/Llama-3.1-8B` is
// llama318b; and with an ending of `_endings`, which change no sizes. A name that is not known stands for what it
// begins with, up to a `-` behind a size: `Qwen2.5-7B-Instruct-my-words` is tuned from qwen257b.
import std.import.hf, std.import.hf_keys

let _endings: List[String] = [
  "",
  "hf",
  "instruct",
  "base",
  "chat",
  "it",
  "pt",
  "fp8",
  "bf16",
  "instruct2507",
  "thinking2507",
  "2507",
  "base2507",
  "instructfp8",
  "instruct2507fp8",
  "instruct4k",
  "4kinstruct",
  "128kinstruct",
  "v01",
  "v03",
  "instructv01",
  "instructv02",
  "instructv03",
  "thinking",
  "dequantized",
  "chathf",
  "1kstep50ktoken",
  "0324",
  "2407",
  "instruct2407",
  "instruct2501",
  "base2501",
  "base2407",
  "reasoning",
  "text",
  "basebf16",
  "yaml",
  "byaml",
  "bnb4bit",
  "instructbnb4bit",
  "gptq",
  "awq",
]
let _low: Record = {
  A: "a",
  B: "b",
  C: "c",
  D: "d",
  E: "e",
  F: "f",
  G: "g",
  H: "h",
  I: "i",
  J: "j",
  K: "k",
  L: "l",
  M: "m",
  N: "n",
  O: "o",
  P: "p",
  Q: "q",
  R: "r",
  S: "s",
  T: "t",
  U: "u",
  V: "v",
  W: "w",
  X: "x",
  Y: "y",
  Z: "z",
}
fn _is_sign(c: String) -> Bool = c == "-" or c == "_" or c == "." or c == " "
fn _begins(all: List) -> Int = last([0] + [i + 1 for i in 0..len(all) if all[i] == "/"])
fn _plain(all: List) -> List = [field(_low, all[i], all[i]) for i in _begins(all)..len(all) if not _is_sign(all[i])]
fn _is_named(plain: List, names: String) -> Bool = any([plain == letters(n + e) for n in words(names) for e in _endings])

fn _digit(c: String) -> Bool = any([c == d for d in letters("0123456789")])
// Beginnings that end with a size (7b, 16e, 270m), the longest first.
fn _sized(all: List) -> Bool = len(all) > 2 and any([last(all) == c for c in ["b", "e", "m"]]) and _digit(all[len(all) - 2])
fn _cuts(name: List) -> List = [i for k in 0..len(name) for i in [len(name) - 1 - k] if name[i] == "-" and i > _begins(name)]
fn _bases(name: List) -> List = [b for i in _cuts(name) for b in [_plain([name[k] for k in 0..i])] if _sized(b)]
fn _of_base(bases: List) -> List = [
  m for b in bases for m in hf_published if any([b == letters(n) for n in words(m.names)])
]

// { names, config } of each.
let hf_published: List = json("std/import/published.json").models
fn _found(found: List, name: String) -> Record = if found != [] then found[0].config else refuse(
  "the model `" + name + "` is not known here: give its config.json, or one of " + str([words(m.names)[0] for m in hf_published]),
)
// What the config.json of a model says: of a file, or of a published model by name.
fn hf_config(file: String, name: String) -> Record = if file != "" then json(file) else if name == "" then refuse(
  "the settings name no model: give the name of a published one, or its config.json",
) else hf_config_of(letters(name), name)
fn hf_config_of(name: List, shown: String) -> Record = _found(
  _or_base([m for m in hf_published if _is_named(_plain(name), m.names)], name),
  shown,
)
fn _or_base(found: List, name: List) -> List = if found != [] then found else _of_base(_bases(name))
// Words of a published model's vocabulary; `otherwise` where the name is none.
fn hf_words(name: String, otherwise: Int) -> Int = _words(
  [m.config for m in hf_published if _is_named(_plain(letters(name)), m.names)],
  otherwise,
)
fn _words(found: List, otherwise: Int) -> Int = if found == [] then otherwise else field(
  field(found[0], "text_config", found[0]),
  "vocab_size",
  otherwise,
)
