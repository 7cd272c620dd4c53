# A job file of torchtitan's as a plan: what the file says with its line, overrides after it, defaults for the rest; what is refused, by its key and line.
cd $scratch
cat >job.toml <<'END'
# A file of our own.
[job]
description = "small"
[model]
name = "llama3"
flavor = "8B"
[optimizer]
name = "AdamW"
lr = 3e-4
[training]
local_batch_size = 2
seq_len = 4096
[parallelism]
tensor_parallel_degree = 2 # of a node
fsdp_reshard_after_forward = "default"
[activation_checkpoint]
mode = "selective"
selective_ac_option = 'op'
[compile]
enable = true
END
played() { tsrun "$1" 2>&1 | grep -aE '^(error|training)|billion parameters|\^ '; }
trainspec import --gpus 16 -o run.ts torchtitan job.toml --training.seq_len 8192 && cat run.ts && tsfmt --check run.ts && played run.ts
with() { echo "== $*"; trainspec import --gpus 16 -o run.ts torchtitan job.toml "$@" 2>said && played run.ts; sed '/^$/d' said; }
with --parallelism.pipeline_parallel_degree 4 --parallelism.pipeline_parallel_schedule=Interleaved1F1B --training.local_batch_size 8
with --parallelism.context_parallel_degree 4 --parallelism.data_parallel_replicate_degree 2
with --model.converters float8 --model.flavor 70B --activation_checkpoint.mode full
with --model.name deepseek_v3 --model.flavor 16B --parallelism.expert_parallel_degree 4 --parallelism.tensor_parallel_degree 1
with --model.name qwen3 --model.flavor 30B-A3B --parallelism.tensor_parallel_degree 1
with --parallelism.tensor_parallel_degree 3
with --model.flavor 9B 2>&1 | cut -c1-90
with --parallelism.expert_tensor_parallel_degree 2
with --training.local_batch two
wrong() { printf "$1" >wrong.toml; trainspec import torchtitan wrong.toml 2>&1; }
wrong '[optimizer]\nname = "Muon"\n[training]\nseq_len = "long"\nwords = 3\n'
wrong '[training]\nseq_len = 1\nseq_len = 2\n'
wrong '[compile]\nenable = maybe\n'
trainspec import torchtitan nowhere.toml 2>&1
trainspec import torchtitan job.yaml 2>&1
trainspec import torchtitan registry.py 2>&1

# What a function of a registry of Python returns: batches in tokens, a policy by its class.
cat > registry.json <<'END'
{"_function_": "qwen3_8b", "_target_": "Trainer.Config", "model_spec": {"_target_": "model_registry", "_args_": ["8B"]},
 "training": {"num_tokens_per_microbatch_per_dp_rank": 8192, "max_context_length": 4096, "disable_cuda_graphs": true},
 "activation_checkpoint": {"_target_": "FullAC.Config"}, "_unread_": ["if x:"]}
END
trainspec import torchtitan registry.json -o registry.ts && tsrun registry.ts --format=text | sed -n 1,2p
# Registries before August 2026 count samples.
sed 's/"num_tokens_per_microbatch_per_dp_rank": 8192, "max_context_length"/"local_batch_size": 2, "seq_len"/' registry.json > samples.json
trainspec import torchtitan samples.json -o samples.ts 2>&1 | grep -c error; tsrun samples.ts --format=text | sed -n 1,2p
sed s/qwen3_8b/flux_dev/ registry.json > flux.json
trainspec import torchtitan flux.json -o flux.ts && tsrun flux.ts
