"""doc/accuracy.md: each set with its sources, its figures, what is asked of it, and a picture of predicted against
measured."""
from __future__ import annotations

import math
import os
import pathlib
import re
from collections.abc import Iterator

import scatter
from result import Line, Part, Result, has_intervals

COLUMNS = 100
PREFACE = (
    "Predictions against published measurements. `./dev accuracy --write doc/accuracy.md` wrote this page; nothing "
    "here is edited by hand. The measurements are not part of this repository: figures are restated with their "
    "sources, and pictures show points on a coarse grid.",
    "Errors are shares of what was measured. *Bias* is their mean with its sign, *worst* the largest with its sign. "
    "*5/10/20 %* is the share of the rows within these errors. *Order* and *FLOP/s* are rank correlations (Spearman) "
    "of the values and of work a device and second. *Baseline* is the mean error of one rate of work, the median of "
    "the line's own rows, or of each group where the line `all` sums up several, where a note names no other. *Held* "
    "is the share of the rows inside the 80 % interval, *wide* the median width of it. Lines without `fit` in their "
    "title hold no row that a constant was fitted to, unless a note says so.")


def _wrapped(text: str, indent: int = 0) -> str:
    """A paragraph, or an item, whose further lines are indented."""
    lines, column = [""], 0
    for word in text.split():
        width = len(word.encode())
        if column and column + 1 + width > COLUMNS:
            lines.append(" " * indent)
            column = indent
        elif column:
            lines[-1] += " "
            column += 1
        lines[-1] += word
        column += width
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return re.sub(r"[|<>*_`]", r"\\\g<0>", text)


def _or_none(form: str, x: float) -> str:
    return " - |" if math.isnan(x) else f" {form} |" % x


def _share(x: float) -> str:
    return _or_none("%.1f %%", x)


def _order(x: float) -> str:
    return _or_none("%.3f", x)


def _line_of(r: Result) -> "Line | None":
    """The line that stands for a set: the last one of its first part."""
    return next((p.lines[-1] for p in r.parts if p.lines), None)


def _summary(results: list[Result]) -> Iterator[str]:
    yield ("| set | rows | mean error | median | within 10 % | rank correlation | baseline | marks |\n"
           "|---|---|---|---|---|---|---|---|\n")
    for r in results:
        line, marks = _line_of(r), r.marks()
        if not line:
            continue
        f, missed = line.figures, sum(m.missed for m in marks)
        said = "reported" if not marks else f"**{missed} of {len(marks)} missed**" if missed else f"{len(marks)} held"
        yield ("| [%s](#%s) | %d | %.1f %% | %.1f %% | %.0f %% |"
               % (r.name, r.name, f.rows, f.mean, f.median, f.within[1]) + _order(f.order)
               + _or_none("%.0f %%", f.baseline) + f" {said} |\n")


def _part(part: Part) -> Iterator[str]:
    if not part.lines:
        return
    intervals = has_intervals(part)
    yield (f"\n| {_cell(part.title)} | rows | mean | median | worst | bias | 5/10/20 % | order | FLOP/s | baseline |"
           + (" held | wide |" if intervals else "") + "\n|---|---|---|---|---|---|---|---|---|---|"
           + ("---|---|" if intervals else "") + "\n")
    for line in part.lines:
        f = line.figures
        yield (f"| {_cell(line.name)} | %d | %.2f %% | %.2f %% | %+.1f %% | %+.1f %% | %.0f/%.0f/%.0f |"
               % (f.rows, f.mean, f.median, f.worst, f.bias, *f.within) + _order(f.order) + _order(f.rate_order)
               + _share(f.baseline) + (_share(f.held) + _share(f.width) if intervals else "") + "\n")


def _notes(r: Result) -> Iterator[str]:
    marks = r.marks()
    if r.sources:
        yield f"- Sources: {r.sources}."
    for label, text in r.notes:
        yield f"- {label[0].upper()}{label[1:]}: {text}."
    if not marks:
        yield "- Nothing is asked: reported."
    for m in marks:
        why = f": **MISSED**. Why: {m.ask.found}" if m.missed else ""
        yield f"- Asked, {m.part.title}, {m.line.name}: {m.asked}. It is {m.came}{why}."


def _set(r: Result) -> Iterator[str]:
    yield f"\n## {r.name}\n" + _wrapped(f"{r.title[0].upper()}{r.title[1:]}.")
    for part in r.parts:
        yield from _part(part)
    yield "\n"
    for note in _notes(r):
        yield _wrapped(note, 2)
    if scatter.drawn(r):
        yield f"\n![{r.name}: predicted against measured](pictures/accuracy/{r.name}.svg)\n"


def _page(results: list[Result]) -> Iterator[str]:
    yield "# Accuracy\n\n" + "\n".join(map(_wrapped, PREFACE)) + "\n"
    yield from _summary(results)
    for r in results:
        if _line_of(r):
            yield from _set(r)


def put_file(path: pathlib.Path, text: str) -> None:
    """The whole file, or none."""
    beside = path.with_name(f"{path.name}.part{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def write(results: list[Result], path: pathlib.Path) -> None:
    """Writes the page, and pictures/accuracy/SET.svg beside it. Raises OSError."""
    pictures = path.parent / "pictures" / "accuracy"
    pictures.parent.mkdir(exist_ok=True)
    pictures.mkdir(exist_ok=True)
    for r in results:
        if scatter.drawn(r):
            put_file(pictures / f"{r.name}.svg", scatter.svg(r))
    put_file(path, "".join(_page(results)))
