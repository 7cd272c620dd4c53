#!/usr/bin/env python3
"""imports.py BUILD DATA [FILE...]: what becomes of each training job of DATA/configs by `trainspec import`: it plays,
its plan does not fit into memory, it is refused by name, or it fails. Of a registry of Python the first function that is
no debug model's is its job. A file that states no model or no size (DeepSpeed,
Accelerate, parts of Megatron-LM's) gets what its own launcher would say (GIVEN). Totals by framework.
1 where an import ends without a reason. ./dev accuracy imports"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

# a folder of the corpus, the framework that reads it
READERS = {
    "megatron-lm": "megatron", "megatron-deepspeed": "megatron", "megatron-bridge": "megatron_bridge", "torchtitan": "torchtitan",
    "deepspeed": "deepspeed", "accelerate": "accelerate", "maxtext": "maxtext", "nanotron": "nanotron", "axolotl": "axolotl",
    "llama-factory": "llama_factory", "arctic-training": "arctic", "ms-swift": "swift", "primus": "primus", "prime-rl": "prime_rl",
    "nemo-automodel": "automodel", "nemo-launcher": "nemo", "nemo-rl": "rl", "verl": "rl",
}
# What a launcher would say of files that leave it open: (pattern of the name, words before, arguments behind).
GIVEN = [
    ("megatron-lm/modelzoo_*.yaml", ["TP=1", "PP=1", "EP=8", "CP=1", "VPP=1", "MBS=1", "GBS=4096", "SEQ_LEN=4096", "LAYERS_PER_VP=",
                                     "MOE_GROUPED_GEMM=true"], []),
    ("megatron-lm/modelzoo_*[235][0-9][0-9]B*.yaml", ["TP=2", "PP=2", "EP=32"], []),
    ("megatron-lm/modelzoo_*-80B*.yaml", ["PP=4"], []),
    # its own line for 1,024 H100 (best_practice/deepseek-v3/run_deepseek_v3_h100.sh)
    ("megatron-lm/modelzoo_DeepSeek-V3*.yaml", ["TP=2", "PP=8", "EP=64", "VPP=4", "GBS=8192"], [
        "--recompute-granularity", "selective", "--recompute-modules", "mla_up_proj", "mlp", "--mtp-num-layers", "1",
        "--pipeline-model-parallel-layout", "Et|(tt|)*30mL", "--use-precision-aware-optimizer", "--exp-avg-dtype", "bf16",
        "--exp-avg-sq-dtype", "bf16", "--fp8-recipe", "blockwise", "--fp8-format", "e4m3"]),
    ("megatron-lm/modelzoo_run_*235b*.sh", ["{folder}/modelzoo_Qwen3-235B-A22B.yaml", "CP=1", "LAYERS_PER_VP=3"], []),
    ("megatron-lm/CONFIG.sh", ["TP=8", "PP=8", "MBS=1", "GBS=512", "NLS=96", "HS=12288", "NAH=96", "DDP=local"], []),
    ("megatron-lm/Kimi-K2*", [], ["--tensor-model-parallel-size", "8", "--expert-model-parallel-size", "64", "--expert-tensor-parallel-size", "1",
                                  "--pipeline-model-parallel-size", "8", "--decoder-last-pipeline-num-layers", "5", "--global-batch-size", "4096",
                                  "--use-distributed-optimizer"]),
    ("megatron-lm/Llama-4*", [], ["--tensor-model-parallel-size", "8", "--expert-model-parallel-size", "16", "--expert-tensor-parallel-size", "1",
                                  "--use-distributed-optimizer"]),
    # MaxText's files of models alone: a batch and shards over all devices
    ("maxtext/maxtext_models_*", [], ["--per_device_batch_size", "1", "--dcn_data_parallelism", "1", "--dcn_fsdp_parallelism", "-1"]),
    ("deepspeed/*.json", [], ["--model_name_or_path", "MODEL", "--per_device_train_batch_size", "1"]),
    ("accelerate/*", [], ["--model_name_or_path", "MODEL", "--per_device_train_batch_size", "1"]),
]
MODELS = ["meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.2-1B"]  # of files without one: the first, or the other if that does not fit
CLOUDS = {"a3u": "h200", "a3ultra": "h200", "a4": "b200"}  # machines of clouds by what is in them
MOST = 2048  # devices that are tried where a file does not say how many there are


REGISTRY = os.path.join(os.path.dirname(__file__), "..", "..", "packages", "python", "trainspec", "registry.py")


def returned(file, folder):
    """A registry of Python as the JSON that its function returns."""
    def read(*words):
        return subprocess.run([sys.executable, REGISTRY, file, *words], capture_output=True, text=True, check=True).stdout
    made = os.path.join(folder, re.sub(r"\W", "_", file) + ".json")
    with open(made, "w") as to:
        to.write(read(next(name for name in read().split() if "debug" not in name)))
    return made


def command(build, *words):
    try:
        return subprocess.run([os.path.join(build, words[0]), *words[1:]], capture_output=True, text=True, timeout=300, errors="replace")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", "error: it takes more than 300 s")


def reason(said):
    """the first error, with the sentence that says why"""
    first = re.search(r"^error(?:\[\w+\])?: (.*)", said, re.M)
    if not first:
        return said.strip().splitlines()[0] if said.strip() else "nothing is said"
    why = re.search(r"^ *\| +\^+ (.*)", said[first.end():], re.M) if "cannot be called" in first[1] else None
    why = why or re.search(r"= help: (.*)", said[first.end():first.end() + 1500])
    return first[1] + (": " + why[1] if why else "")


def play(build, reader, file, plan, gpus, model=MODELS[0]):
    name = os.path.join(os.path.basename(os.path.dirname(file)), os.path.basename(file))
    given = [g for g in GIVEN if glob.fnmatch.fnmatch(name, g[0])]
    before = [w.replace("{folder}", os.path.dirname(file)) for g in given for w in g[1]]
    behind = [model if w == "MODEL" else w for g in given for w in g[2]]
    kind = re.search(r"(?<![a-z])(gb200|gb300|b200|h200|h20|mi300x|mi325x|mi355x|a100|a3u(?:ltra)?|a4)(?![0-9a-z])", name.lower())
    words = (["--gpus", str(gpus)] if gpus else []) + (["--gpu", CLOUDS.get(kind[1], kind[1])] if kind else [])
    if file.endswith(".py"):
        file = returned(file, os.path.dirname(plan))
    run = command(build, "trainspec", "import", *words, "-o", plan, reader, *before, file, *behind)
    if run.returncode:
        return run, False
    return command(build, "tsrun", "--format=text", plan), True


def judge(build, folder, file):
    reader = READERS.get(os.path.basename(os.path.dirname(file)))
    if not reader:
        return "refused", "no importer for " + os.path.basename(os.path.dirname(file))
    plan = os.path.join(folder, re.sub(r"\W", "_", file) + ".ts")
    run, written = play(build, reader, file, plan, 0)
    if written and MODELS[0] in open(plan).read() and "out of memory" in run.stderr:
        run, written = play(build, reader, file, plan, 0, MODELS[1])
    gpus = 0
    while written and "out of memory" in run.stderr and gpus < MOST and "launch_" not in open(plan).read():
        ranks = re.search(r"(\d+) ranks", run.stderr + run.stdout)
        gpus = 2 * (gpus or int(ranks[1] if ranks else 8))
        again, _ = play(build, reader, file, plan, gpus)
        if again.returncode == 0 or "out of memory" in again.stderr: # a number that the degrees do not divide says nothing
            run = again
    if run.returncode == 0:
        step = re.search(r"step time +(.*)", run.stdout)
        head = re.search(r": (\d+ ranks on .*)", run.stdout)
        size = re.search(r"[\d.,]+ [a-z]*illion parameters", run.stdout)
        return "plays", "; ".join(m[k] for m, k in ((step, 1), (size, 0), (head, 1)) if m)
    if written and "out of memory" in run.stderr:
        return "no room", reason(run.stderr)
    if run.returncode in (1, 2) and ("error" in run.stderr or "trainspec" in run.stderr):
        said = reason(run.stderr)
        return ("fails" if said.startswith("unknown") or "E0799" in run.stderr else "refused"), said
    return "fails", f"exit {run.returncode}: {run.stderr[-200:]}"


def main():
    build, data = os.path.abspath(sys.argv[1]), os.path.join(os.path.abspath(sys.argv[2]), "configs")
    if not os.path.isdir(data):
        print(f"imports: skipped, there is no {data}")
        return 0
    files = [os.path.abspath(f) for f in sys.argv[3:]] or [
        f for f in sorted(glob.glob(os.path.join(data, "*", "*"))) if os.path.basename(os.path.dirname(f)) != "huggingface"]
    totals, bad = {}, False
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for file, (kind, said) in zip(files, pool.map(lambda f: judge(build, folder, f), files)):
            framework = os.path.basename(os.path.dirname(file))
            counts = totals.setdefault(framework, {})
            counts[kind] = counts.get(kind, 0) + 1
            bad = bad or kind == "fails"
            print(f"{framework + '/' + os.path.basename(file):70} {kind:8} {said[:150]}", flush=True)
    kinds = ["plays", "no room", "refused", "fails"]
    print(f"\n{'framework':20}" + "".join(f"{k:>9}" for k in kinds))
    for framework, counts in [*sorted(totals.items()), ("all", {k: sum(c.get(k, 0) for c in totals.values()) for k in kinds})]:
        print(f"{framework:20}" + "".join(f"{counts.get(k, 0):9}" for k in kinds))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
