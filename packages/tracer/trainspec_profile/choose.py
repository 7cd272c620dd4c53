"""Which size is measured next.

The next point is the one on which its measured neighbours disagree most: how far apart lines through them predict its time when each of them is left out, times its distance
from what was measured, times the share of its family. All of it in logarithms, so an error of a tenth counts alike for small and large calls.
"""
import math

VAGUE = 0.02  # the disagreement of neighbours that agree
GROWTH = 64   # of the work, from the nearest point that was measured


def solve(a, b):
    """x of a x = b, a small and positive definite."""
    n = len(b)
    rows = [list(a[i]) + [b[i]] for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for r in range(i + 1, n):
            f = rows[r][i] / rows[i][i]
            rows[r] = [x - f * y for x, y in zip(rows[r], rows[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def plane(near, at):
    """The value at `at` of a plane through (place, value) pairs; near ones count more, and a direction that they say nothing of is flat."""
    d = len(at) + 1
    a, b = [[1e-6 * (i == j) for j in range(d)] for i in range(d)], [0.0] * d
    middle = sum(v for _, v in near) / len(near)
    for place, value in near:
        x = [1.0] + [p - q for p, q in zip(place, at)]
        w = 1 / (0.01 + sum(v * v for v in x[1:]))
        for i in range(d):
            b[i] += w * x[i] * (value - middle)
            for j in range(d):
                a[i][j] += w * x[i] * x[j]
    return middle + solve(a, b)[0]


def neighbours(measured, at):
    """The nearest points; of one size, those on both sides of it."""
    if len(at) == 1:
        below = sorted((m for m in measured if m[0] <= at), reverse=True)
        above = sorted(m for m in measured if m[0] > at)
        return below[:2] + above[:2] if below and above else (below or above)[:3]
    return sorted(measured, key=lambda m: math.dist(m[0], at))[:2 * len(at) + 2]


def predict(measured, at):
    """The logarithm of the time that the measured points expect at a place."""
    near = neighbours(measured, at)
    if len(at) == 1 and near[0][0] <= at < near[-1][0]:  # between two: on the line that joins them, as tables have it
        low, high = max(m for m in near if m[0] <= at), min(m for m in near if m[0] > at)
        return low[1] + (high[1] - low[1]) * (at[0] - low[0][0]) / (high[0][0] - low[0][0])
    return plane(near, at)


def ignorance(measured, at):
    """How little the measured (place, logarithm of time) pairs know of the time at a place."""
    if len(measured) < len(at) + 1:
        return (1e3 + min(math.dist(p, at) for p, _ in measured)) / (1 + len(measured))
    near = neighbours(measured, at)
    away = min(math.dist(p, at) for p, _ in near)
    said = [plane(near[:i] + near[i + 1:], at) for i in range(len(near))] if len(near) > 2 else [0]
    return (max(said) - min(said) + VAGUE) * away


class Series:
    """The sizes of one kind of kernel or collective, and what is known of them: places are logarithms of sizes."""

    def __init__(self, name, share, places, work):
        self.name, self.share, self.work = name, share, dict(zip(places, work))
        self.open, self.measured, self.known = set(places), [], {}

    def take(self, place, seconds):
        self.open.discard(place)
        self.measured.append((place, math.log(seconds)))
        few = len(self.measured) <= 2 * len(place) + 3
        self.known = {} if few else {p: k for p, k in self.known.items() if p in self.open and math.dist(p, place) > k[1]}

    def close_from(self, work):
        """Nothing that is as much work or more can be measured."""
        self.open = {p for p in self.open if self.work[p] < work}

    def expected(self, place):
        """Seconds, at most: those of the nearest measured point, scaled by the work if that is more. Small calls say little of far larger ones, so sizes grow by steps."""
        nearest, log = min(self.measured, key=lambda m: math.dist(m[0], place))
        grows = self.work[place] / self.work[nearest]
        return math.exp(log) * max(1, grows) if grows <= GROWTH else math.inf

    def unknown(self, place):
        """Kept until a point is measured that is nearer than the neighbours that said so."""
        if place not in self.known:
            self.known[place] = ignorance(self.measured, place), max(math.dist(p, place) for p, _ in neighbours(self.measured, place))
        return self.known[place][0]

    def best(self, longest):
        """(score, place) of the point to measure next; the first is the least work. None: no point is left that is not expected to take longer than `longest` seconds."""
        if not self.measured:
            return (2e3 * self.share, min(self.open, key=lambda p: (self.work[p], p))) if self.open else None
        return max(((self.share * self.unknown(p), p) for p in self.open if self.expected(p) <= longest), default=None)


def choose(series, longest):
    """(series, place) of the next point of all; None: there is none."""
    found = [(s.best(longest), s) for s in series]
    best = max(((f, s.name, s) for f, s in found if f), default=None, key=lambda b: b[:2])
    return (best[2], best[0][1]) if best else None
