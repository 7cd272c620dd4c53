"""Sets whose columns are their parameters: runs of one framework or paper, collectives inside a node, SimuMax."""
from __future__ import annotations

import math
from typing import Optional

import words
from step import COMPARED, GIB, REFERENCE, Context, Step
from table import Row


# ---- nanotron on H100 ----

def _nanotron(t: Row) -> Optional[Step]:
    if t["status"] != "ok" or not t.number("step_s") < 100 or t["gbs_matches_1m"] != "1":
        return None
    step = Step(t, f"{t['model_b']}B tp {t['tp']} dp {t['dp']} pp {t['pp']} micro-batch {t['micro_batch']} x "
                f"{t['grad_acc']} zero {t['zero']}", t["model_b"], t.number("step_s"), memory=t.number("mem_gb") * GIB)
    step.give(kv_heads=t["kv_heads_implied"] or t["heads"])
    return step


def nanotron_single(c: Context, t: Row) -> Optional[Step]:
    """Whole models are fitted or validated on: the rows of one resemble one another."""
    step = _nanotron(t) if t.number("nodes") == 1 else None
    if step:
        step.validation = t["model_b"] not in ("1.34", "8.86")
    return step


def _stalled(t: Row) -> bool:
    """Runs with pipelines between nodes come in two modes. In one of them a message between stages costs the host a
    quarter of a second, whatever the model: a slot of the pipeline takes 0.5 s (two stages) or 1 s (more) besides its
    arithmetic. All of them on 64 nodes are of that mode. On fewer nodes nothing but its measured time tells a row's mode:
    it is of that one if its slots take 0.45 s more than their arithmetic at 400 TFLOP/s, which is what the best runs
    reach; no row with eight stages and more lies between 0.3 and 0.7 s. Tensor parallelism over several nodes takes as
    long by itself, so such rows are judged by their nodes alone."""
    sequence, rate, stall = 4096, 400e12, 0.45
    work = 6e9 * t.number("model_b") * sequence * t.number("micro_batch") / (t.number("tp") * t.number("pp")) / rate
    return (t.number("pp") > 1
            and (t.number("nodes") >= 64
                 or (t.number("tp") <= 8
                     and t.number("step_s") / (t.number("grad_acc") + t.number("pp") - 1) > work + stall)))


def _nodes(t: Row, stalled: bool) -> Optional[Step]:
    step = _nanotron(t) if t.number("nodes") > 1 and _stalled(t) == stalled else None
    if step:
        step.validation = t["model_b"] not in ("1.34", "8.86") or (not stalled and t.number("nodes") >= 64)
    return step


def nanotron_multi(c: Context, t: Row) -> Optional[Step]:
    """Validated on models that are not fitted, and on 64 nodes, where none is."""
    return _nodes(t, False)


def nanotron_stalled(c: Context, t: Row) -> Optional[Step]:
    step = _nodes(t, True)
    if step:
        step.give(message="273 ms")
    return step


# ---- Megatron-LM on A100 ----

def _megatron(t: Row, who: str) -> Optional[Step]:
    if who not in t["source"]:
        return None
    sequence = t["seq_parallel"] == "1"
    step = Step(t, f"{t['model']} tp {t['tp']} pp {t['pp']} x {t['vp'] or '1'} dp {t['dp']} batch {t['global_batch']}, "
                f"{t['recompute']}{', sequence parallel' if sequence else ''}", t["model"], t.number("step_s_derived"))
    step.give(chunks=t["vp"] or "1", sequence_parallel=sequence, recompute_all="full" in t["recompute"],
              recompute_attention="selective" in t["recompute"], vocab=t["vocab"] or "51200", layers=t["layers"])
    return step


def korthikanti(c: Context, t: Row) -> Optional[Step]:
    return _megatron(t, "Korthikanti")


def narayanan(c: Context, t: Row) -> Optional[Step]:
    """The power factor comes from here."""
    step = _megatron(t, "Narayanan")
    if step:
        step.validation = False
    return step


