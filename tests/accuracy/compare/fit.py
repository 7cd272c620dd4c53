"""Parameters of a plan (launch times, factors) searched on the rows of a set that are not kept for validation:
coordinate descent with golden sections on the mean squared log error, so that twice too long weighs as much as twice
too short. Deterministic."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass

import workers
from predict import predict
from step import Context, Set, Step

ROWS = 120  # of a large set, every so many rows
GOLDEN = 0.6180339887498949


@dataclass
class Knob:
    """constant: `unit` is its text"""
    name: str
    unit: str
    value: float
    least: float
    most: float
    constant: bool

    @property
    def expression(self) -> str:
        return self.unit if self.constant else "%.9g%s" % (self.value, self.unit)


def _quantity(text: str) -> "tuple[float, str]":
    m = re.match(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?) *", text)
    return (float(m[1]), text[m.end():]) if m else (0, text)


def knobs(parameters: str) -> "list[Knob]":
    """Of "launch=20us:1us:60us,...": start, least, most."""
    found = []
    for part in parameters.split(","):
        name, equals, text = part.partition("=")
        if not equals:
            continue
        start, least, most, *_ = [*text.split(":"), "", ""]
        value, unit = _quantity(start)
        found.append(Knob(name, unit, value, _quantity(least)[0] if least else 0,
                          _quantity(most)[0] if most else 2 * value, unit == start))
    return found


class Search:
    def __init__(self, c: Context, a: Set, steps: "list[Step]", knobs_: "list[Knob]", group: str):
        stride = (len(steps) + ROWS - 1) // ROWS
        self.c, self.a, self.knobs = c, a, knobs_
        self.steps = [s for s in steps if not s.validation and s.group.startswith(group)][::stride or 1]

    def loss(self) -> float:
        extra = {k.name: k.expression for k in self.knobs}
        answers = workers.each(self.steps, lambda s: predict(self.c, self.a, s, extra))
        total, n = 0.0, 0
        for step, answer in zip(self.steps, answers):
            step.take(answer)
            if step.answer:
                total, n = total + math.log(step.answer.predicted / step.measured) ** 2, n + 1
        return math.sqrt(total / n) if n else math.inf

    def _at(self, k: Knob, value: float) -> float:
        k.value = value
        return self.loss()

    def descend(self, k: Knob, best: float, width: float) -> float:
        start = k.value
        low, high = max(k.least, start - width), min(k.most, start + width)
        a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        fa, fb = self._at(k, a), self._at(k, b)
        for _ in range(5):
            if fa < fb:
                high, b, fb = b, a, fa
                a = high - GOLDEN * (high - low)
                fa = self._at(k, a)
            else:
                low, a, fa = a, b, fb
                b = low + GOLDEN * (high - low)
                fb = self._at(k, b)
        k.value = (a if fa < fb else b) if min(fa, fb) < best else start
        return min(fa, fb, best)


def fit(c: Context, a: Set, group: str, parameters: str) -> int:
    """`group`: only rows whose group begins so."""
    steps = a.read(c)
    if steps is None:
        return 4
    s = Search(c, a, steps, knobs(parameters), group)
    best = s.loss()
    print("%s%s: root mean square log error %.4f at the start" % (a.name, "/" + group if group else "", best))
    moving = [k for k in s.knobs if not k.constant]
    for turn in range(4):
        before = best
        for k in moving:
            best = s.descend(k, best, (k.most - k.least) / (4 * turn if turn else 2))
        found = "".join(" %s=%.4g%s" % (k.name, k.value, k.unit) for k in moving)
        print("  round %d: %.4f  %s" % (turn + 1, best, found), flush=True)
        if best > before * 0.999:
            break
    return 0
