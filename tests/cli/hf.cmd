# What std.import.hf and json() say of files that they do not follow: a plan of one device each.
small='"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 1000, "intermediate_size": 96'
try() {
  printf '%s\n' "$2" >"$scratch/config.json"
  echo "-- $1"
  tsc --check -D "config=\"$scratch/config.json\"" ${3:+-D "$3"} _hf.ts 2>&1 | grep -E '^(error|warning)|\^|note: where|`unknown`|= help' | sed "/\^ *$/d; s#$scratch/##g; s/known are .*/known are .../"
}
try 'a key that nobody knows is a warning' "{\"model_type\": \"llama\", $small, \"new_trick\": 3, \"rms_norm_eps\": 1e-05}"
try 'a type that is not known' "{\"model_type\": \"llamma\", $small}"
try 'a type that no op does' "{\"model_type\": \"rwkv\", $small}"
try 'no type' "{$small}"
try 'what changes a step and has no model' "{\"model_type\": \"opt\", $small, \"ffn_dim\": 96, \"do_layer_norm_before\": false}"
try 'an activation' "{\"model_type\": \"llama\", $small, \"hidden_act\": \"mish\"}"
try 'kinds of layers' "{\"model_type\": \"qwen3\", $small, \"layer_types\": [\"full_attention\", \"dream_attention\"]}"
try 'too few kinds of layers' "{\"model_type\": \"qwen3\", $small, \"layer_types\": [\"full_attention\"]}"
try 'chunks that do not fill a sample' "{\"model_type\": \"llama4_text\", $small, \"num_key_value_heads\": 4, \"attention_chunk_size\": 100}"
try 'chunks of as many words' "{\"model_type\": \"llama4_text\", $small, \"num_key_value_heads\": 4, \"attention_chunk_size\": 256}"
try 'a size of another type' '{"model_type": "mimo", "hidden_size": 64}'
try 'another value than is followed' "{\"model_type\": \"gpt2\", $small, \"add_cross_attention\": true}"
try 'a key of a type without a warning' '{"model_type": "t5", "d_model": 64, "num_layers": 2, "trick": 1}'
try 'pictures' "{\"model_type\": \"internvl\", \"vision_config\": {}, \"text_config\": {\"model_type\": \"gemma3_text\", $small}}"
try 'an activation of the tower' "{\"model_type\": \"gemma3\", \"vision_config\": {\"hidden_act\": \"mish\"}, \"text_config\": {\"model_type\": \"gemma3_text\", $small, \"num_key_value_heads\": 4}}"
try 'words alone' "{\"model_type\": \"gemma3\", \"vision_config\": {}, \"text_config\": {\"model_type\": \"gemma3_text\", $small, \"num_key_value_heads\": 4}}" text=true
try 'no JSON' "{\"model_type\": \"llama\",
  \"hidden_size\": 64,}"
try 'something behind it' '{"model_type": "llama"} {}'
try 'a name twice' '{"model_type": "llama", "model_type": "qwen2"}'
try 'not an object' '[1, 2]'
try 'too deep' "$(printf '{"a": %s1%s}' "$(printf '[%.0s' $(seq 70))" "$(printf ']%.0s' $(seq 70))")"
try 'a model of positions with biases in its norms' "{\"model_type\": \"phi\", $small, \"qk_layernorm\": true}"
tsc --check -D 'config="none.json"' _hf.ts 2>&1 | head -1