def zero_bubble(c: Context, t: Row) -> Optional[Step]:
    """The schedules of the paper run without a barrier between steps (its section 4); 1F1B and its interleaved form
    with Megatron-LM's."""
    reference = t["schedule"].startswith("1F1B")
    step = Step(t, f"{t['model']} on {t['gpus']}, {t['microbatches']} micro-batches of {t['micro_batch']}, "
                f"{t['schedule']}", f"{t['model']} on {t['gpus']}, batch {t['global_batch']}",
                t.number("step_s_derived"), memory=t.number("mem_gb") * GIB, any_rank=True,
                unsynchronised=not reference, side=REFERENCE if reference else COMPARED)
    step.give(kind=words.quoted(t["schedule"]))
    return step


# ---- Papers, vTrain, a layer of experts ----

def own_papers(c: Context, t: Row) -> Step:
    ranks = math.prod(map(t.number, ("inner", "nodes", "tp", "cp", "pp", "dp")))
    return Step(t, f"{t['paper']}, {words.whole(ranks)} GPUs, {t['seq']} tokens", t["paper"],
                t.number("step_s") if t["step_s"] else 0, 1e12 * t.number("tflops") if t["tflops"] else 0)


def vtrain(c: Context, t: Row) -> Step:
    return Step(t, f"h {t['hidden']} L {t['layers']} tp {t['tp']} dp {t['dp']} pp {t['pp']} micro-batch "
                f"{t['micro_batch']} of {t['global_batch']}", f"h {t['hidden']} L {t['layers']}",
                t.number("step_ms") / 1e3)


def vtrain_single(c: Context, t: Row) -> Step:
    """Rows of one (hidden, micro-batch, tp, dp, pp) depend on one another: the fit takes whole groups, those of one of
    the two hidden sizes."""
    step = vtrain(c, t)
    step.group = f"h {t['hidden']}"
    step.validation = t["hidden"] != "1024"
    return step


def moe_layer(c: Context, t: Row) -> Step:
    step = Step(t, t["case"], t["precision"], (t.number("forward_ms") + t.number("backward_ms")) / 1e3)
    exchange = {"deepep": "deep_ep", "hybridep": "hybrid_ep"}.get(t["dispatcher"], "all_to_all")
    step.give(shared=t["shared_expert_ffn"] or "0", fp8=t["precision"] == "fp8", exchange=words.quoted(exchange))
    return step


# ---- collectives inside a node ----

def _collective(t: Row, gpu: str) -> Optional[Step]:
    """Messages of 1 MiB and more. Fitted on every second size, validated on the sizes between. int8 rows repeat the
    half rows of the same bytes."""
    size = t.number("bytes")
    if t["gpu"] != gpu or t["dtype"] != "half" or not size >= 1048576:
        return None
    kind = "all_to_all" if t["collective"] == "alltoall" else t["collective"]
    step = Step(t, f"{kind} of {t['gpus']}, {t['bytes']} B", f"{kind} of {t['gpus']}", t.number("time_us") / 1e6,
                validation=math.floor(math.log2(size) + 0.5) % 2 == 1)
    step.give(kind=words.quoted(kind), size=words.whole(size))
    return step


def nccl_h100(c: Context, t: Row) -> Optional[Step]:
    return _collective(t, "h100_sxm")


def nccl_a100(c: Context, t: Row) -> Optional[Step]:
    return _collective(t, "a100_sxm")


# ---- SimuMax's tables ----

_SIMUMAX = ("llama370b", "llama3405b", "deepseekv2", "deepseekv3")  # models whose sizes the plan has


def _simumax_lacks(t: Row, model: str) -> Optional[str]:
    if model not in _SIMUMAX:
        return "a model whose sizes are not known here"
    if t["precision"] != "bf16":
        return "a precision that their tables have not"
    if not all(t.number(name) >= 1 for name in ("tp", "cp", "pp", "layers", "seq", "micro_batch", "microbatches")):
        return "degrees or sizes not stated"
    return None if t.has("step_ms") else "no measured step"


def simumax(c: Context, t: Row) -> Step:
    model = words.plain(t["model"])
    step = Step(t, t["case"], model, t.number("step_ms") / 1e3, memory=t.number("alloc_max_rank_gib") * GIB,
                any_rank=True, missing=_simumax_lacks(t, model))
    step.give(model=words.quoted(model), ep=t["ep"] or "1", chunks=t["vp"] or "1",
              fused_loss=t["fused_cross_entropy"] == "1")
    return step
