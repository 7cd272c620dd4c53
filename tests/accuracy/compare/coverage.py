"""For how many rows the 80 % intervals hold: as they ship, and from a table without the row's model and machine."""
from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean
from typing import Any, Optional

from figures import median
from result import Result
from step import Kind, Set, Step

SHARE_HELD = 0.8
SHARE_OF_SIDE = 0.9  # on each side
# A kind with less is taken with its neighbours. Chosen with all sets in view.
FEWEST_ROWS, FEWEST_CONFIGURATIONS = 10, 2
FEWEST_FRAMEWORKS = 10  # of less, no quantile of 90 % (1 + 1/n) is below all: such a kind is taken wider

STEP, MEMORY, FIGURE = "step_time", "peak_memory", "figures"
_WORDS = {STEP: "step times", MEMORY: "peaks of memory", FIGURE: "times"}

# Kinds, from special to general: what runs have in common.
FRAMEWORK, GPU, BITS, EXPERTS, NODES = "framework", "gpu", "bits", "experts", "nodes"
LADDER = ((FRAMEWORK, GPU, BITS, EXPERTS, NODES), (FRAMEWORK, BITS, EXPERTS, NODES), (FRAMEWORK, BITS, EXPERTS),
          (FRAMEWORK, EXPERTS), (EXPERTS,), ())


@dataclass(frozen=True, eq=False)
class Origin:
    """A figure of one origin by itself, a kernel or a call: which record of std.errors its error belongs to. `name`,
    `dtype`: of a family or a file, of a number format; None: of any. There is one of each (`origin`)."""
    of: str
    basis: str
    name: Optional[str] = None
    dtype: Optional[str] = None
    between: bool = False
    kib: int = 0


@functools.lru_cache(None)
def origin(**words: Any) -> Origin:
    return Origin(**words)


@dataclass(frozen=True)
class Seen:
    """`group`: what is left out together; `kind` of runs, `of` of figures; `log`: of measured / predicted; `below`,
    `above`: logarithms of the interval that ships; `calibrates`: its error is part of the table."""
    what: str
    set: str
    group: str
    kind: Optional[Kind]
    of: Optional[Origin]
    spread: float
    log: float
    below: float
    above: float
    calibrates: bool

    def key(self, by: "tuple[str, ...]") -> object:
        """Equal: of the same kind."""
        return self.of if self.of else tuple(getattr(self.kind, name) for name in by)

    @property
    def framework(self) -> str:
        return self.kind.framework if self.kind else ""


@dataclass(frozen=True)
class Reach:
    """How far runs of a kind were off. `apart`: the mean of both sides among rows of the kind, which two plans of one kind
    take: what an unseen kind has in common cancels. `spread`: root of the mean square of the logarithms."""
    rows: int
    configurations: int
    frameworks: int
    below: float
    above: float
    apart: float
    spread: float


def _effective(weights: "list[float]") -> float:
    """Kish's effective number."""
    squares = sum(w * w for w in weights)
    return sum(weights) ** 2 / squares if squares > 0 else 0


def _side(scores: "list[tuple[float, float]]", frameworks: bool) -> float:
    """The quantile of a side: (value, weight), as split conformal prediction takes it. Of frameworks that weigh as one
    it is the plain one: with 1 + 1/n for a dozen of them, the one that is furthest off would decide for all."""
    n, below = _effective([w for _, w in scores]), 0.0
    if not n > 0:
        return 0
    share = SHARE_OF_SIDE if frameworks else min(1, SHARE_OF_SIDE * (1 + 1 / n))
    wanted = share * sum(w for _, w in scores) * (1 - 1e-12)  # sums are rounded
    for value, weight in sorted(scores):
        below += weight
        if below >= wanted:
            return max(0, value)
    return max(0, max(scores)[0])


def _by_frameworks(s: Seen, by: "tuple[str, ...]") -> bool:
    """A kind without a framework is for programs that nobody validated: these are as many as there are frameworks,
    however many rows each has."""
    return s.what == STEP and FRAMEWORK not in by


def _weight(s: Seen, by: "tuple[str, ...]", alike: int, beside: int) -> float:
    """`alike`: rows of its group; `beside`: groups of its framework. Rows of a configuration are not so many
    independent ones: n of them weigh as the cube root of n, which was chosen with all sets in view (the root holds too
    few rows of MLPerf, one alike too many of nanotron). Where the framework does not count, a configuration weighs as
    one: else whoever published most rows would speak for all. Of steps, a framework weighs as one there."""
    if _by_frameworks(s, by):
        return 1 / alike / beside
    return alike ** (1 / 3) / alike if s.what == FIGURE or FRAMEWORK in by else 1 / alike


