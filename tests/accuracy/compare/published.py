"""Published runs: from the words of a table to parameters of plans/published.ts. A row that lacks what it needs says
so. Three things that sources leave open are assumed, and the report says so: where recomputation of experts is not
stated, the least of none, every second layer and all that fits in memory; a micro-batch of 1 for the papers of 2021 and
2022; torchtitan's pipelines cut a batch into as many parts as stages."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Optional

import words
from step import GIB, Context, Step
from table import Row
from words import BY_NAME, SIZES_GPT, SIZES_LLAMA, SIZES_MPT, Model, Source, quoted, whole

MORE_RECOMPUTED = ('"selective"', '"full"')


def _is_eager(t: Row) -> bool:
    return "no torch.compile" in t["other"]


def call_of(t: Row, m: Model) -> Optional[str]:
    """None: neither named nor sized."""
    eager, sizes = _is_eager(t), f"layers: {t['layers']}, hidden: {t['hidden']}, heads: {t['heads']}"
    # torchtitan's gate and value are a product each: what its recomputation by op keeps depends on it
    own = m.sizes == SIZES_LLAMA and "torchtitan" in t["source"] and not t.number("tp") > 1
    apart = ", apart: true" if own else ""
    sized = t["layers"] and t["hidden"] and t["heads"]
    if sized and m.sizes == SIZES_MPT:
        return f"mpt({sizes}, seq: {t['seq']}, vocab: {t['vocab'] or '50368'})"
    if sized and m.sizes == SIZES_GPT:
        return f"gpt({sizes}, vocab: {t['vocab'] or '51200'}, seq: {t['seq']})"
    if sized and m.sizes == SIZES_LLAMA and t["ffn"] and t["vocab"]:
        return (f"{'eager_' if eager else ''}llama({sizes}, kv_heads: {t['kv_heads'] or t['heads']}, ffn: {t['ffn']}, "
                f"vocab: {t['vocab']}, seq: {t['seq']}{apart}{', whole: true' if eager else ''})")
    return m.call.replace("{}", t["seq"] + apart) if m.call else None


@dataclass
class Run:
    """One run, and what it makes of the table's numbers."""
    model: Optional[Model]
    source: Optional[Source]
    machine: Optional[str]
    recipe: Optional[str]
    gpus: float = 0
    cp: float = 0
    replicas: float = 0
    micro: float = 0
    batch: float = 0

    def group(self, word: str) -> bool:
        return self.source is not None and word in self.source.group


def _lacks_names(t: Row, r: Run) -> Optional[str]:
    if not r.source:
        return "a framework that has no profile"
    if not r.model or not call_of(t, r.model):
        return "a model whose sizes are not public"
    if not r.machine:
        return "a gpu that std has not"
    if not r.recipe:
        return "a number format that std has no recipe for"
    if not t.has("gpus") or not t.has("tp") or not t.has("pp") or not t["seq"]:
        return "degrees or sequence not stated"
    return None


def _read_batch(t: Row, r: Run, step: Step) -> None:
    """The batch where it is stated or follows: torchtitan does not accumulate, so its batch is one a replica, cut into
    as many parts as stages."""
    titan = r.group("torchtitan")
    r.gpus, r.cp = t.number("gpus"), t.number("cp") if t.has("cp") else 1
    r.micro, r.batch = t.number("micro_batch"), t.number("global_batch")
    r.replicas = math.floor(r.gpus / (t.number("tp") * t.number("pp") * r.cp))
    if not r.batch > 0 and titan and r.micro > 0:
        r.batch = r.micro * r.replicas
    if not step.measured > 0 and r.batch > 0 and t.has("tok_s_gpu"):
        step.measured = r.batch * t.number("seq") / (t.number("tok_s_gpu") * r.gpus)
    if not r.micro > 0 and titan and t.number("pp") > 1 and r.batch > 0:
        r.micro = r.batch / r.replicas / t.number("pp")
    if not r.micro > 0 and r.group("papers"):
        r.micro = 1


