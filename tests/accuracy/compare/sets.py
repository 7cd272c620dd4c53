"""The sets of steps: which rows of which file, what they say about a plan, what is asked of
them, and why what is missed is missed."""
from __future__ import annotations

import simple
import traced
from exchange import exchange
from pairs import pairs
from published import mlperf, published
from result import MEAN, MEDIAN, ORDER, RATE_ORDER, SAME_SIGN, WITHIN_THIRD, Ask
from step import Set
from tpu import tpu
from unseen import prime_rl, unseen

NEUSIGHT = "NeuSight (Lee et al., ASPLOS 2025, github.com/sitar-lab/NeuSight): measured steps"
PLAYBOOK = "the Ultra-Scale Playbook (Hugging Face, 2025): figures `banner` and `benchmarks_interactive`"
VTRAIN = "vTrain (Bang et al., arXiv 2312.12391; github.com/VIA-Research/vTrain): measured steps"
NCCL = "NVIDIA AIConfigurator (github.com/ai-dynamo/aiconfigurator): nccl-tests inside one node"
NANOTRON_COLUMNS = "layers,hidden,heads,ffn,vocab,seq,micro=micro_batch,accumulation=grad_acc,tp,dp,pp,zero,tied"
MEGATRON_COLUMNS = "hidden,heads,seq,micro=micro_batch,global=global_batch,tp,dp,pp"
VTRAIN_COLUMNS = MEGATRON_COLUMNS + ",layers"
TRACE_STEP_ASKS = (Ask("all rows", "all", MEAN, 4,
                       "the A100's forwards of GPT-2 and OPT take 1.02 and 1.07 times their table at one batch, 1.5 "
                       "and 1.6 times at the other, so its step of one batch does not tell that of another; the "
                       "other twelve rows are 3 % off"),)
TRACE_GPU_ASKS = (Ask("all rows", "all", MEAN, 9),)

