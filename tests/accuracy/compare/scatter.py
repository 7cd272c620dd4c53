"""A picture of predicted against measured, both logarithmic, with bands of 5, 10 and 20 %: SVG."""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from result import BYTES, PLAIN, SECONDS, Line, Part, Result

LEFT, TOP = 62, 14
SIDE = 360   # of the square between the axes
BELOW = 46
KEYS = 230   # width of the names of groups
NAME = 32    # of which so many characters are shown
MOST = 2500  # points: coarser grids hold fewer

# Okabe and Ito's colours, which people with any sight can tell apart, and shades of them.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#a6a600",
           "#5b3a8e", "#7f3b08", "#00695c", "#9c27b0", "#b0413e", "#1f4e79", "#808080", "#4caf50")


@dataclass
class Axes:
    low: float  # log10
    high: float
    unit: str

    def place(self, value: float) -> float:
        return SIDE * (math.log10(value) - self.low) / (self.high - self.low)


def drawn(r: Result) -> list[Part]:
    return [p for p in r.parts if p.drawn and p.lines]


def _groups(r: Result) -> list[Line]:
    """Lines that sum up others are not groups."""
    return [line for p in drawn(r) for line in p.lines if len(p.lines) == 1 or not line.name.startswith("all")]


def _points(lines: list[Line]) -> Iterator[tuple[float, float]]:
    for line in lines:
        for p in line.points:
            if p.measured > 0 and p.predicted > 0:
                yield p.measured, p.predicted


def _axes(r: Result) -> Axes:
    a = Axes(math.inf, -math.inf, SECONDS)
    for part in drawn(r):
        a.unit = part.unit
        for pair in _points(part.lines):
            a.low = min(a.low, math.log10(min(pair)))
            a.high = max(a.high, math.log10(max(pair)))
    margin = max(0.04 * (a.high - a.low), 0.03)
    return Axes(a.low - margin, a.high + margin, a.unit)


def _band(a: Axes, share: float, opacity: str) -> str:
    """What lies between `share` below and above what was measured, cut to the square."""
    up, down = (SIDE * math.log10(1 + share) / (a.high - a.low), -SIDE * math.log10(1 - share) / (a.high - a.low))
    return ('<path fill="#3b6ea8" fill-opacity="%s" d="M%d %.1fL%.1f %dH%dV%.1fL%.1f %dH%dZ"/>\n'
            % (opacity, LEFT, TOP + SIDE - up, LEFT + SIDE - up, TOP, LEFT + SIDE, TOP + down, LEFT + down, TOP + SIDE,
               LEFT))


def _label(unit: str, value: float) -> str:
    if unit == BYTES:
        return "%.4g GiB" % (value / 2 ** 30)
    if unit == PLAIN:
        return "%.4g" % value
    names = ["ns", "us", "ms", "s"]
    while len(names) > 1 and value < 0.9999:
        value *= 1000
        names.pop()
    return "%.4g %s" % (value, names[-1])


def _tick(a: Axes, value: float) -> str:
    at = a.place(value)
    if not 0 <= at <= SIDE:
        return ""
    label = _label(a.unit, value)
    return ('<path stroke="#bbb" stroke-width=".5" d="M%.1f %dv%dM%d %.1fh%d"/>\n'
            '<text x="%.1f" y="%d" text-anchor="middle">%s</text>\n<text x="%d" y="%.1f" text-anchor="end">%s</text>\n'
            % (LEFT + at, TOP, SIDE, LEFT, TOP + SIDE - at, SIDE, LEFT + at, TOP + SIDE + 14, label, LEFT - 5,
               TOP + SIDE - at + 3.5, label))


def _ticks(a: Axes) -> Iterator[str]:
    """At decades where there are several, a few of them where there are many; else at 1, 2 and 5."""
    span, unit = a.high - a.low, 2.0 ** 30 if a.unit == BYTES else 1.0
    shift, step = math.log10(unit), 2 if span > 6 else 1
    decade = math.floor((a.low - shift) / step) * step
    while decade <= a.high - shift:
        for fine in (1, 2, 5)[:1 if span > 2 else 3]:
            yield _tick(a, unit * fine * math.pow(10, decade))
        decade += step


def _spots(a: Axes, line: Line, grid: int) -> list[tuple[int, int]]:
    """On a grid of `grid` tenths of a pixel, each place once."""
    on = lambda value: math.floor(10 * a.place(value) / grid + 0.5) * grid
    return sorted({(on(measured), on(predicted)) for measured, predicted in _points([line])})


def _line(a: Axes, line: Line, grid: int, index: int) -> str:
    spots = "".join("M%g %gh0" % (LEFT + x / 10.0, TOP + SIDE - y / 10.0) for x, y in _spots(a, line, grid))
    return (f'<path fill="none" stroke="{COLOURS[index % len(COLOURS)]}" stroke-opacity=".8" '
            f'stroke-width="{"2.6" if grid > 10 else "4"}" stroke-linecap="round" d="{spots}"/>\n')


def _key(name: str, index: int) -> str:
    x, y = LEFT + SIDE + 16, TOP + 8 + 16 * index
    return (f'<circle cx="{x}" cy="{y}" r="4" fill="{COLOURS[index % len(COLOURS)]}"/>\n'
            f'<text x="{x + 9}" y="{y + 4}">{escape(name[:NAME], quote=False)}'
            + ("..." if len(name) > NAME else "") + "</text>\n")


def svg(r: Result) -> str:
    a, groups, grid = _axes(r), _groups(r), 10
    while grid < 80 and sum(len(_spots(a, line, grid)) for line in groups) > MOST:
        grid += 10
    return "".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + SIDE + KEYS} {TOP + SIDE + BELOW}" '
        'font-family="sans-serif" font-size="10.5" fill="#222">\n'
        f'<title>{escape(r.name, quote=False)}: predicted against measured</title>\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n',
        _band(a, 0.2, ".09"), _band(a, 0.1, ".12"), _band(a, 0.05, ".16"), *_ticks(a),
        f'<path fill="none" stroke="#666" d="M{LEFT} {TOP}h{SIDE}v{SIDE}h-{SIDE}zM{LEFT} {TOP + SIDE}L{LEFT + SIDE} '
        f'{TOP}"/>\n',
        *(_line(a, line, grid, i) + _key(line.name, i) for i, line in enumerate(groups)),
        f'<text x="{LEFT + SIDE // 2}" y="{TOP + SIDE + 34}" text-anchor="middle">measured</text>\n'
        f'<text transform="translate(12 {TOP + SIDE // 2}) rotate(-90)" text-anchor="middle">predicted</text>\n'
        f'<text x="{LEFT + SIDE + 12}" y="{TOP + SIDE}" fill="#666">bands: 5, 10, 20 %</text>\n</svg>\n'])
