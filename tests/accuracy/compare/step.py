"""A set is a file of measured steps, a plan, and how the columns of one become parameters of the other."""
from __future__ import annotations

import math
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Optional

import table
from result import Ask, Result

GIB = 2.0 ** 30
ALONE, REFERENCE, COMPARED = range(3)  # in a group each that is compared stands against each reference


@dataclass(frozen=True)
class Kind:
    """The kind of run that a plan is: what validated runs are compared by."""
    framework: str
    gpu: str
    bits: int
    experts: bool
    nodes: bool
    parameters: int


@dataclass(frozen=True)
class Answer:
    """What a played plan says of a row: s, bytes, FLOPs a device. `work` is 6 N tokens; intervals are those of 80 %,
    0 and 0: none; `spread` is of log(measured / predicted), put together from the step's parts; `over`: it needs far
    more memory than there is."""
    predicted: float
    memory: float
    reserved: float
    work: float
    flops: float
    low: float
    high: float
    memory_below: float  # logarithms of how far its memory's interval reaches; NaN: none
    memory_above: float
    spread: float
    kind: Kind
    over: bool


@dataclass
class Step:
    """A row: what was measured, and what it says of the plan. `group`: rows that compare with one another.
    `missing`: why it cannot be predicted: counted, not guessed. `rate`: where a source states model FLOP/s a device
    alone: time follows. `memory`: bytes. `validation`: not used by any fit."""
    cells: table.Row
    name: str
    group: str = ""
    measured: float = 0
    rate: float = 0
    memory: float = math.nan
    validation: bool = True
    missing: Optional[str] = None
    pools: bool = False      # streams allocate from pools of their own, as FSDP2 uses them
    any_rank: bool = False   # memory is that of the rank that holds most, not of rank 0
    # steps follow one another without a barrier: what counts is the longest time from a rank's first work to its last
    unsynchronised: bool = False
    side: int = ALONE        # relative throughput
    effect: bool = False     # ... by how much longer it takes
    # for factors.py: rows that one factor may hold for, rows that differ in the size of the system alone, that size
    kind: Optional[str] = None
    series: Optional[str] = None
    size: float = 0
    # values of the parameter `recompute` that are tried one after the other while the plan does not fit in memory:
    # what a source does not state
    ladder: tuple[str, ...] = ()
    given: dict[str, str] = field(default_factory=dict)  # parameters: expressions
    answer: Optional[Answer] = None
    why: str = ""            # where there is none

    def give(self, **parameters: object) -> None:
        for name, value in parameters.items():
            self.given[name] = ("true" if value else "false") if isinstance(value, bool) else str(value)

    def take(self, answer: "Answer | str") -> None:
        self.answer, self.why = (None, answer) if isinstance(answer, str) else (answer, "")
        if self.answer and self.rate > 0 and self.answer.flops > 0:
            self.measured = self.answer.flops / self.rate

    @property
    def memory_interval(self) -> tuple[float, float]:
        a = self.answer
        if a is None or math.isnan(a.memory_below):
            return 0, 0
        return a.memory * math.exp(-a.memory_below), a.memory * math.exp(a.memory_above)


@dataclass
class Context:
    """`source`: root of the tree; `build`: of the programs; `results`: of the sets so far."""
    data: pathlib.Path
    source: pathlib.Path
    build: pathlib.Path
    verbose: bool = False
    results: list[Result] = field(default_factory=list)

    def result(self, name: str, title: str, sources: str = "", asks: tuple[Ask, ...] = ()) -> Result:
        self.results.append(Result(name, title, sources, asks))
        return self.results[-1]


@dataclass(frozen=True)
class Set:
    """`row` makes a Step of a row, or None: not a row of this set. `columns`: parameters, with =column of other names.
    `assumed`: what the rows leave open and the plan assumes. `apart`: no whole steps, or apart by a rule: intervals
    around others do not rest on them. `here`: its file is in the tree. `figure`: rows are not steps but figures of this
    origin."""
    name: str
    title: str
    csv: str
    plan: str
    row: Callable[[Context, table.Row], Optional[Step]]
    sources: str
    columns: str = ""
    fixed: str = ""
    fitted: str = ""
    assumed: str = ""
    asks: tuple[Ask, ...] = ()
    apart: bool = False
    here: bool = False
    figure: Optional[dict] = None

    def read(self, c: Context) -> "list[Step] | None":
        """Rows without prediction. None after a message: the file is not there."""
        rows = table.read((c.source if self.here else c.data) / self.csv)
        if rows is None:
            print(f"{self.name}: skipped, there is no {self.csv}\n")
            return None
        return [step for step in map(lambda row: self._step(c, row), rows) if step]

    def _step(self, c: Context, row: table.Row) -> Optional[Step]:
        step = self.row(c, row)
        if not step or (not step.missing and not step.measured > 0 and not step.rate > 0):
            return None
        if math.isinf(step.measured) or math.isinf(step.rate) or math.isinf(step.memory):
            step.missing = "a figure that is no number"
        for pair in filter(None, self.columns.split(",")):
            parameter, _, column = pair.partition("=")
            if row[column or parameter]:
                step.given[parameter] = row[column or parameter]
        for pair in filter(None, self.fixed.split(",")):
            parameter, value = pair.split("=")
            step.given[parameter] = value
        return step
