"""MaxText on TPUs: meshes and what is recomputed, from the words of its arguments."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Optional

import words
from published import remainder
from step import Context, Step
from table import Row, number
from words import Model, whole


def _model(name: str) -> Optional[Model]:
    """Names have settings at their end, "llama3_1-70b-8192-bs2": the longest beginning counts that is known."""
    while name:
        found = words.named_model(name)
        if found:
            return found
        name = re.split(r"[-_ ](?=[^-_ ]*$)", name)[0] if re.search(r".[-_ ]", name) else ""
    return None


def _call(t: Row) -> Optional[str]:
    scale, m, seq = words.argument(t["other"], "global_parameter_scale"), _model(t["model"]), int(number(t["seq"], 0))
    return f"maxtext_scaled({scale}, {seq})" if scale else f"{m.name}({seq})" if m else None


@dataclass
class Mesh:
    chips: float
    tp: float
    cp: float
    fsdp: float
    data: float


def _mesh(t: Row) -> Mesh:
    """A parallelism of a slice; arguments that are not given have MaxText's defaults: 1, and -1 (what is left) for
    fsdp. Two names for one thing: its transpose too cuts parameters. Devices of TPU7x are halves of chips: two of them
    are one of ours, of replicas first."""
    def of_slice(name: str, otherwise: float) -> float:
        value = words.argument(t["mesh"], f"ici_{name}_parallelism")
        return number(value, 0) if value else otherwise
    slices, halves = t.number("slices") if t.has("slices") else 1, "TPU7x" in t["chip"]
    transpose = of_slice("fsdp_transpose", 1)
    m = Mesh(t.number("chips"), of_slice("tensor", 1), of_slice("context", 1),
             of_slice("fsdp", 1 if transpose < 0 else -1), of_slice("data", 1))
    if halves and math.fmod(m.data, 2) == 0:
        m.data /= 2
    elif halves and m.fsdp > 0:
        m.fsdp /= 2
    if m.fsdp < 0 or transpose < 0:
        m.fsdp = m.chips / slices / (m.tp * m.cp * m.data)
    else:
        m.fsdp *= transpose
    m.data *= slices
    return m


def _kept(t: Row) -> str:
    """What is not computed again: the tensors that a custom policy keeps or offloads."""
    kept = ["query_proj"] if t["remat"] == "qkv_proj_offloaded" else []
    kept += [name for name in ("query_proj", "context", "out_proj", "mlpwi")
             if words.argument(t["other"], name) in ("device", "offload")]
    return "[" + ", ".join(map(words.quoted, kept)) + "]"


def _machine(t: Row) -> Optional[str]:
    return "7x" if "TPU7x" in t["chip"] else words.machine(t["chip"])


def _batch(t: Row) -> float:
    if t.has("global_batch"):
        return t.number("global_batch")
    return t.number("per_device_batch") * t.number("chips") * (2 if "TPU7x" in t["chip"] else 1)


def _lacks(t: Row, m: Mesh) -> Optional[str]:
    if not t["mesh"] and not t["remat"]:
        return "its arguments are not stated"
    if not _call(t):
        return "a model that std has not"
    if not _machine(t):
        return "a chip that std has not"
    if not words.recipe(t["precision"]):
        return "a number format that std has no recipe for"
    if not number(t["seq"], 0) > 0 or not _batch(t) > 0 or not m.chips > 0:
        return "batch, sequence or chips not stated"
    if m.tp * m.cp * m.fsdp * m.data != m.chips or remainder(_batch(t), m.fsdp * m.data) != 0:
        return "mesh or batch do not multiply to what is printed"
    return None


def tpu(c: Context, t: Row) -> Step:
    m = _mesh(t)
    step = Step(t, f"{t['model']} {t['chip']} x{t['chips']} {t['precision']} {t['remat']}, batch {whole(_batch(t))}, "
                f"seq {t['seq']}", t["chip"], t.number("step_s"), missing=_lacks(t, m))
    if not step.measured > 0 and t.has("tflops_chip"):
        step.rate = t.number("tflops_chip") * 1e12
    if not step.missing and not step.measured > 0 and not step.rate > 0:
        step.missing = "no time and no rate"
    if step.missing:
        return step
    step.give(model=_call(t), machine=f"machine_{_machine(t)}", recipe=words.quoted(words.recipe(t["precision"]) or ""),
              kept=_kept(t), chips=whole(m.chips), tp=whole(m.tp), cp=whole(m.cp), fsdp_chips=whole(m.fsdp),
              data=whole(m.data), micro=whole(_batch(t) / (m.fsdp * m.data)))
    return step
