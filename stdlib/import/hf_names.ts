// Published models by name: what the config.json of each says of sizes, by the keys of Hugging Face's
// transformers (facts of the models' own pages; as std.import.hf reads them). A name is compared without
// what stands before its last `/`, without capitals and without signs: `meta-llama/Llama-3.1-8B` is
// llama318b; and with an ending of `_endings`, which change no sizes. A name that is not known stands for what it
// begins with, up to a `-` or `_` behind a size: `Qwen2.5-7B-Instruct-my-words` is tuned from qwen257b. Words behind
// that speak of another model or size (`_others`) make it unknown: `zephyr-7b-gemma` is no zephyr7b. Where the last
// part of a path is unknown, what stands before it is tried: `Qwen3-8B/checkpoint-100`, `models--Qwen--Qwen3-8B/snapshots/0a`.
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
fn _plain(all: List) -> List = [field(_low, c, c) for c in all if not _is_sign(c)]
fn _begins_with(all: List, some: List) -> Bool = len(all) >= len(some) and [all[i] for i in 0..len(some)] == some
fn _ending(plain: List, name: List) -> Bool = _begins_with(plain, name) and
  any([[plain[i] for i in len(name)..len(plain)] == letters(e) for e in _endings])
fn _is_named(plain: List, names: String) -> Bool = any([_ending(plain, letters(n)) for n in words(names)])

fn _digit(c: String) -> Bool = any([c == d for d in letters("0123456789")])
// Beginnings that end with a size (7b, 16e, 270m), the longest first.
fn _sized(all: List) -> Bool = len(all) > 2 and any([last(all) == c for c in ["b", "e", "m"]]) and _digit(all[len(all) - 2])
fn _cuts(part: List) -> List = [i for k in 0..len(part) for i in [len(part) - 1 - k] if part[i] == "-" or part[i] == "_"]
fn _between(all: List, begin: Int, end: Int) -> List = [all[i] for i in begin..end]
fn _bases(part: List) -> List = [
  { base: b, behind: _between(part, i, len(part)) } for i in _cuts(part) for b in [_plain(_between(part, 0, i))] if _sized(b)
]
// Words of other models and of other shapes of a model.
let _others: List = [
  letters(w) for w in words(
    "llama gemma qwen mistral mixtral phi falcon deepseek gpt glm pythia opt bloom mamba pro moe vision vl audio omni pruned minitron merge merges upscaled expanded draft",
  )
]
fn _signs(all: List) -> List = [i for i in 0..len(all) if _is_sign(all[i])] + [len(all)]
fn _spoken(all: List, at: List) -> List = [_plain(_between(all, at[i], at[i + 1])) for i in 0..len(at) - 1]
fn _is_other(word: List) -> Bool = any([word == w for w in _others]) or (len(word) > 1 and last(word) == "b" and all([
  _digit(c) for c in _between(word, 0, len(word) - 1)
]))
fn _is_like(all: List) -> Bool = not any([_is_other(w) for w in _spoken(all, _signs(all))])
fn _of_base(bases: List) -> List = [
  m for b in [b for b in bases if _is_like(b.behind)] for m in hf_published if any([b.base == letters(n) for n in words(m.names)])
]
// Parts of a path, the last first; `--` parts them, too, as in folders of a cache.
fn _is_slash(all: List, i: Int) -> Bool = all[i] == "/" or (all[i] == "-" and i > 0 and all[max(i - 1, 0)] == "-")
fn _slashes(all: List) -> List = [-1] + [i for i in 0..len(all) if _is_slash(all, i)] + [len(all)]
fn _parts_at(all: List, at: List) -> List = [
  _between(all, at[i] + 1, at[i + 1]) for k in 0..len(at) - 1 for i in [len(at) - 2 - k] if at[i + 1] > at[i] + 1
]
fn _parts(all: List) -> List = _parts_at(all, _slashes(all))

// { names, from, config } of each; `from`: the public repository whose copy of the config.json, or whose sizes, these
// are the same as, or "memory" where none was found.
let hf_published: List = json("std/import/published.json").models
fn _found(found: List, name: String, near: List) -> Record = if found != [] then found[0].config else refuse(
  "the model `" + name + "` is not known here: give its config.json (`--model_config FILE`)" +
    (if near == [] then "" else ", or one that is known, such as " + str(near)),
)
// What the config.json of a model says: of a file, or of a published model by name.
// `by`: the argument of the importer that says the name.
fn hf_config(file: String, name: String, by: String = "model_name_or_path") -> Record = if file != "" then json(file) else if name == "" then refuse(
  "the settings name no model: say `--" + by + " NAME` for a published one, or `--model_config FILE` for its config.json",
) else hf_config_of(letters(name), name)
fn hf_config_of(name: List, shown: String) -> Record = _found(
  [m for p in _parts(name) for m in _of_part(p)],
  shown,
  [_first_name(m) for p in _parts(name) for m in _near(_plain(p))],
)
fn _first_name(m: Record) -> String = words(m.names)[0]
// Published models whose names begin with the same four letters.
fn _near(plain: List) -> List = if len(plain) < 4 then [] else [
  m for m in hf_published if any([
    _begins_with(letters(n), _between(plain, 0, 4)) for n in words(m.names)
  ])
]
fn _of_part(part: List) -> List = _or_base([m for m in hf_published if _is_named(_plain(part), m.names)], part)
fn _or_base(found: List, part: List) -> List = if found != [] then found else _of_base(_bases(part))
// Words of a published model's vocabulary; `otherwise` where the name is none.
fn hf_words(name: String, otherwise: Int) -> Int = _words(
  [m.config for p in _parts(letters(name)) for m in hf_published if _is_named(_plain(p), m.names)],
  otherwise,
)
fn _words(found: List, otherwise: Int) -> Int = if found == [] then otherwise else field(
  field(found[0], "text_config", found[0]),
  "vocab_size",
  otherwise,
)
