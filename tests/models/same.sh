#!/usr/bin/env bash
# same.sh: a configuration and the model of the library that it describes have the same step and the same memory, on two ranks of tensor parallelism.
export LC_ALL=C
status=0
played() { # MODEL: step and memory
  tsc -o "$scratch/same.ir" -D tp=2 -D sequence=true -D "model=$1" _plan.ts 2>/dev/null &&
    tsrun --format=json "$scratch/same.ir" 2>/dev/null | tr -d '\t' | grep -E '^"(step_time_ps|peak_memory_bytes|parameters)":' | sort | head -3 | tr '\n' ' '
}
same() { # MODEL CONFIGURATION
  printf '%s\n' "$2" >"$scratch/config.json"
  library=$(played "$1") && configured=$(played "hf(\"$scratch/config.json\", seq: 2048)") || status=1
  if [ -n "$library" ] && [ "$library" = "$configured" ]; then echo "$1: the same"; else echo "$1: $library, configured $configured"; status=1; fi
}
same 'llama3_8b(seq: 2048)' '{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192, "tie_word_embeddings": false}'
same 'qwen3_1_7b(seq: 2048)' '{"model_type": "qwen3", "hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "max_position_embeddings": 40960, "tie_word_embeddings": true}'
same 'mixtral_8x7b(seq: 2048)' '{"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2, "max_position_embeddings": 32768}'
same 'gemma2_2b(seq: 2048)' '{"model_type": "gemma2", "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 256000, "max_position_embeddings": 8192}'
exit $status