def _reach(like: Seen, by: "tuple[str, ...]", members: "list[Seen]") -> Reach:
    members = sorted(members, key=lambda s: s.group)
    alike = Counter(s.group for s in members)
    beside = Counter(framework for _, framework in {(s.group, s.framework) for s in members})
    weights = [_weight(s, by, alike[s.group], beside[s.framework]) for s in members]
    total, squares = sum(weights), sum(w * s.log * s.log for s, w in zip(members, weights))
    up = [(s.log / s.spread, w) for s, w in zip(members, weights)]
    frameworks = _by_frameworks(like, by)
    below, above = _side([(-x, w) for x, w in up], frameworks), _side(up, frameworks)
    return Reach(len(members), len(alike), len(beside), below, above, (below + above) / 2,
                 math.sqrt(squares / total) if total > 0 else 0)


def _t(freedom: int) -> float:
    """Student's t, SHARE_OF_SIDE: the expansion about the normal (Abramowitz and Stegun 26.7.5), good from 3 on."""
    z, n = NormalDist().inv_cdf(SHARE_OF_SIDE), freedom
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n * n) + (
        3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)


@dataclass(frozen=True)
class _Cell:
    """Rows of one framework, or of one GPU and format of it: mean and variance of scores, configurations alike."""
    mean: float
    variance: float
    configurations: int


def _cells(members: "list[Seen]", by: "tuple[str, ...]") -> "list[_Cell]":
    """What a kind leaves open divides it: the framework, or the GPU and the format."""
    inner = tuple(name for name in (GPU, BITS) if name not in by) if FRAMEWORK in by else (FRAMEWORK,)
    of: "dict[object, dict[str, list[float]]]" = defaultdict(lambda: defaultdict(list))
    for s in members:
        of[s.key(inner)][s.group].append(s.log / s.spread)
    cells = []
    for groups in of.values():
        k, center = len(groups), fmean(fmean(x) for x in groups.values())
        variance = fmean(fmean((y - center) ** 2 for y in x) for x in groups.values())
        cells.append(_Cell(center, variance * k / (k - 1) if k > 1 else variance, k))
    return cells


def _unseen(r: Reach, cells: "list[_Cell]", kinds: "list[list[_Cell]]") -> Reach:
    """For a cell that is not among these: the predictive interval of random effects. A cell's own effect has the
    variance between means of cells, less what rows alone make of it (the method of moments, pooled over `kinds`), a row
    that within cells; the center is known as well as so many cells tell it. Cells weigh as one."""
    squares = freedom = 0.0
    for kind in kinds:
        center = fmean(c.mean for c in kind)
        squares, freedom = squares + sum((c.mean - center) ** 2 for c in kind), freedom + len(kind) - 1
    if freedom < 1:
        return r
    noise = fmean(c.variance / c.configurations for kind in kinds if len(kind) > 1 for c in kind)
    between = squares / freedom
    within = fmean(c.variance for c in [c for c in cells if c.configurations > 1] or cells)
    center = fmean(c.mean for c in cells)
    side = _t(int(freedom)) * math.sqrt(max(0, between - noise) + within + between / len(cells))
    return replace(r, below=max(0, side - center), above=max(0, side + center))


def enough(r: Reach, of: Seen, by: "tuple[str, ...]") -> bool:
    if not by:
        return r.rows > 0
    return (r.rows >= FEWEST_ROWS and r.configurations >= FEWEST_CONFIGURATIONS
            and (not _by_frameworks(of, by) or r.frameworks >= FEWEST_FRAMEWORKS))


