"""What devices hold at most, against published figures."""
from __future__ import annotations

from typing import Optional

import predict
import trainspec
from figures import Point
from result import BYTES, PLAIN, Result
from step import GIB, Context
from table import Row, read

STATE, ACTIVATIONS = "parameters, gradients, optimizer", "activations"


def _held(c: Context, t: Row, recompute: str, sequence_parallel: bool) -> "Optional[dict[str, float]]":
    """Bytes of rank 0 at its peak, of the plan of the Megatron papers. None: it cannot be compiled."""
    batch = t.number("micro_batch") * t.number("pp") * (2 if t.number("vp") > 1 else 1) * 2
    flag = lambda on: "true" if on else "false"
    given = {"layers": t["layers"], "hidden": t["hidden"], "heads": t["heads"], "tp": t["tp"], "pp": t["pp"],
             "chunks": t["vp"], "micro": t["micro_batch"], "seq": t["seq"], "global": "%.0f" % batch,
             "sequence_parallel": flag(sequence_parallel), "recompute_all": flag(recompute == "full"),
             "recompute_attention": flag(recompute.startswith("selective"))}
    try:
        held = predict.load(c, "megatron_a100.ts", given).run().rank(0).at_peak
    except trainspec.Error as e:
        if c.verbose:
            print(predict.said(e), end="")
        return None
    return {STATE: held["parameters"] + held["gradients"] + held["optimizer"], ACTIVATIONS: held["activations"]}


def _published(c: Context, result: Result) -> None:
    rows = read(c.data / "e2e/published_memory.csv")
    if rows is None:
        result.note("skipped", "there is no e2e/published_memory.csv")
        return
    points: "dict[str, list[Point]]" = {STATE: [], ACTIVATIONS: [], "%": []}
    left = 0
    for t in rows:
        share, quantity, value = t["unit"] == "%", t["quantity"], t.number("value")
        held = _held(c, t, t["recompute"], t["seq_parallel"] == "1")
        whole = _held(c, t, "none", False) if share and held else held
        if not held or not whole:
            left += 1
            continue
        of = ACTIVATIONS if quantity == "activations" else STATE
        found = 100 * held[ACTIVATIONS] / whole[ACTIVATIONS] if share else held[of] / GIB
        if c.verbose:
            print("    %-6s %-22s sp %s  %-40s %8.2f %-4s predicted %8.2f"
                  % (t["model"], t["recompute"], t["seq_parallel"], quantity, value, t["unit"], found))
        unit = 1 if share else GIB
        name = f"{t['model']}, {t['recompute']}, {quantity}"
        points["%" if share else of].append(Point(name, found * unit, value * unit))
    part = result.part("Korthikanti et al.", BYTES)
    part.drawn = True
    part.add(STATE, points[STATE])
    part.add(ACTIVATIONS, points[ACTIVATIONS])
    result.part("Korthikanti et al., shares", PLAIN).add("activations against no savings", points["%"])
    if left:
        result.note("left out", f"{left} rows: no such plan")


def _profiled(c: Context, result: Result) -> None:
    """What a recording of a small model's step holds by category, as shares of its peak: the plan of that run is not
    stated, so only its shape is reported."""
    rows = read(c.data / "e2e/nanotron_memprofile.csv")
    if not rows:
        result.note("skipped", "there is no e2e/nanotron_memprofile.csv")
        return
    peak = max(rows, key=lambda t: t.number("total_gb"))
    shares = "".join(", %s %.0f %%" % (name, 100 * peak.number(name) / peak.number("total_gb"))
                     for name in ("parameter_gb", "gradient_gb", "optimizer_state_gb", "activation_gb"))
    of = lambda name: peak.number(name) / peak.number("parameter_gb")
    result.note("nanotron_memprofile", "peak %.1f GB%s; gradients are %.2f, optimizer states %.2f times the parameters "
                "(batch and sequence are not stated: no plan to compare with)"
                % (peak.number("total_gb"), shares, of("gradient_gb"), of("optimizer_state_gb")))


def report(c: Context) -> None:
    title = "what devices hold at most, against published figures"
    result = c.result("memory", title, "Korthikanti et al. (arXiv 2205.05198), tables and figures of memory; the "
                      "Ultra-Scale Playbook (Hugging Face, 2025)")
    print(f"memory: {title}")
    _published(c, result)
    _profiled(c, result)
    result.note("see also", "nanotron, zero_bubble: their rows have measured memory")
    result.show()
    print()
