"""What measurements of others of a row's kind buy, and of a smaller system."""
from __future__ import annotations

import math
from typing import Optional

from figures import Point, median
from step import Step


def _counts(step: Step, key: Optional[str]) -> bool:
    return bool(step.answer and step.validation and key)


def leave_one_out(steps: "list[Step]") -> "tuple[list[Point], int]":
    """Each by the median of measured over predicted of its kind's others; how many have no other."""
    points, alone = [], 0
    for r in steps:
        if not _counts(r, r.kind):
            continue
        ratios = [math.log(o.measured / o.answer.predicted) for o in steps
                  if o is not r and o.answer and _counts(o, o.kind) and o.kind == r.kind]
        alone += not ratios
        if ratios and r.answer:
            points.append(Point(r.name, r.answer.predicted * math.exp(median(ratios)), r.measured, r.answer.flops))
    return points, alone


def _smallest_for(steps: "list[Step]", i: int, one_kind: bool) -> Optional[Step]:
    """The smallest of a row's series; None: the row is not the first of the largest."""
    r = least = steps[i]
    for k, other in enumerate(steps):
        if not _counts(other, other.series) or other.series != r.series or (one_kind and other.kind != r.kind):
            continue
        if other.size > r.size or (other.size == r.size and k < i):
            return None
        closer = other.size == least.size and least.kind != r.kind and other.kind == r.kind
        if other.size < least.size or closer:
            least = other
    return least if least.size < r.size else None


def largest_from_smallest(steps: "list[Step]", one_kind: bool) -> "list[Point]":
    points = []
    for i, large in enumerate(steps):
        small = _smallest_for(steps, i, one_kind) if _counts(large, large.series) else None
        if small and small.answer and large.answer:
            points.append(Point(f"{large.name}, from {small.name}",
                                small.measured * large.answer.predicted / small.answer.predicted, large.measured,
                                large.answer.flops))
    return points
