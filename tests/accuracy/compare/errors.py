"""stdlib/accuracy/errors.ts: how far predictions were off, from the rows of the sets that no fit had."""
from __future__ import annotations

from collections.abc import Iterator

from coverage import FIGURE, FRAMEWORK, GPU, LADDER, MEMORY, STEP, Coverage, Origin, Reach, Seen, enough

_HEAD = """\
// How far predictions were off: written by `./dev accuracy --errors`, from the rows of its sets that
// no fit had. Nothing here is written by hand; errors_chosen.ts has what is.
//
// `spreads`: of figures by themselves, the root of the mean square of log(measured / predicted).
// `runs`: by how many spreads of their own (doc/reports.md, "How sure") runs lay below and above what
// was predicted, so that 80 % of them lie between; the first line that holds for a plan counts. Lines of
// steps that leave the framework, the GPU or the format open are for those that no run had. `apart`: the
// mean of both sides among the kind's own rows, which two plans of one kind take. Rows of a group have
// model and machine in common.
import std.accuracy.errors_chosen

let errors = {
  experts: families_of_experts,
  chosen: chosen_spreads,
  spreads: [
"""


def _kinds(v: Coverage, what: str, by: "tuple[str, ...]") -> "list[Seen]":
    """A row of each kind, in the order in which they came."""
    first: "dict[object, Seen]" = {}
    for s in v.seen[what]:
        if s.calibrates:
            first.setdefault(s.key(by), s)
    return list(first.values())


def _rows(r: Reach) -> str:
    return f"rows: {r.rows}, groups: {r.configurations} }},\n"


def _runs(v: Coverage, what: str) -> Iterator[str]:
    for by in LADDER:
        for s in _kinds(v, what, by):
            few = what == STEP and by == LADDER[0]  # what was seen a few times takes what its neighbours have
            r = v.nearest(s) if few else v.reach(s, by, unseen=True)
            if not few and not enough(r, s, by):
                continue
            given = {name: getattr(s.kind, name) for name in by}
            words = "".join(f', {name}: "{x}"' if name in (FRAMEWORK, GPU) else f", {name}: {str(x).lower()}"
                            for name, x in given.items())
            yield f'    {{ quantity: "{what}"{words}, below: %.3g, above: %.3g, apart: %.3g, ' % (
                r.below, r.above, r.apart) + _rows(r)


def _spread(of: Origin, r: Reach) -> str:
    kernels = of.of == "kernels"
    words = f'    {{ of: "{of.of}", {"basis" if kernels else "model"}: "{of.basis}"'
    for name, value in (("family" if kernels else "file", of.name), ("dtype", of.dtype)):
        words += f', {name}: "{value}"' if value else ""
    words += (", between: true" if of.between else "") + (f", kib: {of.kib}" if of.kib else "")
    return words + ", spread: %.3g, " % min(3, r.spread) + _rows(r)


def text(v: Coverage) -> str:
    spreads = (_spread(s.of, v.reach(s, ())) for s in _kinds(v, FIGURE, ()) if s.of)
    return "".join([_HEAD, *spreads, "  ],\n  runs: [\n", *_runs(v, STEP), *_runs(v, MEMORY), "  ],\n}\n"])
