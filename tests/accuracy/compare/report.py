"""The result of a set of steps, from its rows: errors by group, memory, throughput between the rows of a group."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Optional

import factors
from figures import Point, figures_of, median, over
from result import BYTES, PLAIN, SECONDS, Part, Result
from step import COMPARED, GIB, REFERENCE, Answer, Context, Set, Step

GROUPS_LISTED = 16
ENOUGH = 3  # rows of a group, for a rate of its own

TIME, HELD, RESERVED = "predicted", "memory", "reserved"  # members of Answer


def _points(steps: "list[Step]", validation: bool, of: str, group: "Optional[str]" = None) -> "list[Point]":
    """`group` None: all."""
    points = []
    for r in steps:
        a = r.answer
        if not a or r.validation != validation or (group is not None and r.group != group):
            continue
        if of == TIME:
            points.append(Point(r.name, a.predicted, r.measured, a.flops if a.flops > 0 else a.work, 0, a.low, a.high))
        elif r.memory > 0:
            low, high = r.memory_interval if of == HELD else (0, 0)
            points.append(Point(r.name, getattr(a, of), r.memory, 0, 0, low, high))
    return points


def _groups(steps: "list[Step]", validation: bool) -> "list[str]":
    """In the order of their first rows that are predicted."""
    return list(dict.fromkeys(r.group for r in steps if r.answer and r.validation == validation))


def _set_baselines(steps: "list[Step]", validation: bool, points: "list[Point]") -> None:
    """One rate for each kind of run, where it has rows enough for one: else the rate of all."""
    rates = lambda some: [over(p.work, p.measured) for p in some]
    common = median(rates(points))
    own = {g: rates(_points(steps, validation, TIME, g)) for g in _groups(steps, validation)}
    for point, step in zip(points, [r for r in steps if r.answer and r.validation == validation]):
        of_group = own[step.group]
        point.baseline = over(point.work, median(of_group) if len(of_group) >= ENOUGH else common)


def _part(result: Result, steps: "list[Step]", validation: bool, title: str, of: str) -> Optional[Part]:
    """A line for each group where there are several and not too many, and one for all."""
    groups, points = _groups(steps, validation), _points(steps, validation, of)
    if not points:
        return None
    part, listed = result.part(title, SECONDS if of == TIME else BYTES), of == TIME and 1 < len(groups) <= GROUPS_LISTED
    for group in groups if listed else []:
        part.add(group, _points(steps, validation, of, group))
    if listed:
        _set_baselines(steps, validation, points)
    part.add("all", points)
    return part


def _order_within_groups(result: Result, steps: "list[Step]", title: str) -> None:
    """Rank correlation within groups of three rows and more, where these are not listed."""
    groups = _groups(steps, True)
    if len(groups) <= GROUPS_LISTED:
        return
    total, counted = 0.0, 0
    for group in groups:
        order = figures_of(_points(steps, True, TIME, group)).order
        if not math.isnan(order):
            total, counted = total + order, counted + 1
    if counted:
        result.note("order", "%s: %.3f within %d groups, on average" % (title, total / counted, counted))


def _difference(one: Step, a: Answer, other: Step, b: Answer) -> Point:
    """What a case against its reference says: throughput, of which the baseline knows no difference, or by how much
    longer it takes, as a share."""
    predicted, measured = a.predicted / b.predicted, one.measured / other.measured
    name = f"{one.name} against{other.name[other.name.rfind(',') + 1:]}"
    if one.effect:
        return Point(name, predicted - 1, measured - 1)
    return Point(name, 1 / predicted, 1 / measured, 0, 1)


def _relative(result: Result, steps: "list[Step]") -> None:
    """Each that is compared against each reference of its group."""
    points, effects = [], False
    for one in steps:
        for other in steps if one.side == COMPARED and one.answer else []:
            if other.side != REFERENCE or not one.answer or not other.answer or one.group != other.group:
                continue
            p = _difference(one, one.answer, other, other.answer)
            points.append(p)
            effects |= one.effect
            if one.effect:
                result.note("pair", "%s: %+.1f %%, measured %+.1f %%" % (p.name, 100 * p.predicted, 100 * p.measured))
    if points:
        result.part("effects, as shares of the time" if effects else "relative throughput", PLAIN).add("all", points)


def _factors(result: Result, steps: "list[Step]") -> None:
    """With measurements of others of their kind, and of a smaller system."""
    points, alone = factors.leave_one_out(steps)
    if not points:
        return
    result.part("one factor a kind, of its other rows").add("all", points)
    result.note("kinds", "a GPU, release and precision; the factor is the median of measured over predicted of a row's "
                f"others; {alone} rows have no other")
    part = result.part("largest of a series from its smallest")
    part.add("a submitter, GPU, benchmark, precision", factors.largest_from_smallest(steps, False))
    part.add("... and release", factors.largest_from_smallest(steps, True))


def _show(steps: "list[Step]") -> None:
    for r in steps:
        a = r.answer
        if a:
            print("    %-58s %9.4g s  measured %9.4g  %+6.1f %%   memory %5.1f, reserved %5.1f of %5.1f GiB%s"
                  % (r.name, a.predicted, r.measured, 100 * (a.predicted / r.measured - 1), a.memory / GIB,
                     a.reserved / GIB, r.memory / GIB, "" if r.validation else "  (fit)"))


def _count(result: Result, label: str, reasons: "list[str]") -> None:
    for reason in dict.fromkeys(reasons):
        result.note(label, f"{reasons.count(reason)} rows: {reason}")


def _not_predicted(c: Context, result: Result, steps: "list[Step]") -> None:
    """Rows that lack something, by what; rows whose plan does not compile or play, by the first line of the reason, one
    of them whole."""
    _count(result, "not predicted", [r.missing for r in steps if r.missing])
    failed = [r for r in steps if not r.answer and not r.missing]
    first_line: "Callable[[Step], str]" = lambda r: r.why.partition("\n")[0]
    seen: "set[str]" = set()
    for r in failed:
        if first_line(r) not in seen:
            print(f"    no prediction     {r.name}: {r.why}")
        elif c.verbose:
            print(f"    no prediction     {r.name}: {first_line(r)}")
        seen.add(first_line(r))
    _count(result, "no prediction", list(map(first_line, failed)))


def report(c: Context, a: Set, steps: "list[Step]") -> None:
    result = c.result(a.name, a.title, a.sources, a.asks)
    fitted = any(r.answer and not r.validation for r in steps)
    title = "rows not fitted" if fitted else "all rows"
    print(f"{a.name}: {a.title}")
    if c.verbose:
        _show(steps)
    main = _part(result, steps, True, title, TIME)
    if main:
        main.drawn = True
    _order_within_groups(result, steps, title)
    _part(result, steps, True, "peak memory", HELD)
    _part(result, steps, True, "memory the allocator reserves", RESERVED)
    _relative(result, steps)
    _factors(result, steps)
    of_fit = _part(result, steps, False, "rows of the fit", TIME)
    if of_fit:
        of_fit.drawn = not main
    _part(result, steps, False, "rows of the fit, peak memory", HELD)
    _part(result, steps, False, "rows of the fit, reserved", RESERVED)
    for label, text in (("fitted", a.fitted), ("assumed", a.assumed)):
        if text:
            result.note(label, text)
    _not_predicted(c, result, steps)
    result.show()
    print()
