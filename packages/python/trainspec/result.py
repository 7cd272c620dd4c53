"""The result of a played step."""
from __future__ import annotations

import ctypes
import html
import json
import math
import operator
import os
from dataclasses import dataclass
from typing import List

from . import _library as c
from .messages import Message
from .units import Quantity
from .workspace import Workspace, encoded

_FORMATS = {"text": c.TEXT, "json": c.JSON, "csv": c.CSV, "html": c.HTML, "svg": c.SVG}
_SUFFIXES = {".txt": "text", ".json": "json", ".csv": "csv", ".html": "html", ".svg": "svg"}


def seconds(ps: float) -> Quantity:
    return Quantity(ps * 1e-12, "s")


def size(n: float) -> Quantity:
    return Quantity(n, "B")


@dataclass(frozen=True)
class Time:
    """Where the time of a step goes; the parts sum up to it. tail: from a rank's end to the step's."""
    compute: Quantity
    exposed_communication: Quantity
    bubble: Quantity
    host: Quantity
    tail: Quantity


@dataclass(frozen=True)
class Rank:
    """One rank. `like`: the lowest rank that does the same in the same times. `limit` is None: unknown."""
    rank: int
    like: int
    end: Quantity
    time: Time
    peak_memory: Quantity  # without the memory of drivers
    limit: "Quantity | None"
    at_peak: "dict[str, Quantity]"  # by category


@dataclass(frozen=True)
class Event:
    """A node of a rank's timeline. A collective waits for others from `ready` to `start`."""
    kind: str    # compute, collective, send, receive, host, other
    label: str   # "layer[3].attn.qkv"
    what: str    # kernel family, kind of collective
    stream: str
    issued: Quantity
    ready: Quantity
    start: Quantity
    end: Quantity
    peer: "int | None"  # of messages

    @property
    def duration(self) -> Quantity:
        return Quantity(self.end - self.start, "s")


@dataclass(frozen=True)
class Critical:
    """A part of the critical path."""
    kind: str
    name: str
    label: str
    time: Quantity
    count: int


class Timeline(List[Event]):
    """The events of a rank in the order in which its host issues them. In a notebook: the drawing of all ranks."""

    def __init__(self, events, result: "Result", rank: int):
        super().__init__(events)
        self.result, self.rank = result, rank

    def rows(self) -> "list[dict]":
        """Plain values for tables: pandas.DataFrame(timeline.rows()); times in seconds."""
        return [{"kind": e.kind, "label": e.label, "what": e.what, "stream": e.stream, "issued": float(e.issued),
                 "ready": float(e.ready), "start": float(e.start), "end": float(e.end), "duration": float(e.duration),
                 "peer": e.peer}
                for e in self]

    def __repr__(self) -> str:
        return f"<timeline of rank {self.rank}: {len(self):,} events, {self.result.step_time}>"

    def _repr_html_(self) -> str:
        return self.result.report("svg")


