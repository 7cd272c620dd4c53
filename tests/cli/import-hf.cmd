# A configuration of Hugging Face's as a plan: it plays, dense and with experts, and says what it does not take.
cd $scratch
sizes='"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1024, "intermediate_size": 512, "max_position_embeddings": 512, "tie_word_embeddings": false'
echo "{\"model_type\": \"llama\", $sizes}" >config.json
echo "{\"model_type\": \"mixtral\", $sizes, \"num_local_experts\": 8, \"num_experts_per_tok\": 2}" >experts.json
played() { tsrun "$1" 2>&1 | grep -E '^(error|warning|training)|billion|parameters'; }
trainspec import -o run.ts hf config.json --tp 2 --pp 2 --seq 256 --global-batch 8 && cat run.ts && tsfmt --check run.ts && played run.ts
trainspec import --gpus 16 --gpu a100 -o run.ts hf experts.json --tp 2 --ep 4 --pp 2 --framework torchtitan --sharding zero1 && played run.ts
trainspec import -o run.ts hf config.json --tp 3 && played run.ts
trainspec import --gpu abacus -o run.ts hf config.json && played run.ts
trainspec import hf config.json again.json 2>&1
trainspec import hf config.json --heads 4 2>&1
trainspec import -o run.ts hf && played run.ts
