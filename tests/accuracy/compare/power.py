"""Power of nodes at the wall in MLPerf's runs, against the model of energy. Submissions measured watts of whole nodes;
the steps of many are no rows of mlperf_llm.csv. So a run stands beside the row of its benchmark with the nearest number
of the same GPUs, within a factor of 2.5: how busy devices are depends on it."""
from __future__ import annotations

import math
from typing import Optional

import predict
import trainspec
from figures import Point
from result import PLAIN
from sets import SETS
from step import Context, Step
from table import Row, read

FARTHEST = 2.5


def _groups(rows: "list[Row]") -> "list[list[Row]]":
    """Runs of one system and benchmark."""
    groups: "dict[tuple, list[Row]]" = {}
    for t in rows:
        if t.has("node_w_median"):
            groups.setdefault((t["submitter"], t["benchmark"], t.number("gpus")), []).append(t)
    return list(groups.values())


def _step_for(first: Row, steps: "list[Step]") -> Optional[Step]:
    apart = lambda s: abs(math.log(s.size / first.number("gpus")))
    near = [s for s in steps if not s.missing and s.cells["benchmark"] == first["benchmark"]
            and "H100" in s.cells["gpu"] and apart(s) < math.log(FARTHEST)]
    return min(near, key=apart, default=None)


def _watts(c: Context, plan: str, step: Step) -> "tuple[float, float]":
    """W of a device with what serves it, and the share of the step that it computes."""
    try:
        report = predict.load(c, plan, step.given).run().json
    except trainspec.Error:
        return 0, 0
    busy = 0.0
    for k in report["classes"]:
        busy += k["compute"]["total_ps"] * k["ranks"] / (report["step_time_ps"] * report["plan"]["ranks"])
    return report.get("power_watts_per_device") or 0, busy


def report(c: Context) -> None:
    title = "power of nodes at the wall, against the model of energy"
    a = next(s for s in SETS if s.name == "mlperf")
    rows = read(c.data / "runs/mlperf_power.csv")
    steps = a.read(c) if rows is not None and read(c.data / a.csv) else None
    if rows is None or steps is None:
        print(f"power: no runs/mlperf_power.csv or {a.csv} in {c.data}\n")
        return
    result = c.result("power", title, "MLCommons, training results v4.0 and v4.1: power logs of the submitters")
    points, left = [], 0
    print(f"power: {title}")
    for runs in _groups(rows):
        t, medians = runs[0], sorted(r.number("node_w_median") for r in runs)
        measured, step = medians[len(medians) // 2], _step_for(t, steps)
        watts, busy = _watts(c, a.plan, step) if step else (0, 0)
        if not step or not watts > 0:
            left += 1
            continue
        watts *= t.number("gpus") / t.number("nodes")
        points.append(Point("", watts, measured))
        print("  %-16s %s, %4.0f GPUs (as %.0f): %.0f W measured at %s, computing %.1f %%, predicted %.0f W, "
              "%+.1f %%" % (t["submitter"], t["benchmark"], t.number("gpus"), step.size, measured, t["reading"],
                            100 * busy, watts, 100 * (watts / measured - 1)))
    result.part("watts of a node", PLAIN).add("all", points)
    if left:
        result.note("not predicted", f"{left} systems and benchmarks that no row has")
    result.note("fitted", "two constants of std.costs.power, on these rows: what a board draws while it does not compute, "
                "and what of a node is not its boards")
    result.show()
    print()