class Coverage:
    """What sets saw, in the order in which they came."""

    def __init__(self) -> None:
        self.seen: "dict[str, list[Seen]]" = {STEP: [], MEMORY: [], FIGURE: []}
        self.sets: "dict[tuple[str, str], bool]" = {}  # (set, quantity): it calibrates

    def _add(self, s: Seen) -> None:
        if math.isfinite(s.log):
            self.sets.setdefault((s.set, s.what), s.calibrates)
            self.seen[s.what].append(s)

    def figure(self, set_: str, of: Origin, group: str, predicted: float, measured: float) -> None:
        self._add(Seen(FIGURE, set_, group, None, of, 1, _log(measured, predicted), math.nan, math.nan, True))

    def memory(self, set_: str, kind: Kind, reach: "tuple[float, float]", predicted: float, measured: float,
               calibrates: bool = True) -> None:
        self._add(Seen(MEMORY, set_, _configuration(kind), kind, None, 1, _log(measured, predicted), *reach,
                       calibrates))

    def row(self, a: Set, r: Step) -> None:
        answer = r.answer
        if not answer or not r.validation:
            return
        if a.figure:
            self.figure(a.name, origin(**a.figure), answer.kind.gpu, answer.predicted, r.measured)
            return
        reach = _log(answer.predicted, answer.low), _log(answer.high, answer.predicted)
        self._add(Seen(STEP, a.name, _configuration(answer.kind), answer.kind, None, answer.spread,
                       _log(r.measured, answer.predicted), *reach, not a.apart))
        if math.isfinite(r.memory) and r.memory > 0 and answer.memory > 0:
            self.memory(a.name, answer.kind, (answer.memory_below, answer.memory_above), answer.memory, r.memory,
                        not a.apart)

    def reach(self, like: Seen, by: "tuple[str, ...]", left: "tuple[str, ...] | None" = None,
              unseen: bool = False) -> Reach:
        """Of all rows of the kind, but those that are as `like` in what is left out (`group`, or of a kind). `unseen`:
        for what is not among them."""
        key = like.key(by)
        of = lambda s: s.group if left == ("group",) else s.key(left or ())
        rows = [s for s in self.seen[like.what] if s.calibrates and (left is None or of(s) != of(like))]
        members = [s for s in rows if s.key(by) == key]
        r = _reach(like, by, members)
        if not unseen or not members or like.what != STEP or by == LADDER[0]:
            return r
        cells = _cells(members, by)
        kinds: "dict[object, list[Seen]]" = defaultdict(list)
        for s in rows if FRAMEWORK in by else members:
            kinds[s.key(by)].append(s)
        return _unseen(r, cells, [_cells(of_kind, by) for of_kind in kinds.values()])

    def nearest(self, s: Seen, left: "tuple[str, ...] | None" = None) -> Reach:
        """From the most special kind that has enough rows. A kind of which there is a row takes what its neighbours
        have; another one is unseen."""
        unseen = not self.reach(s, LADDER[0], left).rows if s.what == STEP else False
        for by in LADDER[-1:] if s.what == FIGURE else LADDER:
            r = self.reach(s, by, left, unseen)
            if enough(r, s, by):
                break
        return r

    def left_out(self, what: str, left: "tuple[str, ...]") -> "list[tuple[Seen, float, float]]":
        """Rows with their intervals from a table without what is left out. Rows of one kind and group have the same."""
        found: "dict[object, Reach]" = {}
        rows = []
        for s in self.seen[what]:
            key = (s.key(LADDER[0]), s.group)
            r = found.get(key) or found.setdefault(key, self.nearest(s, left))
            rows.append((s, r.below * s.spread, r.above * s.spread) if r.rows else (s, math.nan, math.nan))
        return rows

    def report(self, results: "Iterable[Result]") -> None:
        if not self.sets:
            return
        print("intervals: how many rows the %.0f %% intervals hold, and how wide they are in the median\n"
              "  left out: the row's model and machine are no part of the table; ships: std.errors as it is\n"
              "  %-22s %-12s  rows   left out           ships" % (100 * SHARE_HELD, "", ""))
        without = {what: self.left_out(what, ("group",)) for what in self.seen}
        asked = missed = 0
        for (name, what), calibrates in self.sets.items():
            rows = [r for r in without[what] if r[0].set == name]
            left, ships = _held(rows), _held([(s, s.below, s.above) for s, _, _ in rows])
            is_asked, miss = len(rows) >= 30 and calibrates, not 0.72 <= left[0] <= 0.88
            for r in results:
                if r.name == name and math.isfinite(left[0]):
                    r.note("left out", "80 %% intervals from a table without the row's model and machine hold %.0f %% "
                           "of %d %s, %.0f %% wide" % (100 * left[0], len(rows), _WORDS[what], 100 * left[1]))
            print("  %-22s %-12s %5d%s%s%s" % (name, what, len(rows), _shares(left), _shares(ships), "   missed"
                  if is_asked and miss else "" if calibrates else "   apart"))
            asked, missed = asked + is_asked, missed + (is_asked and miss)
        print(f"    asked for    72 to 88 % of each set of 30 rows and more: {asked - missed} of {asked}\n")
        self._report_never_seen()

    def _report_never_seen(self) -> None:
        """Step times, by set: with all rows of their framework left out of the table, of their GPU, of their format."""
        held: "dict[str, list[int]]" = defaultdict(list)
        for left in ((FRAMEWORK,), (GPU,), (BITS,)):
            count = Counter(s.set for s, below, above in self.left_out(STEP, left) if -below <= s.log <= above)
            for name, what in self.sets:
                if what == STEP:
                    held[name].append(count[name])
        rows = Counter(s.set for s in self.seen[STEP])
        print("kinds never seen: how many step times the intervals hold without any row of the same ...\n"
              "  %-22s  rows  framework    GPU   format" % "")
        line = lambda name, n, of: print("  %-22s %5d" % (name, n) + "".join("  %6.0f %%" % (100 * k / n) for k in of))
        for name, of in held.items():
            line(name, rows[name], of)
        if rows:
            line("together", sum(rows.values()), [sum(column) for column in zip(*held.values())])
            print()


def _log(a: float, b: float) -> float:
    return math.log(a / b) if b and 0 < a / b < math.inf else math.nan


def _configuration(k: Kind) -> str:
    return f"{k.framework}, {k.parameters} parameters on {k.gpu}"


def _held(rows: "list[tuple[Seen, float, float]]") -> "tuple[float, float]":
    """What share intervals hold, and their median width, as a share of the prediction."""
    known = [r for r in rows if math.isfinite(r[1])]
    share = sum(-below <= s.log <= above for s, below, above in known) / len(known) if known else math.nan
    return share, median([math.exp(above) - math.exp(-below) for _, below, above in known])


def _shares(x: "tuple[float, float]") -> str:
    return "   %4.0f %%  %6.1f %%" % (100 * x[0], 100 * x[1]) if math.isfinite(x[0]) else "   %4s    %6s  " % ("-", "-")
