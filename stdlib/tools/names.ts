// Models as others call them, for `trainspec init`: a name begins so, in small letters and digits
// alone; an owner before `/` does not matter. A model of the same sizes counts as the same.
let names_elsewhere: List[Record] = [
  { begins: "llama318b", model: "llama3_8b" },
  { begins: "llama3170b", model: "llama3_70b" },
  { begins: "llama3370b", model: "llama3_70b" },
  { begins: "llama31405b", model: "llama3_405b" },
  { begins: "metallama38b", model: "llama3_8b" },
  { begins: "metallama370b", model: "llama3_70b" },
  { begins: "metallama318b", model: "llama3_8b" },
  { begins: "metallama3170b", model: "llama3_70b" },
  { begins: "metallama31405b", model: "llama3_405b" },
  { begins: "llama38binstruct", model: "llama3_8b" },
  { begins: "llama370binstruct", model: "llama3_70b" },
  { begins: "llama27b", model: "llama2_7b" },
  { begins: "llama213b", model: "llama2_13b" },
  { begins: "llama270b", model: "llama2_70b" },
  { begins: "mixtral8x7b", model: "mixtral_8x7b" },
  { begins: "mixtral8x22b", model: "mixtral_8x22b" },
  { begins: "deepseekv3", model: "deepseek_v3" },
  { begins: "deepseekr1", model: "deepseek_v3" },
  { begins: "qwen330ba3b", model: "qwen3_30b_a3b" },
  { begins: "qwen3235ba22b", model: "qwen3_235b_a22b" },
]
