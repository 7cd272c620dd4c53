"""Pairs of runs that differ in one thing, described in words."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

import words
from published import MORE_RECOMPUTED, remainder
from step import COMPARED, REFERENCE, Context, Step
from table import Row, number
from words import Model, quoted, whole


def _number_after(text: str, word: str) -> float:
    """The number behind a word, "TP" in "GBS4 TP2 PP1"; 0: not there. Longer words that end so are others: "VPP5"
    states no PP."""
    m = re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?=\d)", text)
    return number(text[m.end():]) if m else 0


def _stated(t: Row, word: str) -> float:
    """Of the case, else of what all cases share."""
    in_case = _number_after(t["case"], word)
    return in_case if in_case > 0 else _number_after(t["config"], word)


@dataclass
class Setting:
    gpus: float
    seq: float
    tp: float
    pp: float
    vp: float
    cp: float
    ep: float
    micro: float
    batch: float
    machine: Optional[str]
    recipe: str
    model: Optional[Model]
    torchtitan: bool


def _recipe(t: Row) -> str:
    """The format in words of the case or of the setting."""
    for text in (t["case"], t["config"]):
        for word in ("NVFP4", "MXFP8", "BF16", "bf16", "fp8"):
            if word in text:
                return "fp8_block" if "fp8 block" in text else words.recipe(word) or "bf16"
    return "bf16"


def _setting(t: Row) -> Setting:
    # a GPU that is told by its memory alone: PyTorch sees 184 GiB on a GB200, 178 on a B200
    machine = "gb200" if "Blackwell, 184 GiB" in t["gpu"] else words.machine(t["gpu"])
    s = Setting(t.number("gpus"), _stated(t, "seq"), _stated(t, "TP"), _stated(t, "PP"), _stated(t, "VPP") or 1,
                _stated(t, "CP") or 1, _stated(t, "EP"), _stated(t, "MBS"), _stated(t, "GBS"), machine, _recipe(t),
                words.named_model(t["model"]), "torchtitan" in t["source"])
    if s.torchtitan and _stated(t, "FSDP") == s.gpus:
        s.tp = s.pp = 1
        s.micro, s.batch = _stated(t, "local batch "), _stated(t, "global batch ")
    return s


def _lacks(s: Setting, t: Row) -> Optional[str]:
    if not s.model:
        return "a model that std has not"
    if not t["gpu"] or not s.gpus > 0:
        return "GPU or number of GPUs not stated"
    if not s.machine:
        return "a gpu that std has not"
    if "Megatron-Bridge" not in t["source"] and not s.torchtitan:
        return "a framework that has no profile"
    if not s.micro > 0 or not s.batch > 0 or not s.seq > 0:
        return "batch, micro-batch or sequence not stated"
    if not s.tp > 0 or not s.pp > 0 or (s.model.top and not s.ep > 0):
        return "degrees not stated"
    ranks = s.tp * s.pp * s.cp
    if remainder(s.gpus, ranks) != 0 or remainder(s.batch, s.gpus / ranks * s.micro) != 0:
        return "degrees or batch do not multiply to what is printed"
    return None


def _give_case(t: Row, step: Step) -> Optional[str]:
    """What the case switches. None, or why no plan can."""
    effect, case = t["effect"], t["case"]
    if effect == "recompute_modules":
        if case != "none":
            step.give(again="[" + ", ".join(map(quoted, case.split("+"))) + "]")
    elif effect == "quantization_fp4":
        layers = re.search(r"NVFP4 in layers 0-(\d*)", t["config"])
        if layers and "NVFP4" in case:
            step.give(first=int(layers[1] or 0) + 1)
    elif effect == "ep_overlap":
        step.give(beside=case == "on")
    elif effect not in ("layout", "long_context"):
        return "what it switches is no parameter of the plan"
    return None


def _give_all(t: Row, s: Setting, m: Model, step: Step) -> None:
    step.give(model=f"{m.name}({whole(s.seq)})", machine=f"machine_{s.machine}", kind=quoted(s.machine or ""),
              framework="torchtitan" if s.torchtitan else "megatron_bridge", recipe=quoted(s.recipe),
              family=quoted(m.name))
    if s.torchtitan:
        step.ladder = MORE_RECOMPUTED
    step.give(gpus=whole(s.gpus), layers=m.layers, tp=whole(s.tp), pp=whole(s.pp), cp=whole(s.cp),
              chunks=whole(s.vp if s.pp > 1 else 1), micro=whole(s.micro), **{"global": whole(s.batch)})
    if not m.top:
        return
    if "HybridEP" in t["config"]:
        step.give(exchange='"hybrid_ep"')
    if "CUDA graph scopes moe_router+moe_preprocess" in t["config"]:
        step.give(captured='"router"')
    step.give(experts=True, top=m.top, ep=whole(s.ep))


def _is_measured(t: Row) -> bool:
    return t.has("step_s") or t.has("tflops_gpu") or " tokens/s/GPU" in t["other"]


def _read_measured(t: Row, s: Setting, step: Step) -> None:
    """Step time, or the rate that stands for it: FLOP/s, or tokens a second and GPU in words."""
    step.measured = t.number("step_s")
    if not step.measured > 0 and t.has("tflops_gpu"):
        step.rate = t.number("tflops_gpu") * 1e12
    tokens = re.search(r"(\d*) tokens/s/GPU", t["other"])
    if not step.measured > 0 and not step.rate > 0 and tokens:
        rate = float(tokens[1] or 0) * s.gpus
        step.measured = s.batch * s.seq / rate if rate else 0


def pairs(c: Context, t: Row) -> Step:
    s = _setting(t)
    step = Step(t, f"{t['effect']} of {t['model']}, {t['case']}", f"{t['effect']} of {t['model']}, {t['config']}",
                effect=True)
    _read_measured(t, s, step)
    alike = [r for r in t.table if all(r[name] == t[name] for name in ("effect", "model", "config"))]
    # the first that has a measurement is what others stand against
    step.side = COMPARED if any(_is_measured(r) for r in alike if r.index < t.index) else REFERENCE
    if len(alike) == 1:
        step.missing = "one case of its setting alone"
    elif not step.measured > 0 and not step.rate > 0:
        step.missing = "no time, rate or tokens a second"
    else:
        step.missing = _lacks(s, t)
    step.missing = step.missing or _give_case(t, step)
    if not step.missing and s.model:
        _give_all(t, s, s.model, step)
    return step
