"""Memory of Megatron-LM's regression runs, from their command lines: bytes of the last rank."""
from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

import predict
import trainspec
import workers
from coverage import Coverage
from figures import Point
from result import BYTES, MEDIAN, WITHIN_FIVE, Ask
from step import Context, Kind
from table import Row, read


@dataclass(frozen=True)
class Held:
    allocated: float
    peak: float
    kind: Kind
    reach: "tuple[float, float]"  # of the interval of the peak
    holders: "list[str]"


def _argument(name: str, value: object) -> Iterator[str]:
    """"[a b]" is the list a b; "true" a flag."""
    if value is False:
        return
    yield f"--{name}"
    text = value if isinstance(value, str) else ""
    if isinstance(value, (int, float)) and value is not True:
        text = "%.17g" % value
    if text[:1] == "[" and text[-1:] == "]" and not set("*+") & set(text):
        yield from text[1:-1].split()
    elif text:
        yield text


def _words(t: Row) -> Iterator[str]:
    for name, value in json.loads(t["env_vars"] or "{}").items():
        if isinstance(value, str):
            yield f"{name}={value}"
    yield f"pretrain_{t['kind']}.py"
    for name, value in json.loads(t["args"] or "{}").items():
        yield from _argument(name, value)
    yield from ("--release", t["measured"][:4] + t["measured"][5:7])


def _gpus(t: Row) -> str:
    """Where the row names none: as few as there can be. Replicas hold the same without a distributed optimizer."""
    degree = lambda name: t.number(name) if t.number(name) >= 1 else 1
    if t.number("gpus") >= 1:
        return t["gpus"]
    return "%.0f" % (degree("pp") * degree("tp") * max(degree("cp"), degree("ep")))


def _after_step(r: trainspec.Result, held: dict) -> float:
    """What is held throughout, and what the update has left: PyTorch gives it back when gradients are set to zero, at
    the beginning of the next step."""
    optimizer = [change["optimizer"] for change in r.memory(r.ranks - 1)]
    return held["whole_step_bytes"] + max(0, max(optimizer, default=0) - min(optimizer, default=math.inf))


def _first_error(e: trainspec.Error) -> str:
    """What it says, or for what an importer refuses, why."""
    text = predict.said(e)
    error = text[max(0, text.find("error")):]
    line = lambda mark: error.partition(mark)[2].partition("\n")[0]
    first = error.partition("\n")[0]
    if "^ " in error and "E0237" in first:  # refused by a function, in these words
        return line("^ ")
    return line("= help: ") if "= help: " in error and "not followed" in first else first


def _held(c: Context, t: Row) -> "Held | str":
    """What the plan of a row holds on its last rank, or why there is none."""
    try:
        plan = trainspec.plan_of(list(_words(t)), gpus=_gpus(t), gpu=t["gpu"].lower(), stdlib=str(c.source / "stdlib"))
    except trainspec.Error as e:
        return _first_error(e)
    try:
        r = plan.run()
    except trainspec.Error as e:
        return e.errors[0].text
    report = r.json
    held = predict.memory_of(report, r.rank(r.ranks - 1).like)
    holders = ["        %-40s %9.1f MiB" % (h["label"], h["bytes"] / 2 ** 20) for h in held["holders"][:12]]
    return Held(_after_step(r, held), held["peak_bytes"], predict.kind_of(report),
                predict.memory_reach(report, predict.memory_of(report, r.fullest_rank)), holders)


def _lacks(t: Row) -> str:
    if not t.has("mem_allocated_bytes") or not t.has("mem_peak_bytes"):
        return "no memory in the row"
    if not t.number("gpus") >= 1 and t["dist_optimizer"] == "1":
        return "no number of GPUs in the row, over which the optimizer is dealt out"
    return ""


def _show(t: Row, h: Held) -> None:
    off = lambda found, measured: (measured / 2 ** 20, found / 2 ** 20, 100 * (found / measured - 1))
    print(*h.holders, sep="\n")
    print("    %-60s %-5s %-3s %s %6.1f %6.1f %+6.1f %%  peak %6.1f %6.1f %+6.1f %%"
          % (t["test"], t["gpu"], t["container"], "r" if t["resumed"] == "1" else " ",
             *off(h.allocated, t.number("mem_allocated_bytes")), *off(h.peak, t.number("mem_peak_bytes"))))


def report(c: Context, coverage: Coverage) -> None:
    title = "bytes of the last rank in Megatron-LM's regression runs"
    print(f"megatron_memory: {title}")
    rows = read(c.data / "runs/megatron_ci.csv")
    if rows is None:
        print("  skipped, there is no runs/megatron_ci.csv")
        return
    found = workers.each(rows, lambda t: _lacks(t) or _held(c, t))
    points: "dict[str, list[tuple[str, Point]]]" = {"allocated after a step": [], "peak": []}  # with kinds
    for t, h in zip(rows, found):
        if isinstance(h, str):
            continue
        if c.verbose:
            _show(t, h)
        name, (below, above) = f"{t['test']} on {t['gpu']}", h.reach
        low, high = (h.peak * math.exp(-below), h.peak * math.exp(above)) if math.isfinite(below) else (0, 0)
        for some, point in zip(points.values(), (
                Point(name, h.allocated, t.number("mem_allocated_bytes")),
                Point(name, h.peak, t.number("mem_peak_bytes"), low=low, high=high))):
            some.append((t["kind"], point))
        coverage.memory("megatron_memory", h.kind, h.reach, h.peak, t.number("mem_peak_bytes"))
    result = c.result("megatron_memory", title, "NVIDIA Megatron-LM, tests/functional_tests (github.com, d98e8a64)",
                      (Ask("*", "all", MEDIAN, 2), Ask("*", "all", WITHIN_FIVE, 90)))
    for name, of in points.items():
        part = result.part(name, BYTES)
        for kind in dict.fromkeys(kind for kind, _ in of):
            part.add(kind, [point for k, point in of if k == kind])
        part.add("all", [point for _, point in of])
    part.drawn = True
    reasons = [h for h in found if isinstance(h, str)]
    for reason in dict.fromkeys(reasons):
        result.note("left out", f"{reasons.count(reason)} rows: {reason}")
    result.show()
    print()
