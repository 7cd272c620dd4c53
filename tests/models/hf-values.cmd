# Values of configurations that change a model and are not followed are refused, and lists for layers are as long as there are layers.
sizes='"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1000, "max_position_embeddings": 512'
plain="\"model_type\": \"llama\", $sizes, \"intermediate_size\": 96"
experts='"num_experts_per_tok": 2, "moe_intermediate_size": 40'
latent='"intermediate_size": 96, "n_routed_experts": 8, "n_shared_experts": 1, "first_k_dense_replace": 1, "q_lora_rank": 24, "kv_lora_rank": 20, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 12, "index_n_heads": 2, "index_head_dim": 8'
try() { # CONFIGURATION [ARGUMENTS of hf]: parameters, or why it is refused
  printf '{%s}\n' "$1" >"$scratch/config.json"
  tsc -S -o - -D "model=hf(\"$scratch/config.json\"${2:+, $2})" _plan.ts 2>&1 | sed -nE 's/^ *parameters +/  /p; s/.*\^ (.*`.*)/  \1/p'
}
echo 'what a release since has, or has not'
for one in '"pruned_heads": {}, "chunk_size_feed_forward": 0, "reorder_and_upcast_attn": false' '"pruned_heads": {"1": [0]}' '"chunk_size_feed_forward": 64' '"reorder_and_upcast_attn": true' '"fp32_residual_connection": true'; do try "$plain, $one"; done
for one in 0.0 0.1; do try "\"model_type\": \"t5\", \"dropout_rate\": $one"; done
echo 'positions'
for one in default llama3 longrope other; do try "$plain, \"rope_scaling\": {\"type\": \"$one\", \"factor\": 4}"; done
echo 'modules that predict further words: a layer, two norms and a product of 2 h by h, and a norm before the head'
mimo="\"model_type\": \"mimo\", $sizes, \"intermediate_size\": 96"
try "$mimo, \"num_nextn_predict_layers\": 1"; try "$mimo, \"num_nextn_predict_layers\": 1" 'mtp: true'; try "$mimo" 'mtp: true'; try "$plain" 'mtp: true'
try '"model_type": "t5"' 'mtp: true'; try "$plain" 'target: 4'; try '"model_type": "vit"' 'target: 4'; try '"model_type": "whisper"' 'target: 449'; try '"model_type": "bart"' 'seq: 1027'
next="\"model_type\": \"qwen3_5_moe_text\", $sizes, \"head_dim\": 16, \"full_attention_interval\": 2, \"num_experts\": 8, $experts, \"mtp_num_hidden_layers\": 1"
try "$next" 'mtp: true'; try "$next, \"mtp_use_dedicated_embeddings\": true" 'mtp: true'
try "\"model_type\": \"nemotron_h\", $sizes, \"intermediate_size\": 96, \"hybrid_override_pattern\": \"*-\", \"num_nextn_predict_layers\": 1" 'mtp: true'
echo 'a dense layer needs its width'
try "$next, \"mlp_only_layers\": [0]"; try "$next, \"mlp_only_layers\": [0], \"intermediate_size\": 96"
echo 'lists'
dsa="\"model_type\": \"glm_moe_dsa\", $sizes, $experts, $latent"
for one in '"mlp_layer_types": ["dense", "sparse"]' '"mlp_layer_types": ["dense", "rare"]' '"mlp_layer_types": ["dense"]' '"index_topk_pattern": "FS"' '"index_topk_pattern": "FX"' '"index_topk_pattern": "F"' '"indexer_types": ["full"]'; do try "$dsa, $one"; done
llama4="\"model_type\": \"llama4_text\", $sizes, \"intermediate_size\": 96, \"intermediate_size_mlp\": 104, \"head_dim\": 16, \"num_local_experts\": 8"
try "$llama4"; try "$llama4, \"no_rope_layers\": []"; try "$llama4, \"no_rope_layers\": [1]"
try "\"model_type\": \"nemotron-nas\", $sizes, \"intermediate_size\": 96, \"block_configs\": []"
for one in '"*-"' '"*"' null; do try "\"model_type\": \"nemotron_h\", $sizes, \"intermediate_size\": 96, \"hybrid_override_pattern\": $one"; done
try "\"model_type\": \"minimax_m2\", $sizes, \"intermediate_size\": 96, \"head_dim\": 16, \"num_local_experts\": 8, \"qk_norm_type\": \"per_head\""
echo 'words of a sample'
try "$plain" 'seq: 256'; try "$plain" 'seq: -1'; try '"model_type": "t5"' 'seq: -1'
echo 'sums in fp32, products in 16 bits'
for one in mamba mamba2; do
  printf '{"model_type": "%s", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 1000, "num_heads": 8, "n_groups": 1}\n' $one >"$scratch/config.json"
  tsc -S -o - -D "model=hf(\"$scratch/config.json\")" _plan.ts | sed -nE 's/^kernel gemm.* dtype (\w+) .*/  \1/p' | sort | uniq -c | sed 's/^ */  /'
done
echo 'dropout inside of an MLP'
for one in 0.0 0.1; do
  printf '{"model_type": "bart", "d_model": 64, "encoder_layers": 1, "decoder_layers": 1, "vocab_size": 1000, "activation_dropout": %s}\n' $one >"$scratch/config.json"
  tsc -S -o - -D "model=hf(\"$scratch/config.json\")" _plan.ts | grep -c 'act_dropout' | sed 's/^/  /'
done
echo 'two models under one name'
try "\"model_type\": \"bailing_hybrid\", $sizes, \"group_norm_size\": 8"
