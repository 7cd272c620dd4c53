"""Traces training scripts of public packages, unmodified, and plays the plan of each: ./dev frameworks.

The packages are those of PyPI, in a virtual environment of the build folder. Scripts that no package carries are taken from checkouts (`--sources`), by a copy: what a script reads beside itself (rows,
pictures, tokens, a configuration) is made up there. Of a script one line says what became of it.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PLAN = """import std.clusters.dgx, std.networks, std.costs.hosts, std.costs.sources
plan traced {{
  model = graph("graph.{{rank}}.json")
  cluster = dgx_{gpu}(nodes: 1)
  costs = training_{gpu}
  network = {gpu}_infiniband
  host = eager_torch
}}
"""


@dataclasses.dataclass
class Script:
    """`repository`: on GitHub, and the revision that it was tried at; "": a package of the environment has the script. `folder`: of it that is copied. `make`: what the script reads, made by
    the Python of the environment. `beside`: a release of a package that the script asks for and the environment has another of."""
    repository: str
    revision: str
    folder: str
    words: str
    make: str = ""
    world: int = 1
    options: str = ""
    device: str = "h100_sxm"
    beside: str = ""
    environment: dict[str, str] = dataclasses.field(default_factory=dict)


PICTURES = """
import os, numpy, PIL.Image
for part in ("train", "val"):
    for kind in "abcdefgh":
        os.makedirs(f"{part}/{kind}", exist_ok=True)
        for i in range(8):
            PIL.Image.fromarray(numpy.random.default_rng(i).integers(0, 255, (256, 256, 3), numpy.uint8)).save(f"{part}/{kind}/{i}.png")
"""
TOKENS = """
import os, numpy
os.makedirs("data/made_up", exist_ok=True)
for part in ("train", "val"):
    numpy.random.default_rng(0).integers(0, 65, 100000).astype(numpy.uint16).tofile(f"data/made_up/{part}.bin")