SETS = (
    Set("zero_bubble", "GPT in Megatron-LM on A100 with the schedules of Qi et al. 2024",
        "e2e/zero_bubble.csv", "zero_bubble.ts", simple.zero_bubble,
        "Qi et al., Zero Bubble Pipeline Parallelism (arXiv 2401.10241), tables",
        columns="layers,hidden,heads,seq,pp,micro=micro_batch,m=microbatches,chunks=chunks_per_stage",
        fitted="nothing here: power on Narayanan et al.", asks=(Ask("relative throughput", "all", MEAN, 5),)),
    Set("trace_h100", "one H100 from its own operator table",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.h100, NEUSIGHT,
        columns="batch", asks=(Ask("all rows", "all", MEAN, 3),)),
    Set("trace_other", "A100 PCIe, V100 and L4 from their own tables",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.other, NEUSIGHT,
        columns="batch"),
    Set("trace_four", "four GPUs from the table of one",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.four, NEUSIGHT,
        columns="batch",
        asks=(Ask("all rows", "all", MEAN, 8),
              Ask("all rows", "?*_*", ORDER, 1))),
    Set("trace_batch", "one GPU from its operator table of another batch",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.batch, NEUSIGHT,
        columns="batch",
        asks=(Ask("all rows", "all", MEAN, 4,
                  "steps of A100, V100 and L4 are 10 % off from tables of their own batch; the H100's are not"),)),
    Set("trace_step", "the same, from that batch's measured step as well",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.batch_step, NEUSIGHT,
        columns="batch", asks=TRACE_STEP_ASKS),
    Set("trace_models_step", "the same, beside the GPU's tables of other models",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.models_step, NEUSIGHT,
        columns="batch", asks=TRACE_STEP_ASKS),
    Set("trace_models", "one GPU from its table of another batch, beside its tables of other models",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.models, NEUSIGHT,
        columns="batch",
        asks=(Ask("all rows", "NVIDIA_H100*", MEAN, 4),
              Ask("all rows", "all", MEAN, 4,
                  "steps of A100, V100 and L4 are 10 % off from tables of their own batch"))),
    Set("trace_gpu", "one GPU from operator tables of others, none of its own",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.gpu, NEUSIGHT,
        columns="batch", asks=TRACE_GPU_ASKS),
    Set("trace_boards", "the same, beside single products of other boards",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.boards, NEUSIGHT,
        columns="batch", asks=TRACE_GPU_ASKS),
    Set("trace_products", "one GPU from operator tables of others, beside single products of its own",
        "ops/neusight_e2e.csv", "traced_fx.ts", traced.products, NEUSIGHT,
        columns="batch",
        asks=(Ask("all rows", "all", MEAN, 9,
                  "single products of the L4 take 1.6 times as long as the same ones in its traced tables (median); "
                  "without the L4 the mean is 7 %"),)),
    Set("nanotron", "Llama in nanotron, one node of 8 H100",
        "e2e/nanotron_h100.csv", "nanotron.ts", simple.nanotron_single, PLAYBOOK,
        columns=NANOTRON_COLUMNS,
        fitted="launch, collective and message times, the power factors and the bandwidth inside a node, on 1.34B "
               "and 8.86B; nothing for memory",
        asks=(Ask("rows not fitted", "all", MEAN, 12),
              Ask("rows not fitted", "*", ORDER, 0.95,
                  "three rows with tensor parallelism out of order; the physical model of overlap brings their mean "
                  "from 5.6 to 5.3 % and changes no order"),
              Ask("peak memory", "all", MEAN, 8,
                  "rows with pipelines are 10 to 13 % low, more with tensor parallelism; not found (the tied "
                  "embedding is the suspect, the 1.34B rows speak against it)"))),
    Set("nanotron_multi", "the same on 2 to 64 nodes (noisy)",
        "e2e/nanotron_h100.csv", "nanotron.ts", simple.nanotron_multi, PLAYBOOK,
        columns=NANOTRON_COLUMNS,
        fitted="a ring's step and the rate between nodes, and what a collective of tensor parallelism takes for each of "
               "its ranks beside pipelines, on 1.34B and 8.86B on fewer than 64 nodes; nothing for memory"),
    Set("nanotron_stalled", "runs of those nodes whose messages between stages stall, apart",
        "e2e/nanotron_h100.csv", "nanotron.ts", simple.nanotron_stalled, PLAYBOOK,
        columns=NANOTRON_COLUMNS, apart=True,
        fitted="the time of such a message, on 1.34B and 8.86B. Rows of fewer than 64 nodes are told from the others by "
               "their measured time"),
    Set("korthikanti", "GPT in Megatron-LM on A100, Korthikanti et al. 2022 table 5",
        "e2e/published_dense.csv", "megatron_a100.ts", simple.korthikanti,
        "Korthikanti et al. (arXiv 2205.05198), table 5; Calculon is 3.65 % off on its 8 rows",
        columns=MEGATRON_COLUMNS, fitted="the power factor of matrix products, on the rows of Narayanan et al.",
        asks=(Ask("all rows", "all", MEAN, 5),)),
    Set("narayanan", "GPT in Megatron-LM on A100, Narayanan et al. 2021 table 1",
        "e2e/published_dense.csv", "megatron_a100.ts", simple.narayanan,
        "Narayanan et al. (arXiv 2104.04473), table 1",
        columns=MEGATRON_COLUMNS, fitted="the power factor of matrix products"),
    Set("own_papers", "Llama 3 405B on 8,192 and 16,384 H100, DeepSeek-V3 on 2,048 H800",
        "tests/accuracy/own_papers.csv", "own_papers.ts", simple.own_papers,
        "Grattafiori et al. (arXiv 2407.21783), table 4; DeepSeek-AI (arXiv 2412.19437), section 1",
        columns="inner,nodes,tp,cp,pp,dp,seq,batch",
        assumed="a layer a chunk of Llama's pipeline; FLOP of half the scores; stages of DeepSeek-V3, which keeps "
                "more in 8 bits than the plan",
        asks=(Ask("all rows", "all", MEAN, 10),), apart=True, here=True),
    Set("vtrain_multi", "GPT in Megatron-DeepSpeed on 512 A100",
        "vtrain/ground_truth_multi.csv", "vtrain.ts", simple.vtrain, VTRAIN + " (its own error there: 14.73 %)",
        columns=VTRAIN_COLUMNS,
        fitted="nothing here: what the host spends on the single-node rows, power on Narayanan et al.",
        asks=(Ask("all rows", "all", MEAN, 15),)),
    Set("vtrain_single", "the same on one node (rows depend on one another)",
        "vtrain/ground_truth_single.csv", "vtrain.ts", simple.vtrain_single, VTRAIN,
        columns=VTRAIN_COLUMNS, fitted="what the host spends, on the rows of hidden size 1024"),
    Set("moe_layer", "one layer of experts in Megatron-LM, forward and backward, 8 H100",
        "e2e/moe_layer_megatron.csv", "moe_layer.ts", simple.moe_layer,
        "NVIDIA Megatron-LM (github.com): regression baselines of one layer",
        columns="hidden,ffn=expert_ffn,experts,top=topk,seq,ep",
        asks=(Ask("all rows", "all", MEAN, 10,
                  "experts' products are priced from short bursts, and measured kernels of experts are up to eight "
                  "times slower than their neighbours"),),
        apart=True),
    Set("ep_bandwidth", "dispatch and combine of tokens to experts by library, alone",
        "runs/ep_bandwidth.csv", "exchange.ts", exchange,
        "deepseek-ai/DeepEP: README.md, docs/legacy.md, docs/README_Hybrid-EP.md",
        columns="ranks,tokens=tokens_rank,hidden,top=topk",
        fitted="what a call and a copy take, rates of NICs, NVLink and processors", apart=True),
    Set("published_dense", "dense models as published: vendors' tables, benchmarks, papers",
        "e2e/published_dense.csv", "published.ts", published,
        "NVIDIA Megatron-Bridge (docs/performance-summary*.md, releases 25.09 to 26.06), NeMo (24.07) and "
        "dgxc-benchmarking; mosaicml/llm-foundry (scripts/train/benchmarking/README.md); pytorch/torchtitan "
        "(benchmarks/); arXiv 2104.04473, 2201.11990, 2205.05198, 2407.21783",
        fitted="old attention and torchtitan's machine; by hand, all rows in view: 4 bits, B300, GB300",
        assumed="a micro-batch of 1 for the papers; torchtitan's pipelines cut a batch into as many parts as stages",
        asks=(Ask("rows not fitted", "llm-foundry *", MEAN, 7,
                  "large micro-batches: the logits' loss in fp32, and FlashAttention 1 at short sequences"),
              Ask("rows not fitted", "torchtitan", MEAN, 12),
              Ask("memory the allocator reserves", "all", MEAN, 8,
                  "one row with pipelines, in fp8 with asynchronous tensor parallelism; buffers of messages are in "
                  "the plan (2 GiB). Inputs that stay gathered for weight gradients would add 0.8 GiB, and make "
                  "tensor-parallel steps, which are 5 to 9 % low, up to 2 % shorter; parts of 8 instead of 4 would "
                  "add 6.5 GiB, but take 56 instead of 41 s. What holds the other 12 GiB was not found"),
              Ask("rows of the fit, reserved", "all", MEAN, 8, "torchtitan's rows; no memory was fitted"),
              Ask("rows not fitted", "NVIDIA bf16", MEAN, 3, "few rows; the host is not modelled beyond waits"),
              Ask("rows not fitted", "NVIDIA *fp8", MEAN, 7),
              Ask("rows not fitted", "NVIDIA nvfp4", MEAN, 7,
                  "Llama 3 70B in tensor parallelism of 2 on the GB200, measured three times (releases 9 % apart), "
                  "is 9 to 17 % low; 405B there is within 6 %, and what the 70B lacks is not products: its layer "
                  "does half the work of 405B's in three quarters of the time"))),
    Set("published_moe", "mixtures of experts as published, all frameworks",
        "e2e/published_moe.csv", "published.ts", published,
        "NVIDIA Megatron-Bridge (docs/performance-summary*.md, releases 25.09 to 26.08), NeMo-Automodel "
        "(docs/performance-summary.mdx), dgxc-benchmarking",
        fitted="by hand, on the rows of the fit: what a product of experts and the sorting of tokens cost the host, "
               "and how much faster products in one operation are; with all rows in view, that NeMo 25.04 takes the "
               "softmax of DeepSeek-V3 on the GB200 in parts",
        assumed="recomputation where it is not stated: none, every second layer or all of them, the first that fits "
                "in memory; tokens spread evenly over experts",
        asks=(Ask("rows not fitted", "all", MEAN, 14,
                  "GPT-OSS in 16 bits is 15 to 27 % low on every machine: what its devices do besides is not known"),
              Ask("rows not fitted", "all", RATE_ORDER, 0.85, "the same rows"))),
    Set("mlperf", "submissions to MLPerf Training, no factor",
        "runs/mlperf_llm.csv", "published.ts", mlperf,
        "MLCommons, training results v3.0 to v6.0 (github.com/mlcommons/training_results_*): steps from the logs, "
        "configurations of the submitters",
        fitted="by hand, all rows in view: 4 bits, B300, GB300, heads over context-parallel ranks",
        assumed="attention heads over the context-parallel ranks where nothing else splits a layer; no "
                "recomputation where the configuration names none",
        asks=(Ask("all rows", "all", MEDIAN, 12),
              Ask("one factor a kind*", "all", MEDIAN, 5),
              Ask("largest of a series*", "a *", MEDIAN, 6))),
    Set("simumax", "Megatron-LM on eight B200 from the operator tables of SimuMax",
        "ops/simumax_b200.csv", "simumax.ts", simple.simumax,
        "SimuMax (github.com/MooreThreads/SimuMax): measured steps and operators",
        columns="layers,tp,cp,pp,seq,micro=micro_batch,micro_batches=microbatches",
        asks=(Ask("all rows", "all", MEAN, 4.5,
                  "experts: SimuMax itself is 10 % low on these rows; kernels that choose experts and cut them to "
                  "their capacity are not modelled, and long runs are a tenth slower than short ones"),
              Ask("peak memory", "all", MEAN, 1, "about 0.6 GiB in layers of experts, not found"))),
    Set("pairs", "pairs of runs that differ in one thing",
        "runs/ab_effects.csv", "published.ts", pairs,
        "NVIDIA Megatron-Bridge (skills/, 067f987df), pytorch/torchtitan (components/quantization/nvfp4.md, "
        "b5bcd76c6), AMD-AGI/Primus and TraceLens",
        assumed="bf16 where no format is stated, as the frameworks have it; recomputation as the profile says where "
                "it is not what is switched, and in torchtitan the first of none, every second layer and all that "
                "fits; a rate alone gives the time of the model's FLOPs",
        asks=(Ask("effects*", "all", SAME_SIGN, 100),
              Ask("effects*", "all", WITHIN_THIRD, 200 / 3,
                  "Moonlight's steps are the host's (17 ms a layer, of which 8 are issued), and a module that is "
                  "recomputed costs it 0.3 to 0.9 ms a layer besides (checkpoints save and set the states of random "
                  "numbers), by rows that scatter as much: no constant was taken; gains from 8 and 4 bits in "
                  "torchtitan are predicted half as large again; tensor parallelism of 8 is 18 % slower than "
                  "predicted"))),
    Set("tpu", "MaxText on TPUs: v5e, v5p, v6e and TPU7x",
        "runs/tpu_steps.csv", "tpu.ts", tpu,
        "AI-Hypercomputer/tpu-recipes (c8cfe2f, tables and log lines) and AI-Hypercomputer/maxtext (bdc4d8d6d, "
        "README)",
        fitted="nothing: a chip's products are the H100's scaled to its rates, estimated",
        assumed="mesh arguments that are not given have MaxText's defaults; a chip of two cores is one device; "
                "offloading takes no time; a rate alone gives the time of the model's FLOPs, which MaxText counts "
                "without halving causal attention"),
    Set("unseen", "dense runs of programs that have no profile",
        "runs/other_steps.csv", "unseen.ts", unseen,
        "InternEvo, foundation-model-stack/fms-fsdp, InternLM/xtuner, NVIDIA/JAX-Toolbox, hpcaitech/ColossalAI: "
        "tables of their documentation",
        fitted="nothing",
        assumed="what a reader of the manual writes: strategies with their defaults, an eager host"),
    Set("prime_rl", "the same of prime-rl",
        "runs/prime_rl.csv", "unseen.ts", prime_rl,
        "PrimeIntellect-ai/prime-rl, benchmarks/baselines",
        fitted="nothing", assumed="as above; rows of adapters and of offloaded activations are left out"),
    Set("nccl_h100", "NCCL inside a DGX H100 by the alpha-beta model alone",
        "ops/nccl_intra.csv.gz", "collective.ts", simple.nccl_h100, NCCL,
        columns="ranks=gpus", fixed="gpu=h100_sxm", fitted="base, hop, efficiency and ramp, on every second size",
        figure={"of": "network", "basis": "alpha_beta"}),
    Set("nccl_a100", "NCCL inside a DGX A100 by the alpha-beta model alone",
        "ops/nccl_intra.csv.gz", "collective.ts", simple.nccl_a100, NCCL,
        columns="ranks=gpus", fixed="gpu=a100_sxm_80g",
        fitted="base, hop, efficiency and ramp, on every second size",
        figure={"of": "network", "basis": "alpha_beta"}),
)
