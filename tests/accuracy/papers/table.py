"""Tables of papers beside what we predict: rows, their errors, and how they are printed."""
from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Iterable, Iterator, Optional, Union

Value = Union[float, bool, None]
HALVES = ("development", "held back", "given")
WITHIN = (5, 10, 15)
PERCENTILES = (10, 25, 50, 75, 90, 100)


@dataclass(frozen=True)
class Row:
    """A cell of a paper. `theirs`: the paper's own error, as its table counts it. `predicted` is None where we have no figure: `note` says why."""
    name: str
    half: str
    predicted: Value
    measured: Value
    theirs: Optional[float] = None
    note: str = ""


@dataclass
class Table:
    """`kind`: how errors count: "relative" (per cent of the measured value), "points" (of its unit), "holds" (a statement, true or not),
    "cost" (of simulating: no error, but how many times less it is).

    `ask`: the most that the mean error of the held-back rows may be; None where nothing is asked.
    """
    title: str
    source: str
    unit: str
    assumed: str
    ask: Optional[float]
    rows: Iterable[Row]
    kind: str = "relative"
    notes: list = field(default_factory=list)


def error(table: Table, row: Row) -> Optional[float]:
    """Signed; of statements 0 where we say the same, else 100."""
    if row.predicted is None or row.measured is None or table.kind == "cost":
        return None
    if table.kind == "holds":
        return 0.0 if row.predicted == row.measured else 100.0
    if table.kind == "points":
        return row.predicted - row.measured
    return 100 * (row.predicted / row.measured - 1) if row.measured else None


@dataclass(frozen=True)
class Summary:
    rows: int
    mean: float
    worst: float
    within: tuple
    percentiles: tuple
    theirs: Optional[float]


def summary(table: Table, rows: "list[Row]") -> Optional[Summary]:
    errors = sorted(abs(e) for e in (error(table, r) for r in rows) if e is not None)
    if not errors:
        return None
    theirs = [abs(r.theirs) for r in rows if r.theirs is not None]
    return Summary(len(errors), statistics.fmean(errors), errors[-1],
                   tuple(100 * sum(e <= limit for e in errors) / len(errors) for limit in WITHIN),
                   tuple(errors[max(0, -(-p * len(errors) // 100) - 1)] for p in PERCENTILES),
                   statistics.fmean(theirs) if theirs else None)


def shown(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.4g}" if abs(value) < 10000 else f"{value:,.0f}"


def per_cent(table: Table) -> str:
    return table.unit if table.kind == "points" else "%"


def verdict(table: Table, by_half: "dict[str, Optional[Summary]]") -> str:
    """What is asked, and whether held-back rows have it (of closed forms, which have no halves, the given ones)."""
    if table.ask is None or table.kind == "holds":
        return ""
    half = "held back" if by_half["held back"] or by_half["development"] else "given"
    judged = by_half[half]
    wanted = f"asked of rows {half}: {table.ask:g} {per_cent(table)}"
    if judged is None:
        return f"{wanted}; none of them is here"
    return f"{wanted}: {'met' if judged.mean <= table.ask else 'NOT MET'} ({judged.mean:.2g})"


def one_line(table: Table, name: str, s: Summary) -> str:
    if table.kind == "holds":
        return f"{name}: {round(s.rows * s.within[0] / 100)} of {s.rows} hold{', as asked' if table.ask is not None and not s.mean else ''}"
    theirs = f", theirs {s.theirs:.1f}" if s.theirs is not None else ""
    return (f"{name}: {s.rows} rows, mean error {s.mean:.1f} {per_cent(table)}, worst {s.worst:.1f}, within 5/10/15: "
            f"{'/'.join(f'{w:.0f}' for w in s.within)} %{theirs}")


def distribution(s: Summary) -> str:
    return "CDF of errors: " + ", ".join(f"{p} % of rows {e:.1f}" for p, e in zip(PERCENTILES, s.percentiles))


def off_by(table: Table, row: Row) -> str:
    e = error(table, row)
    if table.kind == "cost" and row.predicted:
        return f"{row.measured / row.predicted:,.0f} x"
    return "-" if e is None else "" if table.kind == "holds" else f"{e:+.1f}"


def text(table: Table, rows: "list[Row]") -> Iterator[str]:
    """The table as lines of text."""
    yield f"{table.title} ({table.source}), {table.unit}"
    yield f"  assumed: {table.assumed}"
    width = max([len(r.name) for r in rows] + [3])
    yield f"  {'row':<{width}}  {'half':<11}  {'predicted':>10}  {'printed':>10}  {'error':>8}  {'theirs':>8}"
    for r in rows:
        theirs = "-" if r.theirs is None else f"{r.theirs:.1f}"
        yield (f"  {r.name:<{width}}  {r.half:<11}  {shown(r.predicted):>10}  {shown(r.measured):>10}  {off_by(table, r):>8}  {theirs:>8}"
               f"{'  ' + r.note if r.note else ''}")
    yield from ("  " + line for line in totals(table, rows))


def totals(table: Table, rows: "list[Row]") -> Iterator[str]:
    by_half = {half: summary(table, [r for r in rows if r.half == half]) for half in HALVES}
    for half, s in by_half.items():
        if s:
            yield one_line(table, half, s)
    whole = summary(table, rows)
    if whole and table.kind != "holds" and whole.rows > 2:
        yield distribution(whole)
    if verdict(table, by_half):
        yield verdict(table, by_half)
    yield from table.notes


def page(table: Table, rows: "list[Row]") -> Iterator[str]:
    """The table in Markdown."""
    yield f"### {table.title}\n"
    yield f"Source: {table.source}. Unit: {table.unit}. Assumed: {table.assumed}\n"
    yield f"| row | half | predicted | printed | error, {per_cent(table)} | theirs | |\n|---|---|---|---|---|---|---|"
    for r in rows:
        yield (f"| {r.name} | {r.half} | {shown(r.predicted)} | {shown(r.measured)} | {off_by(table, r)} | "
               f"{'' if r.theirs is None else f'{r.theirs:g}'} | {r.note} |")
    yield "\n" + "".join(f"- {line}\n" for line in totals(table, rows))


def summary_line(table: Table, rows: "list[Row]") -> str:
    """A line of doc/papers.md."""
    s = summary(table, rows)
    asked = "" if table.ask is None else "all hold" if table.kind == "holds" else "exact" if table.ask < 0.01 else f"{table.ask:g} {per_cent(table)}"
    if table.kind == "cost":
        least = min(row.measured / row.predicted for row in rows if row.predicted)
        found = f"{least:,.0f} times less or better"
    elif s is None:
        found = "no comparison"
    elif table.kind == "holds":
        found = f"{round(s.rows * s.within[0] / 100)} of {s.rows} hold"
    else:
        found = f"{s.mean:.1f} {per_cent(table)} ({s.worst:.1f})"
    theirs = f"{s.theirs:.1f} {per_cent(table)}" if s and s.theirs is not None else ""
    return f"| {table.title} | {len(rows)} | {found} | {theirs} | {asked} |"