class Result:
    """A played step. Times are in seconds, memory in bytes, shares 0..1; None where a figure is unknown.

    The figures of doc/reports.md are members of their names: step_time, peak_memory, mfu, energy, ...
    """

    step_time: Quantity
    peak_memory: "Quantity | None"
    tokens_per_second: "Quantity | None"
    mfu: "float | None"
    hfu: "float | None"
    devices: int
    tokens_per_step: "int | None"
    energy: "Quantity | None"
    cost: "Quantity | None"
    carbon: "Quantity | None"
    bubble_fraction: "float | None"
    #: (low, high): the step is between with 80 %
    step_interval: "tuple[Quantity, Quantity] | None"
    device_memory: "Quantity | None"
    fits: "bool | None"

    def __init__(self, workspace: Workspace, plan, run):
        self._workspace, self._plan, self._run = workspace, plan, run
        r = c.call("result_of", run)
        self.plan = c.call("plan_name", plan).decode()
        self.ranks = c.call("ranks", plan)
        self.parameters = dict(workspace.settings.defines)
        for name, value in c.figures_of(r).items():
            unit = c.FIGURES[name]
            setattr(self, name, value if value is None or unit in ("share", "") else Quantity(value, unit))
        self.step_interval = (seconds(r.step_low_ps), seconds(r.step_high_ps)) if r.step_high_ps else None
        self.time = Time(*(seconds(getattr(r.time, name)) for name, _ in c.TimeParts._fields_))  # mean of all ranks
        self.samples_per_second = None if math.isnan(r.samples_per_second) else Quantity(r.samples_per_second, "1/s")
        self.fullest_rank = r.fullest_rank
        self.device_memory = size(r.limit) if r.limit else None
        self.fits = r.peak + r.reserved <= r.limit if r.limit else None
        self.nodes = r.nodes

    @property
    def messages(self) -> "list[Message]":
        """Warnings of the plan and of its play."""
        self.report("json")  # looks for what is implausible
        return self._workspace.messages()

    def rank(self, rank: int) -> Rank:
        self._known(rank)
        with self._workspace.lock:
            r = c.call("rank_of", self._run, rank)
            held = {name: size(c.call("held_at_peak", self._run, rank, i)) for i, name in enumerate(c.CATEGORIES)}
        time = Time(*map(seconds, (r.compute_ps, r.exposed_ps, r.bubble_ps, r.host_ps, r.tail_ps)))
        return Rank(rank, r.like, seconds(r.end_ps), time, size(r.peak), size(r.limit) if r.limit else None, held)

    def timeline(self, rank: int = 0) -> Timeline:
        """The events of a rank."""
        self._known(rank)
        events, stopped = [], []

        def each(_closure, at):
            if stopped:
                return
            try:
                e = at.contents
                events.append(Event(c.KINDS[e.kind], e.label.decode(), e.what.decode(), e.stream.decode(),
                                    seconds(e.issued_ps), seconds(e.ready_ps), seconds(e.start_ps),
                                    seconds(e.end_ps), None if e.peer == c.NO_PEER else e.peer))
            except BaseException as e:  # raised again behind the call
                stopped.append(e)

        with self._workspace.lock:
            c.call("timeline", self._run, rank, c.Each(each), None)
        if stopped:
            raise stopped[0]
        return Timeline(events, self, rank)

    def memory(self, rank: int = 0) -> "list[dict[str, float]]":
        """What a rank holds over the step: a row after each change, with the `time` in seconds and the bytes of each
        category. pandas.DataFrame takes the rows."""
        self._known(rank)
        changes, names = [], c.CATEGORIES

        def each(_closure, at, held):
            changes.append({"time": at * 1e-12, **dict(zip(names, held[:len(names)]))})

        with self._workspace.lock:
            c.call("memory", self._run, rank, c.Held(each), None)
        return changes

    def start(self, rank: int = 0) -> Quantity:
        """When the first kernel of a rank starts. From there to its end a rank is at work."""
        self._known(rank)
        with self._workspace.lock:
            return seconds(c.call("start_of", self._run, rank))

    def critical_path(self) -> "list[Critical]":
        """Its parts, largest first; they sum up to the step."""
        parts, part = [], c.Critical()
        with self._workspace.lock:
            while c.call("critical_at", self._run, len(parts), ctypes.byref(part)):
                parts.append(Critical(part.kind.decode(), part.name.decode(), part.label.decode(),
                                      seconds(part.time_ps), part.count))
        return parts

    def report(self, form: str = "text") -> str:
        """The report of `tsrun --format=FORM`: text, json, csv, html or svg. Raises Error."""
        if form not in _FORMATS:
            raise ValueError(f"no format {form!r}: {', '.join(_FORMATS)}")
        with self._workspace.lock:
            return self._workspace.check(c.text_of("report_text", self._run, _FORMATS[form]))

    @property
    def json(self) -> dict:
        """Everything the report knows; share/schemas/report.json describes it."""
        return json.loads(self.report("json"))

    def save(self, path) -> None:
        """Writes the report in the format of the name: .txt, .json, .csv, .html or .svg."""
        suffix = os.path.splitext(os.fspath(path))[1]
        if suffix not in _SUFFIXES:
            raise ValueError(f"{path}: a report ends in {', '.join(_SUFFIXES)}")
        text = self.report(_SUFFIXES[suffix])
        beside = f"{os.fspath(path)}.part{os.getpid()}"
        try:
            with open(beside, "w", encoding="utf-8", newline="\n") as out:
                out.write(text)
            os.replace(beside, path)
        except BaseException:
            if os.path.exists(beside):
                os.remove(beside)
            raise

    def trace(self, path) -> None:
        """Writes the timeline for ui.perfetto.dev; packed where the name ends in .gz. Raises Error."""
        with self._workspace.lock:
            self._workspace.check(c.call("trace", self._run, encoded(path)))

    def _known(self, rank: int) -> None:
        if not 0 <= operator.index(rank) < self.ranks:
            raise IndexError(f"no rank {rank}: the plan has ranks 0 to {self.ranks - 1}")

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        held = "" if self.peak_memory is None else f", {self.peak_memory}"
        room = "" if self.fits is None else f" of {self.device_memory}"
        return (f"<{self.plan} on {self.ranks:,} rank{'s' if self.ranks > 1 else ''}: {self.step_time}"
                f"{held}{room}{', does not fit' if self.fits is False else ''}>")

    def _repr_html_(self) -> str:
        """The page of `tsrun --format=html`, in a frame of its own: its style and script touch no other cell."""
        return ('<iframe title="TrainSpec report" sandbox="allow-scripts" style="width:100%;height:720px;border:0" '
                f'srcdoc="{html.escape(self.report("html"))}"></iframe>')
