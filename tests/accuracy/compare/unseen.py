"""Runs of programs that have no profile. Their plan is as a reader of the manual writes it: what a program does besides
is not known, and that is what the intervals of unknown kinds are for."""
from __future__ import annotations

import re
from typing import Optional

import words
from published import remainder
from step import Context, Step
from table import Row
from words import quoted, whole

_LLAMA = "llama(layers: %d, hidden: %d, heads: %d, kv_heads: %d, ffn: %d, vocab: %d, seq: {})"
# Dense models, as the tables spell them; {}: the sequence.
_MODELS = (
    ("InternLM 7B", _LLAMA % (32, 4096, 32, 32, 11008, 103168)),
    ("Llama 2 7B", "llama2_7b({})"),
    ("Llama 2 13b", "llama2_13b({})"),
    ("Llama 2 34b", _LLAMA % (48, 8192, 64, 8, 22016, 32000)),
    ("Llama 3 8B", "llama3_8b({})"),
    ("Llama 3.1 8B", "llama3_8b({})"),
    ("Llama 3.1 70B", "llama3_70b({})"),
    ("Llama-like 70B", "llama2_70b({})"),
    ("Yi 34B", _LLAMA % (60, 7168, 56, 8, 20480, 64000)),
    ("Command R+ 104B", _LLAMA % (64, 12288, 96, 8, 33792, 256000)),
    ("Qwen/Qwen3-0.6B", "qwen3_0_6b({})"),
    ("Qwen/Qwen3-4B", "qwen3_4b({})"),
)
# Programs without a profile here, by how a name begins.
_PROGRAMS = ("InternEvo", "fms-fsdp", "XTuner", "MaxText (XLA GPU", "ColossalAI")


def _lacks(t: Row, model: Optional[str], batch: float, one: float) -> Optional[str]:
    """`one`: samples of all replicas at once."""
    if not model:
        return "a model that the set has no sizes of"
    if not words.machine(t["gpu"]):
        return "a gpu that std has not"
    if remainder(batch, one) != 0:
        return "a batch that is not stated"
    return None if t.has("step_s") else "a time that is not stated"


def _run(t: Row, program: str, parts: float, micro: float) -> Step:
    """What both tables have. `parts`: replicas that share the state of the optimizer."""
    model = next((call.replace("{}", t["seq"]) for name, call in _MODELS if t["model"].startswith(name)), None)
    tp, cp = (t.number(name) if t.has(name) else 1 for name in ("tp", "cp"))
    replicas = t.number("gpus") / tp / cp
    batch = t.number("global_batch") if t.has("global_batch") else micro * replicas
    step = Step(t, t["id"], program, t.number("step_s"), missing=_lacks(t, model, batch, replicas * micro))
    if not step.missing:
        step.give(name=quoted(program), model=model, machine=f"machine_{words.machine(t['gpu'])}",
                  gpus=whole(t.number("gpus")), tp=whole(tp), cp=whole(cp),
                  parts=whole(min(parts if parts > 0 else replicas, replicas)), micro=whole(micro),
                  **{"global": whole(batch)})
    return step


def _recompute(cell: str) -> str:
    if cell.startswith("full") or "except_mlp" in cell:
        return quoted("full")
    return quoted("selective" if cell.startswith("selective") else "none")


def unseen(c: Context, t: Row) -> Optional[Step]:
    program = next((p.split(" ")[0] for p in _PROGRAMS if t["framework"].startswith(p)), None)
    if not program or t["precision"] != "bf16" or t["kind"] not in ("pretrain", "sft"):
        return None
    parts = re.search(r"(?:over |^fsdp )(\d+(?:\.\d*)?)", t["sharding"])
    step = _run(t, program, float(parts[1]) if parts else 0, t.number("micro_batch"))
    step.give(sharding=quoted("zero1" if "zero1" in t["sharding"] else "fsdp"), recompute=_recompute(t["recompute"]),
              library=quoted("cudnn" if program == "MaxText" else "flash2"))
    return step


def prime_rl(c: Context, t: Row) -> Optional[Step]:
    if t["success"] != "1" or t["lora_rank"] or "offload" in t["recompute"]:
        return None
    step = _run(t, "prime-rl", 0, 1)
    step.give(sharding=quoted("fsdp"), recompute=_recompute(t["recompute"]),
              library=quoted("flash3" if "_3" in t["attention"] else "flash2"))
    return step