def _lacks_numbers(t: Row, r: Run, step: Step) -> Optional[str]:
    """Experts lie over ranks of tp and cp, and over a part of the replicas."""
    if not r.batch > 0 or not step.measured > 0 or not r.micro > 0:
        return "batch, micro-batch or time not stated"
    spread = t.number("ep") * (t.number("etp") if t.has("etp") else 1) if r.model and r.model.top and t.has("ep") else 1
    part = max(1, math.floor(spread / (t.number("tp") * r.cp)))
    if (r.replicas * t.number("tp") * t.number("pp") * r.cp != r.gpus
            or remainder(r.batch, r.replicas * r.micro) != 0 or remainder(r.replicas, part) != 0):
        return "degrees or batch do not multiply to what is printed"
    return None


def remainder(x: float, y: float) -> float:
    return math.fmod(x, y) if y else math.nan


def give_degrees(t: Row, step: Step, m: Model) -> None:
    """Parameters of degrees and experts, which all tables name alike."""
    step.give(gpus=t["gpus"], layers=t["layers"] if t["layers"] and m.sizes != BY_NAME else m.layers,
              **{name: t[name] or "1" for name in ("tp", "pp", "cp")},
              chunks=(t["vp"] or "1") if t.number("pp") > 1 else "1")
    if m.top:
        step.give(experts=True, top=m.top, ep=t["ep"] or "1", etp=t["etp"] or "1")


def _release_of(text: str) -> str:
    """26.04 as it is, 26.04.01 as 26.0401."""
    numbers = re.findall(r"\d+", (re.match(r"[\d.]*", text) or [""])[0]) + ["0"] * 3
    return "%d.%02d%02d" % tuple(map(int, numbers[:3]))


def _recompute_of(cell: str, r: Run, compiled: bool) -> str:
    """torchtitan's "selective" is by op: it keeps what every second product made."""
    if "full" in cell:
        return "full"
    if r.group("papers"):
        return "attention"
    if "selective" not in cell:
        return "none"
    return "selective" if not r.group("torchtitan") else "ops" if compiled else "ops_eager"


def published(c: Context, t: Row) -> Step:
    r = Run(words.model(t["model"]), words.source(t["source"]), words.machine(t["gpu"]), words.recipe(t["precision"]))
    group = r.source.group if r.source else "other"
    who = r.source.framework if r.source else "?"
    step = Step(t, f"{who} {t['model']} {t['gpu']} x{t['gpus']} {t['precision']} tp "
                f"{t['tp']} pp {t['pp']} x {t['vp'] or '1'} cp {t['cp'] or '1'} ep {t['ep'] or '1'}, micro-batch "
                f"{t['micro_batch']}, batch {t['global_batch']}, seq {t['seq']}",
                {"NVIDIA": f"NVIDIA {r.recipe or '?'}", "llm-foundry": f"llm-foundry {t['gpu']}"}.get(group, group),
                t.number("step_s_derived"), memory=t.number("mem_gib") * GIB if t.has("mem_gib") else math.nan,
                any_rank=True, pools=group == "torchtitan")
    step.missing = _lacks_names(t, r)
    if not step.missing:
        _read_batch(t, r, step)
        step.missing = _lacks_numbers(t, r, step)
    if not step.missing:
        _give(t, r, step)
    return step


def _give(t: Row, r: Run, step: Step) -> None:
    assert r.model and r.source and r.machine and r.recipe
    pure = r.group("llm-foundry") and "PURE" in t["other"]
    step.give(model=call_of(t, r.model), machine=f"machine_{r.machine}",
              framework="llm_foundry_pure" if pure else r.source.framework, recipe=quoted(r.recipe))
    release = t["source"].partition("release ")
    if release[1]:
        step.give(release=_release_of(release[2]))
    step.give(family=quoted(r.model.name), kind=quoted(r.machine))  # as the recipes of std.frameworks ask for it
    if "tokendrop" in t["other"]:
        step.give(bounded=True)
    if t["recompute"] or r.group("papers"):
        step.give(recompute=quoted(_recompute_of(t["recompute"], r, not _is_eager(t))))
    elif r.model.top and r.source.framework != "megatron_bridge":
        step.ladder = MORE_RECOMPUTED
    sharding = "zero2" if "zero2" in t["sharding"] else "fsdp" if "fsdp" in t["sharding"] else ""
    if sharding:
        step.give(sharding=quoted(sharding))
    give_degrees(t, step, r.model)
    if r.group("papers"):
        step.give(sequence=t["seq_parallel"] == "1")
    step.give(micro=whole(r.micro), **{"global": whole(r.batch)})
    if t.number("pp") > 1 and t.has("hidden"):  # 16 bits, split over tp by sequence parallelism, and cp
        size = 2 * r.micro * t.number("seq") * t.number("hidden") / (t.number("tp") * r.cp)
        step.give(message=f"{whole(size)} B")
    # Rows of one configuration are together, whatever release they are of: constants of std that are learned from
    # published runs are fitted to the other half (`accuracy --fit`). By model, machine and degrees.
    step.validation = words.half(step.name[step.name.index(" "):])