"""
WORDS = """
import json, tokenizers, transformers
lines = [" ".join(f"word{(i * j) % 97}" for j in range(40)) for i in range(400)]
open("rows.txt", "w").write("\\n".join(lines))
words = {"[UNK]": 0, "[PAD]": 1, "[CLS]": 2, "[SEP]": 3, **{f"word{i}": i + 4 for i in range(97)}}
tokens = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
tokens.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
transformers.PreTrainedTokenizerFast(tokenizer_object=tokens, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", model_max_length=128).save_pretrained("model")
"""
GPT2 = WORDS + """
transformers.GPT2Config(vocab_size=len(words), n_positions=128, n_embd=256, n_layer=4, n_head=4).save_pretrained("model")
"""
BERT = WORDS + """
config = transformers.BertConfig(vocab_size=len(words), hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024, max_position_embeddings=128)
transformers.BertForSequenceClassification(config).save_pretrained("model")
with open("rows.csv", "w") as file:
    file.write("sentence,label\\n" + "".join(f"{line},{i % 2}\\n" for i, line in enumerate(lines)))
"""
CIFAR = """
import os, pickle, numpy
at = "data/cifar-10-batches-py"
os.makedirs(at, exist_ok=True)
for name in [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]:
    pickle.dump({"data": numpy.random.default_rng(0).integers(0, 255, (200, 3072), numpy.uint8), "labels": [i % 10 for i in range(200)]}, open(f"{at}/{name}", "wb"))
pickle.dump({"label_names": list("abcdefghij")}, open(f"{at}/batches.meta", "wb"))
# The files are made up: their sums are not those of the data set.
open("sitecustomize.py", "w").write("import torchvision.datasets.cifar as c; c.check_integrity = lambda *a: True")
"""
TITAN = """
import json, os, tokenizers
os.makedirs("tests/assets/c4_test")
os.makedirs("tests/assets/tokenizer")
with open("tests/assets/c4_test/data.json", "w") as rows:
    for i in range(2000):
        print(json.dumps({"text": " ".join(f"word{(i * j) % 97}" for j in range(400))}), file=rows)
words = {"<|begin_of_text|>": 0, "<|end_of_text|>": 1, "[UNK]": 2, **{f"word{i}": i + 3 for i in range(97)}}
tokens = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
tokens.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
tokens.save("tests/assets/tokenizer/tokenizer.json")
json.dump({"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"}, open("tests/assets/tokenizer/tokenizer_config.json", "w"))
"""
MEGATRON = """--num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --micro-batch-size 2 --global-batch-size 16 --train-iters 3 --lr 1e-4
    --min-lr 1e-5 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1024 --eval-iters 0 --eval-interval 1000 --split 100,0,0 --transformer-impl local
    --no-gradient-accumulation-fusion --no-persist-layer-norm --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2"""

SCRIPTS = {
    "nanogpt": Script("karpathy/nanoGPT", "3adf61e1", ".", "python train.py config/train_shakespeare_char.py --dataset=made_up --max_iters=3 --eval_iters=1 --eval_interval=1000", TOKENS,
                      options="--values take"),
    "nanogpt_ddp": Script("karpathy/nanoGPT", "3adf61e1", ".", "torchrun --nproc_per_node=4 train.py config/train_shakespeare_char.py --dataset=made_up --max_iters=3 --eval_iters=1 --eval_interval=1000 "
                          "--gradient_accumulation_steps=4", TOKENS, options="--values take"),
    "torchvision": Script("pytorch/vision", "main of August 2022", "references/classification", "torchrun --nproc_per_node=2 train.py --model resnet50 --data-path . --batch-size 8 --epochs 1 -j 0 --output-dir .",
                          PICTURES, options="--values take --step 2"),
    "torchvision_vit": Script("pytorch/vision", "main of August 2022", "references/classification", "torchrun --nproc_per_node=2 train.py --model vit_b_16 --data-path . --batch-size 4 --epochs 1 -j 0 "
                              "--output-dir . --opt adamw --amp --mixup-alpha 0.2 --clip-grad-norm 1", PICTURES, options="--values take --step 2"),
    "clm": Script("huggingface/transformers", "4.57.5", "examples/pytorch/language-modeling", "torchrun --nproc_per_node=2 run_clm.py --config_name model --tokenizer_name model --train_file rows.txt "
                  "--validation_file rows.txt --block_size 128 --per_device_train_batch_size 4 --max_steps 3 --output_dir out --do_train --bf16 --report_to none", GPT2, options="--values take --step 2"),
    "clm_no_trainer": Script("huggingface/transformers", "4.57.5", "examples/pytorch/language-modeling", "torchrun --nproc_per_node=2 run_clm_no_trainer.py --config_name model --tokenizer_name model "
                             "--train_file rows.txt --validation_file rows.txt --block_size 128 --per_device_train_batch_size 4 --max_train_steps 3 --output_dir out", GPT2,
                             options="--values take --step 2", beside="accelerate==0.33.0"),
    "glue": Script("huggingface/transformers", "4.57.5", "examples/pytorch/text-classification", "python run_glue_no_trainer.py --model_name_or_path model --train_file rows.csv --validation_file rows.csv "
                   "--max_length 64 --per_device_train_batch_size 8 --max_train_steps 3 --output_dir out", BERT, options="--values take --step 2"),
    "megatron": Script("NVIDIA/Megatron-LM", "core_v0.16.1", ".", f"torchrun --nproc_per_node=8 pretrain_gpt.py {MEGATRON} --rerun-mode disabled --no-check-for-nan-in-loss-and-grad", options="--values take", environment={"CUDA_DEVICE_MAX_CONNECTIONS": "1"}),
    "megatron_2023": Script("NVIDIA/Megatron-LM", "53a350ed", ".", f"torchrun --nproc_per_node=8 pretrain_gpt.py {MEGATRON}", options="--values take --packages apex,amp_C,fused_layer_norm_cuda",
                            environment={"CUDA_DEVICE_MAX_CONNECTIONS": "1"}),
    "fsdp2": Script("pytorch/examples", "77f55b9", "distributed/FSDP2", "torchrun --nproc_per_node=2 example.py"),
    "dtensor": Script("pytorch/examples", "77f55b9", "distributed/tensor_parallelism", "torchrun --nproc_per_node=4 tensor_parallel_example.py"),
    "dtensor_sequence": Script("pytorch/examples", "77f55b9", "distributed/tensor_parallelism", "torchrun --nproc_per_node=4 sequence_parallel_example.py"),
    "dtensor_fsdp": Script("pytorch/examples", "77f55b9", "distributed/tensor_parallelism", "torchrun --nproc_per_node=4 fsdp_tp_example.py"),
    "torchtitan": Script("", "0.3.0", "", "torchrun --nproc_per_node=2 -m torchtitan.train --module llama3 --config llama3_debugmodel_varlen_attn --training.steps 3", TITAN,
                         options="--values take --step 2", device="a100_sxm_80g"),
    "deepspeed_cifar": Script("deepspeedai/DeepSpeedExamples", "45b4b715", "training/cifar", "torchrun --nproc_per_node=2 cifar10_deepspeed.py --deepspeed --epochs 1", CIFAR, options="--values take --step 2"),
}


# The development rows of TorchSim's table 19 of models that have two towers or see pictures: (model of eager.py and of the plan, batch, picture, precision, computed again).
MEMORY = [("vit", 64, 224, "mp", ""), ("vit", 64, 224, "fp", "layer[*]"), ("vit", 256, 224, "hp", "layer[*]"), ("clip", 64, 336, "mp", ""), ("clip", 64, 336, "fp", "image[*] text[*]"),
          ("convnext", 64, 224, "hp", ""), ("convnext", 32, 224, "fp", "*.mlp"), ("convnext", 128, 224, "fp", "*.mlp"), ("convnext", 256, 224, "hp", "*.mlp")]
CUBLAS = 64 << 20  # what the plan counts beside tensors


def environment(folder: pathlib.Path) -> pathlib.Path:
    """The Python of the virtual environment, which is made where it is not there or asks for something else."""
    python, wanted = folder / "venv" / "bin" / "python", (HERE / "requirements.txt").read_text()
    made = folder / "requirements.txt"
    if not made.exists() or made.read_text() != wanted:
        print(f"frameworks: installing into {folder / 'venv'}: some GB", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE / "requirements.txt"], check=True, env={**os.environ, "DS_BUILD_OPS": "0"})
        made.write_text(wanted)
    return python


def versions(python: pathlib.Path) -> str:
    names = [re.split(r"[=<>]", line)[0] for line in (HERE / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    code = f"import importlib.metadata as m\nprint(*(f'{{n}} {{m.version(n)}}' for n in {names}), sep=', ')"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def checkout(script: Script, sources: pathlib.Path) -> pathlib.Path | None:
    """A folder of `sources` with the script: named as the repository, or with the revision behind it."""
    name = script.repository.partition("/")[2]
    found = [sources / f"{name}-{script.revision}", sources / name]
    return next((folder / script.folder for folder in found if (folder / script.folder).is_dir()), None)


def attempt(name: str, script: Script, python: pathlib.Path, folder: pathlib.Path, sources: pathlib.Path, build: pathlib.Path) -> tuple[str, str]:
    """(plays, fails or skipped; what was seen)."""
    work = folder / name
    shutil.rmtree(work, ignore_errors=True)
    if script.repository:
        source = checkout(script, sources)
        if source is None:
            return "skipped", f"no checkout of github.com/{script.repository} ({script.revision}) in {sources}"
        shutil.copytree(source, work, ignore=shutil.ignore_patterns(".git"))
    else:
        work.mkdir()
    around = {**os.environ, **script.environment, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join([str(HERE.parent), str(work), str(work / "beside")]), "HF_HUB_OFFLINE": "1",
              "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]]), "TOKENIZERS_PARALLELISM": "false"}
    log = open(work / "log.txt", "w+")

    def run(words: list[str]) -> bool:
        return subprocess.run(words, cwd=work, env=around, stdout=log, stderr=subprocess.STDOUT).returncode == 0

    words = script.words.split()
    words[0] = str(python) if words[0] == "python" else words[0]
    traced = [str(python), "-m", "trainspec_tracer", "--device", script.device, "-o", "graph.{rank}.json", *script.options.split()] + (["--world", "1"] if words[0] != "torchrun" else [])
    (work / "traced.ts").write_text(PLAN.format(gpu=script.device.partition("_")[0]))
    beside = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", "beside", script.beside]
    if script.beside and not run(beside) or script.make and not run([str(python), "-c", script.make]) or not run([*traced, "--", *words]):
        return "fails", failure(work / "log.txt")
    played = subprocess.run([build / "tsrun", "traced.ts"], cwd=work, capture_output=True, text=True)
    log.write(played.stdout + played.stderr)
    log.flush()
    if played.returncode != 0:
        return "fails", "tsrun: " + (played.stderr.strip().splitlines() or ["nothing was said"])[0]
    graph = json.loads((work / "graph.0.json").read_text())
    calls = sum("comm" in node for node in graph["nodes"])
    step = re.search(r"step\s+([\d.]+ \w+)", played.stdout)
    return "plays", f"{graph['world']} ranks, {len(graph['nodes']) - calls} operators and {calls} collectives and messages of rank 0, step {step.group(1) if step else '?'}" + (
        f", stands in for {', '.join(graph['packages'])}" if graph.get("packages") else "")


def peak(graph: dict) -> int:
    """Bytes, in the order of issue."""
    held = most = sum(part["bytes"] for part in graph["held"])
    for event in graph["memory"]:
        held += event["bytes"]
        most = max(most, held)
    return most


def memory(python: pathlib.Path, folder: pathlib.Path, build: pathlib.Path) -> bool:
    """Peaks of eager models of transformers and timm as traced beside those of std's models; whether all are within 1 %."""
    plan, near = HERE.parents[2] / "tests" / "accuracy" / "papers" / "plans" / "torchsim_one_gpu.ts", True
    for model, batch, picture, kind, again in MEMORY:
        graph = folder / "eager.json"
        words = [python, HERE / "eager.py", model, "--batch", str(batch), "--kind", kind, *(["--again"] if again else [])]
        around = {**os.environ, "PYTHONPATH": str(HERE.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([python, "-m", "trainspec_tracer", "-q", "--device", "h100_sxm", "--memory", "1TiB", "--values", "take", "--world", "1", "-o", graph, "--", *words],
                       check=True, env=around, stderr=subprocess.DEVNULL)
        traced = peak(json.loads(graph.read_text())) + CUBLAS
        modules = json.dumps(again.split())
        played = subprocess.run([build / "tsrun", "--format=json", "-D", f'name="{model}"', "-D", f"micro={batch}", "-D", f"seq={picture}", "-D", f'kind="{kind}"', "-D", f"modules={modules}",
                                 "-D", f"decay={'true' if model == 'clip' else 'false'}", plan], capture_output=True, text=True, check=True)
        ours = json.loads(played.stdout)["classes"][0]["memory"]["peak_bytes"]
        near &= abs(ours / traced - 1) < 0.01
        print(f"{model:8} {batch:4} x {picture} {kind}{', again' if again else '':7}  traced {traced / 2**30:6.2f} GiB, std {ours / 2**30:6.2f} GiB, {100 * (ours / traced - 1):+.1f} %", flush=True)
    return near


def failure(log: pathlib.Path) -> str:
    """What a log says last: the exception's own line rather than the tracer's, which says that there was one."""
    lines = [line for line in log.read_text().splitlines() if line.strip()]
    told = [line for line in lines if re.match(r"(\w+\.)*\w+(Error|Exception|Exit)\b|\S+:\d+:\d+: error|trainspec-trace: rank", line)]
    return " | ".join((told or lines or ["nothing was said"])[-2:]) + f" ({log})"


def main() -> int:
    p = argparse.ArgumentParser(prog="dev frameworks", description=__doc__.splitlines()[0])
    p.add_argument("--build", type=pathlib.Path, required=True, help="folder with tsrun")
    p.add_argument("--folder", type=pathlib.Path, required=True, help="where the environment and copies are made")
    p.add_argument("--sources", type=pathlib.Path, default=pathlib.Path(".."), help="folder with checkouts, each named as its repository (default: ..)")
    p.add_argument("names", nargs="*", metavar="SCRIPT", help=f"of {', '.join(SCRIPTS)} (default: all); `memory`: peaks of eager models beside those of std's")
    o = p.parse_args()
    unknown = [name for name in o.names if name not in SCRIPTS and o.names != ["memory"]]
    if unknown:
        p.error(f"no script `{unknown[0]}`: {', '.join(SCRIPTS)}")
    o.folder.mkdir(parents=True, exist_ok=True)
    python = environment(o.folder.resolve())
    print(f"frameworks: {versions(python)}", flush=True)
    if o.names == ["memory"]:
        return 0 if memory(python, o.folder.resolve(), o.build.resolve()) else 1
    outcomes = []
    for name in o.names or SCRIPTS:
        outcome, seen = attempt(name, SCRIPTS[name], python, o.folder.resolve(), o.sources.resolve(), o.build.resolve())
        outcomes.append(outcome)
        print(f"{name:16} {outcome:8} {seen}", flush=True)
    print(f"{outcomes.count('plays')} play, {outcomes.count('fails')} fail, {outcomes.count('skipped')} skipped")
    return 1 if "fails" in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
