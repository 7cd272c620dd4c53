"""Sweeps: a family of plans as rows."""
from __future__ import annotations

import ctypes
import html
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

from . import _library as c
from .result import Result
from .units import Quantity
from .workspace import Settings, Workspace, encoded, expression, text, thread_count

_STATES = {c.RANKED: "ranked", c.LEFT_OUT: "left out", c.TOO_LARGE: "too large", c.REFUSED: "refused"}
_UNITS = {name: unit for name, unit in c.FIGURES.items() if unit not in ("1/s", "share", "")}


def _value(text: str):
    """A value as Python has it; what is none stays an expression, which `quoted` does not change."""
    if text in ("true", "false"):
        return text == "true"
    if len(text) > 2 and text[0] == text[-1] == '"' and not any(sign in text[1:-1] for sign in '"\\()[]{}'):
        return text[1:-1]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def _items(vary, minimize, maximize, require):
    """The search as the language writes it; None: that of the file."""
    if minimize and maximize:
        raise ValueError("a sweep has one goal: minimize or maximize")
    require = (require,) if isinstance(require, str) else tuple(require)
    if vary is None:
        if minimize or maximize or require:
            raise ValueError("a goal and conditions go with `vary`: the search of the file has its own")
        return None
    lines = [f"vary {name} in {expression(list(values))}" for name, values in vary.items()]
    for condition in require:
        said = condition.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'require {condition}, "{said}"')
    if minimize or maximize:
        lines.append(f"maximize {maximize}" if maximize else f"minimize {minimize}")
    return "\n".join(lines) + "\n"


class Sweep(List[Dict[str, Any]]):
    """Rows, one a plan: the best first, then those left out, too large and refused, in their order.

    A row is a dict: the parameters; `state` (ranked, left out, too large, refused); `objective` of the goal
    (without one the time of a token, or of a step where the plan states no tokens); the figures of a
    Result as plain numbers, in s, B, J, $ and g (None: unknown); `why` a plan was refused.
    `pandas.DataFrame(sweep)` takes them.
    """

    def __init__(self, settings: Settings, vary, minimize, maximize, require, name, threads):
        if settings.text is not None:
            raise ValueError("a sweep needs a plan in a file: trainspec.load")
        self.settings = settings
        items = _items(vary, minimize, maximize, require)
        threads = thread_count(threads)
        # Each thread has a workspace, with a list of the plans of its own.
        local = threading.local()

        def opened():
            if not hasattr(local, "sweep"):
                local.workspace = Workspace(settings)
                local.sweep = local.workspace.check(c.call(
                    "sweep_open", local.workspace.handle, encoded(settings.path), text(name, "name") if name else None,
                    text(items, "the search") if items is not None else None))
            return local.sweep

        def play(plan):
            out = c.Outcome()
            local_sweep = opened()
            local.workspace.check(c.call("sweep_play", local_sweep, plan, ctypes.byref(out)))
            return _row(out)

        sweep = opened()
        self.columns = _columns(sweep)
        #: is more of the goal better?
        self.maximizes = c.call("sweep_maximizes", sweep)
        count = c.call("sweep_plans", sweep)
        given = [{name: _value(c.call("sweep_value", sweep, plan, i).decode())
                  for i, name in enumerate(self.columns)} for plan in range(count)]
        with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            rows = [{**given[plan], **row} for plan, row in enumerate(pool.map(play, range(count)))]
        sign = -1 if self.maximizes else 1
        order = list(_STATES.values())
        rows.sort(key=lambda row: (order.index(row["state"]),
                                   sign * row["objective"] if row["objective"] is not None else 0))
        super().__init__(rows)

    @property
    def best(self) -> "dict[str, Any] | None":
        """The best row; None where no plan is left."""
        return self[0] if self and self[0]["state"] == "ranked" else None

    def run(self, row: "dict[str, Any]") -> Result:
        """Plays the plan of a row again, for its whole result."""
        from .plan import Plan
        return Plan(self.settings).run({name: row[name] for name in self.columns})

    def __repr__(self) -> str:
        best = self.best
        found = "" if best is None else "; best: " + ", ".join(f"{name}={best[name]}" for name in self.columns)
        return f"<sweep: {len(self)} plans, {sum(row['state'] == 'ranked' for row in self)} ranked{found}>"

    def _repr_html_(self) -> str:
        if not self:
            return "<p>no plans</p>"
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self[0])
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(name, value))}</td>" for name, value in row.items())
                       + "</tr>" for row in self)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _columns(sweep) -> "list[str]":
    columns = []
    while True:
        name = c.call("sweep_column", sweep, len(columns))
        if not name:
            return columns
        columns.append(name.decode())


def _row(out) -> dict:
    state = _STATES[out.state]
    return {"state": state, "objective": out.objective if out.state == c.RANKED else None,
            **c.figures_of(out.result),
            "why": out.why.decode() if out.why else None}


def _shown(name: str, value) -> str:
    if value is None:
        return ""
    if name in _UNITS:
        return str(Quantity(value, _UNITS[name]))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
