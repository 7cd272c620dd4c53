"""One row: its plan compiled with its parameters, and played."""
from __future__ import annotations

import math
import re
from typing import Any, Optional

import trainspec
from step import Answer, Context, Kind, Set, Step

_NAME_OR_SIGNS = re.compile(r"[A-Za-z_][\w.]*|.*[\"()\[\]{}].*", re.S)


def value(expression: str) -> "int | float | str":
    """As Python gives a parameter an expression of the language."""
    for kind in (int, float):
        try:
            return kind(expression)
        except ValueError:
            pass
    return expression if _NAME_OR_SIGNS.fullmatch(expression) else f"({expression})"


def load(c: Context, plan: str, given: dict[str, str]) -> trainspec.Plan:
    """The plans are ours: data may be links to anywhere."""
    return trainspec.load(c.source / "tests" / "accuracy" / "plans" / plan, {n: value(e) for n, e in given.items()},
                          import_dirs=c.data, read_dirs="/", stdlib=str(c.source / "stdlib"))


def said(e: trainspec.Error) -> str:
    return "".join(m.rendered for m in e.messages)


def kind_of(report: dict[str, Any]) -> Kind:
    """Of the words "NeMo, h100_sxm, 8 bits, experts, several nodes"."""
    *who, bits, experts, nodes = report["how_sure"]["kind"].split(", ")
    *framework, gpu = who if len(who) > 1 else [*who, ""]
    name = ", ".join(framework)
    return Kind("" if name == "framework not stated" else name, gpu, int(bits.split()[0]), experts == "experts",
                nodes == "several nodes", report["plan"].get("parameters") or 0)


def memory_of(report: dict[str, Any], rank: int) -> dict[str, Any]:
    """Of a rank that is the lowest of those like it."""
    return next(k["memory"] for k in report["classes"] if k["rank"] == rank)


def memory_reach(report: dict[str, Any], fullest: dict[str, Any]) -> tuple[float, float]:
    """Logarithms of how far the interval of memory reaches below and above it, without what libraries hold besides."""
    sure, held, figure = report["how_sure"].get("peak_memory"), fullest["reserved_bytes"], fullest["peak_bytes"]
    if not sure or not figure:
        return math.nan, math.nan
    return math.log(figure / (sure["low_bytes"] - held)), math.log((sure["high_bytes"] - held) / figure)


def _seconds(step: Step, r: trainspec.Result, report: dict[str, Any]) -> float:
    if not step.unsynchronised:
        return report["step_time_ps"] * 1e-12
    longest = 0.0
    for k in report["classes"]:
        longest = max(longest, k["end_ps"] - round(r.start(k["rank"]) * 1e12))
    return longest * 1e-12


def _answer(step: Step, r: trainspec.Result) -> Answer:
    report = r.json
    plan, first = report["plan"], r.rank(0).like
    of = lambda classes: [k for k in classes if step.any_rank or k["rank"] == first]
    fullest = memory_of(report, r.fullest_rank)
    predicted, sure = _seconds(step, r, report), report["how_sure"].get("step_time")
    share = lambda bound: predicted * (sure[bound] / report["step_time_ps"]) if sure else 0.0
    below, above = memory_reach(report, fullest)
    world = plan["ranks"]
    tokens = plan.get("tokens_per_step") or plan.get("samples_per_step") or 0
    return Answer(
        predicted, max(k["memory"]["peak_bytes"] for k in of(report["classes"])),
        max((k["reserved_bytes"] for k in of(report.get("allocator", []))), default=0),
        6.0 * (plan.get("parameters") or 0) * tokens / world, (plan.get("model_flop_per_step") or 0) / world,
        share("low_ps"), share("high_ps"), below, above, report["how_sure"]["spread"], kind_of(report),
        fullest["limit_bytes"] is not None and fullest["over_bytes"] > 0.5 * fullest["limit_bytes"])


def _once(c: Context, plan: str, step: Step, given: dict[str, str]) -> "Answer | str":
    try:
        loaded = load(c, plan, given)
    except trainspec.Error as e:
        return said(e)
    allocator = None if not math.isfinite(step.memory) else "caching:streams" if step.pools else "caching"
    try:
        return _answer(step, loaded.run(allocator=allocator))
    except trainspec.Error as e:
        return e.errors[0].text


def predict(c: Context, a: Set, step: Step, extra: "Optional[dict[str, str]]" = None) -> "Answer | str":
    """Of the plan of a row, with `extra` parameters after its own; or why there is none."""
    given = {**step.given, **(extra or {})}
    answer = _once(c, a.plan, step, given)
    for recompute in step.ladder:
        if isinstance(answer, str) or not answer.over:
            break
        answer = _once(c, a.plan, step, {**given, "recompute": recompute})
    return answer
