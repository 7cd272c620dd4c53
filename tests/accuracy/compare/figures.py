"""What predictions say about us: one form for every set. Percentages are of the measured value."""
from __future__ import annotations

import math
from dataclasses import dataclass

NAN = math.nan


@dataclass
class Point:
    """A row: seconds, bytes or a share, the same for both. `work`: done in the time, a device: rates are compared; 0:
    not a time of work. `baseline`: what something simpler predicts; 0: one rate of the work for two and more. `low`,
    `high`: the 80 % interval; 0 and 0: none."""
    name: str
    predicted: float
    measured: float
    work: float = 0
    baseline: float = 0
    low: float = 0
    high: float = 0


@dataclass
class Figures:
    """Of some points; NaN: cannot be said of these. `worst` and `bias` have their sign; `within`: 5, 10, 20 %, shares
    of the rows, as `within_third` and `same_sign` are; `order`, `rate_order`: Spearman, of the values and of work over
    them; `held`: share of the rows in their interval, `width` its median width."""
    rows: int
    mean: float = 0
    median: float = NAN
    bias: float = 0
    worst: float = 0
    worst_row: int = 0
    within: "tuple[float, float, float]" = (NAN, NAN, NAN)
    within_third: float = NAN
    same_sign: float = NAN
    order: float = NAN
    rate_order: float = NAN
    baseline: float = NAN
    held: float = NAN
    width: float = NAN


def over(a: float, b: float) -> float:
    """a / b, as C has it."""
    if b:
        return a / b
    return NAN if a == 0 or a != a else math.copysign(math.inf, a)


def median(values: list[float]) -> float:
    x, n = sorted(values), len(values)
    return NAN if not n else x[n // 2] if n % 2 else (x[n // 2 - 1] + x[n // 2]) / 2


def _ranks(values: list[float]) -> list[float]:
    """Equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    rank, i = [0.0] * len(values), 0
    while i < len(order):
        end = i + 1
        while end < len(order) and values[order[end]] == values[order[i]]:
            end += 1
        for k in range(i, end):
            rank[order[k]] = (i + end + 1) / 2
        i = end
    return rank


def rank_correlation(x: list[float], y: list[float]) -> float:
    """Spearman's; NaN of fewer than three, and where one of them is all alike."""
    n = len(x)
    if n < 3:
        return NAN
    a, b, middle = _ranks(x), _ranks(y), (n + 1) / 2
    ab = aa = bb = 0.0
    for p, q in zip(a, b):
        ab += (p - middle) * (q - middle)
        aa += (p - middle) * (p - middle)
        bb += (q - middle) * (q - middle)
    return ab / math.sqrt(aa * bb) if aa > 0 and bb > 0 else NAN


def _error(predicted: float, measured: float) -> float:
    return 100 * (over(predicted, measured) - 1)


def _baseline(points: list[Point], worked: bool, rates: list[float]) -> float:
    """It knows the work, and one rate: the median of the measured ones, fitted to the very rows it is compared on."""
    stated = all(p.baseline for p in points)
    if not stated and (not worked or len(points) < 2):
        return NAN
    rate, total = 0 if stated else median(rates), 0.0
    for p in points:
        total += abs(_error(p.baseline if stated else over(p.work, rate), p.measured)) / len(points)
    return total


def figures_of(points: list[Point]) -> Figures:
    n, f = len(points), Figures(len(points))
    if not n:
        return f
    errors = [_error(p.predicted, p.measured) for p in points]
    for i, e in enumerate(errors):
        f.mean += abs(e) / n
        f.bias += e / n
        if abs(e) > abs(f.worst):
            f.worst, f.worst_row = e, i
    share = lambda rows: 100.0 * sum(rows) / n
    below = lambda limit: share(abs(e) <= limit for e in errors)
    f.within = below(5), below(10), below(20)
    f.within_third = share(abs(e) <= 100.0 / 3 for e in errors)
    f.same_sign = share(p.predicted * p.measured > 0 for p in points)
    f.median = median([abs(e) for e in errors])
    f.order = rank_correlation([p.predicted for p in points], [p.measured for p in points])
    worked, rates = all(p.work > 0 for p in points), [over(p.work, p.measured) for p in points]
    if worked:
        f.rate_order = rank_correlation([over(p.work, p.predicted) for p in points], rates)
    f.baseline = _baseline(points, worked, rates)
    if all(p.high > p.low for p in points):
        f.held = 100 * sum(p.low <= p.measured <= p.high for p in points) / n
        f.width = median([100 * (p.high - p.low) / p.predicted for p in points])
    return f