# ---- MLPerf ----

def _flag(flags: str, name: str) -> str:
    return words.argument(flags, name, ";*")


def _is_on(flags: str, *names: str) -> bool:
    return any(_flag(flags, name) in ("1", "True", "true") for name in names)


def _lacks(t: Row, m: Optional[Model]) -> Optional[str]:
    if t["benchmark"].startswith("flux"):
        return "an image model without sizes"
    if not m:
        return "a model that std has not"
    if not words.machine(t["gpu"]):
        return "a gpu that std has not"
    if t["includes_eval"] == "1":
        return "its step holds evaluation too"
    if (not all(map(t.has, ("tp", "pp", "cp", "micro_batch", "global_batch", "gpus"))) or not t["seq"]
            or not t["precision"] or not words.recipe(t["precision"])):
        return "its configuration is not known"
    replicas = t.number("gpus") / (t.number("tp") * t.number("pp") * t.number("cp"))
    if (remainder(t.number("global_batch"), replicas * t.number("micro_batch")) != 0
            or replicas != math.floor(replicas)):
        return "degrees or batch do not multiply to what is printed"
    return None


def _give_exchange(flags: str, machine: str, step: Step) -> None:
    """Who sends tokens to experts, what goes on beside, what is recomputed."""
    modules = _flag(flags, "RECOMPUTE_MODULES")
    step.give(kind=quoted(machine))
    if "hybridep" in flags:
        step.give(exchange='"hybrid_ep"')
    if _is_on(flags, "OVERLAP_MOE_EXPERT_PARALLEL_COMM"):
        step.give(beside=True)
    if modules and "," not in modules:
        step.give(again=f'["{modules}"]')


def mlperf(c: Context, t: Row) -> Step:
    m, flags = words.model(t["benchmark"]), t["flags"]
    machine, recipe = words.machine(t["gpu"]), words.recipe(t["precision"])
    step = Step(t, f"{t['version']} {t['submitter']} {t['gpu']} x{t['gpus']} {t['benchmark']} {t['precision']} tp "
                f"{t['tp']} pp {t['pp']} x {t['vp'] or '1'} cp {t['cp']}, micro-batch {t['micro_batch']}, batch "
                f"{t['global_batch']}", t["benchmark"], t.number("step_s"), missing=_lacks(t, m))
    if step.missing or not m or not machine or not recipe:
        return step
    # not in parts with the products, but beside those that do not need them
    overlaps = _flag(flags, "TP_COMM_OVERLAP")
    nemo = 'nemo with { tensor = "stream" }' if overlaps and not _is_on(flags, "TP_COMM_OVERLAP") else "nemo"
    step.give(model=call_of(t, m), machine=f"machine_{machine}", recipe=quoted(recipe),
              framework="maxtext" if "TPU" in t["gpu"] else "deepspeed" if "deepspeed" in flags else nemo)
    if "recompute=full" in flags:
        step.give(recompute='"full"')
    if m.top:
        _give_exchange(flags, machine, step)
    give_degrees(t, step, m)
    if (_is_on(flags, "MCORE_CUDA_GRAPH", "LAYER_CUDA_GRAPH", "FULL_CUDA_GRAPH")
            or "full-iteration CUDA graph" in flags):
        step.give(graphs=True)
    if t.number("cp") > 1 and t.number("tp") == 1 and t.number("pp") == 1:
        step.give(heads=True)
    step.give(micro=t["micro_batch"], **{"global": t["global_batch"]})
    step.kind = f"{machine}, {t['version']}, {recipe}"
    step.series = f"{t['submitter']}, {machine}, {t['benchmark']}, {recipe}"
    step.size = t.number("gpus")
    return step
