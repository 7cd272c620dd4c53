"""What a set came to: parts of lines, each with its figures; what is asked of them; what they rest on. Printed in one
form, and kept for doc/accuracy.md (page.py)."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from figures import Figures, Point, figures_of

SECONDS, BYTES, PLAIN = "s", "bytes", ""

# What may be asked: at most, except orders (at least) and shares of the rows (at least).
MEAN, MEDIAN, ORDER, RATE_ORDER = "mean", "median", "rank correlation", "rank correlation of FLOP/s"
WITHIN_FIVE, WITHIN_THIRD, SAME_SIGN = "within 5 %", "within a third", "sign right"
_ORDERS, _SHARES = (ORDER, RATE_ORDER), (WITHIN_FIVE, WITHIN_THIRD, SAME_SIGN)
_VALUE: "dict[str, Callable[[Figures], float]]" = {
    MEAN: lambda f: f.mean, MEDIAN: lambda f: f.median, ORDER: lambda f: f.order, RATE_ORDER: lambda f: f.rate_order,
    WITHIN_FIVE: lambda f: f.within[0], WITHIN_THIRD: lambda f: f.within_third, SAME_SIGN: lambda f: f.same_sign}


@dataclass(frozen=True)
class Ask:
    """Of each line that matches, by itself; the line `all` only where it is meant or stands alone. `part`, `line`:
    patterns; `found`: why it is missed where it is, as far as it is known."""
    part: str
    line: str
    figure: str
    limit: float
    found: str = "the reason was not found"


@dataclass
class Line:
    name: str
    points: list[Point]
    figures: Figures


@dataclass
class Part:
    title: str
    unit: str = SECONDS
    drawn: bool = False  # its points are in the picture of the set
    lines: list[Line] = field(default_factory=list)

    def add(self, name: str, points: list[Point]) -> None:
        """Nothing of no points."""
        if points:
            self.lines.append(Line(name, points, figures_of(points)))


@dataclass
class Mark:
    """What was asked and what came, of a line that an ask matches: "mean 7 %", "5.3 %"."""
    ask: Ask
    part: Part
    line: Line
    missed: bool
    asked: str
    came: str


@dataclass
class Result:
    name: str
    title: str
    sources: str = ""  # of the measurements
    asks: tuple[Ask, ...] = ()
    parts: list[Part] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)  # "fitted", "assumed", "not predicted": text

    def part(self, title: str, unit: str = SECONDS) -> Part:
        self.parts.append(Part(title, unit))
        return self.parts[-1]

    def note(self, label: str, text: str) -> None:
        self.notes.append((label, text))

    def marks(self) -> list[Mark]:
        marks = [_mark(a, p, line) for a in self.asks for p in self.parts for line in p.lines
                 if fnmatchcase(p.title, a.part) and _is_asked(a, p, line)]
        return [m for m in marks if m]

    def show(self) -> None:
        for part in self.parts:
            _show_part(part)
        for label, text in self.notes:
            print(f"    {label:<17} {text}")
        marks = self.marks()
        for m in marks:
            print(f"    asked for         {m.part.title}, {m.line.name}: {m.asked}; {m.came}"
                  + (", MISSED" if m.missed else ""))
        for ask in self.asks:
            if any(m.ask is ask and m.missed for m in marks):
                print(f"    missed            {ask.figure}: {ask.found}")


def _mark(a: Ask, part: Part, line: Line) -> "Mark | None":
    value, order, share = _VALUE[a.figure](line.figures), a.figure in _ORDERS, a.figure in _SHARES
    if math.isnan(value):
        return None
    form = "%s %g" if order else "%s: %.3g %% of the rows" if share else "%s %g %%"
    came = "%.3f" % value if order else "%.0f %%" % value if share else "%.2f %%" % value
    return Mark(a, part, line, value < a.limit if order or share else value > a.limit,
                form % (a.figure, a.limit), came)


def _is_asked(a: Ask, part: Part, line: Line) -> bool:
    if line.name == "all" and len(part.lines) > 1:
        return a.line == "all"
    return fnmatchcase(line.name, a.line)


def _number(digits: int, width: int, x: float) -> str:
    return " %*s" % (width, "-") if math.isnan(x) else " %*.*f" % (width, digits, x)


def _show_part(part: Part) -> None:
    if not part.lines:
        return
    intervals = has_intervals(part)
    print(f"  {part.title:<42}  rows    mean median   worst    bias   5/10/20 %     order FLOP/s   baseline"
          + ("   held wide" if intervals else ""))
    for line in part.lines:
        f = line.figures
        text = ("  %-42s %5d  %6.2f %6.2f %7.1f  %+6.1f   " % (line.name, f.rows, f.mean, f.median, f.worst, f.bias)
                + "%3.0f %3.0f %3.0f  " % f.within)
        text += _number(3, 6, f.order) + _number(3, 6, f.rate_order) + "  " + _number(1, 8, f.baseline)
        print(text + ("    " + _number(0, 3, f.held) + _number(0, 4, f.width) if intervals else ""))
    worst = max(part.lines, key=lambda line: abs(line.figures.worst))  # the first of them
    p, unit = worst.points[worst.figures.worst_row], 2.0 ** 30 if part.unit == BYTES else 1
    if p.name:
        print("    worst row         %s: %.4g%s, measured %.4g"
              % (p.name, p.predicted / unit, {SECONDS: " s", BYTES: " GiB", PLAIN: ""}[part.unit], p.measured / unit))


def has_intervals(part: Part) -> bool:
    return any(not math.isnan(line.figures.held) for line in part.lines)
