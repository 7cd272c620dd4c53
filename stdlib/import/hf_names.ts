// Published models by name: what the config.json of each says of sizes, by the keys of Hugging Face's
// transformers (facts of the models' own pages; as std.import.hf reads them). A name is compared without
// what stands before its last `/`, without capitals and without signs: `meta-llama/Llama-3.1-8B` is
// llama318b; and with an ending of `_endings`, which change no sizes.
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

// { names, config } of each.
let hf_published: List = json("std/import/published.json").models
fn _found(found: List, name: String) -> Record = if found != [] then found[0].config else refuse(
  "the model `" + name + "` is not known here: give its config.json, or one of " + str([words(m.names)[0] for m in hf_published]),
)
// What the config.json of a model says: of a file, or of a published model by name.
fn hf_config(file: String, name: String) -> Record = if file != "" then json(file) else if name == "" then refuse(
  "the settings name no model: give the name of a published one, or its config.json",
) else hf_config_of(letters(name), name)
fn hf_config_of(name: List, shown: String) -> Record = _found([m for m in hf_published if _is_named(_plain(name), m.names)], shown)
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
