"""Plans: loaded, checked, played."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from typing import Any, Callable

from . import _library as c
from .messages import Error
from .result import Result
from .sweep import Sweep
from .workspace import Settings, Workspace, encoded, expression, quoted, text as text_given, thread_count


def _several(paths) -> tuple:
    return (paths,) if isinstance(paths, (str, os.PathLike)) else tuple(paths)


def load(path, parameters=None, /, *, plan=None, import_dirs=(), read_dirs=(), native=(), stdlib=None, warnings=(),
         **more) -> "Plan":
    """Opens a plan (.ts, .trainspec) or an IR (.ir, .tsir) and checks it. Raises Error.

    `parameters` and further keywords set parameters of the plan: numbers, bools, lists of these, or
    a str: where the plan asks for a String, the string itself, else an expression of the language, as
    after `tsc -D`. `plan` names one of several in the file. `import_dirs`, `read_dirs`, `native`,
    `stdlib` and `warnings` are `-I`, `--allow-read`, `--allow-native`, `--stdlib` and `-W` of `tsc`.
    """
    return _opened(Settings(os.fspath(path), None, plan, {}, _several(import_dirs), _several(read_dirs),
                            _several(native), stdlib, _several(warnings)), {**(parameters or {}), **more})


def loads(text, parameters=None, /, *, path="plan.ts", plan=None, import_dirs=(), read_dirs=(), native=(),
          stdlib=None, warnings=(), **more) -> "Plan":
    """The same from text. `path`: the place it stands for, of imports, data and messages."""
    text = text.encode() if isinstance(text, str) else bytes(text)
    return _opened(Settings(os.fspath(path), text, plan, {}, _several(import_dirs), _several(read_dirs),
                            _several(native), stdlib, _several(warnings)), {**(parameters or {}), **more})


def _opened(settings: Settings, given: dict) -> "Plan":
    """The plan with these values. Texts that may be strings wait for the types, which the plan without them says."""
    texts = {name: value for name, value in given.items() if quoted(value, "String") != value}
    given = {name: expression(value) for name, value in given.items()}
    if texts:
        try:
            certain = {name: value for name, value in given.items() if name not in texts}
            return Plan(dataclasses.replace(settings, defines=certain)).with_(texts)
        except Error:
            pass  # the message is that of all values
    return Plan(dataclasses.replace(settings, defines=given))


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a plan, in the words of its file: `type` and `default` (None: it has none) as they
    stand there, `value` the expression that counts: what was given, else the default."""
    name: str
    type: str
    default: "str | None"
    value: "str | None"
    given: bool


def _parameters(plan, defines) -> "dict[str, Parameter]":
    found, at = {}, c.Parameter()
    words = lambda text: None if text is None else text.decode()
    while c.call("parameter_at", plan, len(found), at):
        name = at.name.decode()
        found[name] = Parameter(name, words(at.type), words(at.default_value), words(at.value), name in defines)
    return found


class Plan:
    """A plan with values of its parameters. `name`, `ranks`, `parameters`, `messages` are those of the checked
    plan; `parameters` is {name: Parameter}, in the order of the file, and empty for an IR."""

    def __init__(self, settings: Settings):
        self.settings = settings
        workspace = Workspace(settings)
        plan = workspace.open()
        self._fresh = [(workspace, plan)]  # for the first that plays it as it is
        self.name = c.call("plan_name", plan).decode()
        self.ranks = c.call("ranks", plan)
        self.parameters = _parameters(plan, settings.defines)
        self.messages = workspace.messages()

    def _typed(self, values: dict) -> dict:
        return {name: quoted(value, self.parameters[name].type) if name in self.parameters else value
                for name, value in values.items()}

    def _settings(self, parameters, more) -> Settings:
        given = {name: expression(value) for name, value in self._typed({**(parameters or {}), **more}).items()}
        return dataclasses.replace(self.settings, defines={**self.settings.defines, **given})

    def _opened(self, settings: Settings) -> tuple:
        """(workspace, plan) of a result alone: the one that was checked, or compiled again."""
        try:
            if settings == self.settings:
                return self._fresh.pop()
        except IndexError:
            pass  # another result has it
        workspace = Workspace(settings)
        return workspace, workspace.open()

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_fresh": []}

    def with_(self, parameters=None, /, **more) -> "Plan":
        """The plan with other values of some parameters, checked."""
        return Plan(self._settings(parameters, more))

    def run(self, parameters: "dict[str, Any] | None" = None, /, *, network: "str | None" = None,
            overlap: "str | None" = None, contention: bool = False, fold: bool = True, threads: int = 0,
            allocator: "str | None" = None, progress: "Callable[[str, float], Any] | None" = None,
            **more: Any) -> Result:
        """Plays one step, with other values of some parameters. Raises Error.

        A parameter that is called like an option goes into `parameters`: `run({"network": ...})`.
        `network`: use only network models of this name. `overlap`: how compute and communication
        slow each other ("physical", "constant:1.1", a file). `contention`: calls of flow models
        share links. `fold=False` plays every rank, equal ones too. `threads` to play and sum up (0:
        one for each processor). `allocator`: what PyTorch's caching allocator reserves joins the
        report ("caching", or with its options, as after `tsrun --allocator`).
        `progress(what, share)` is called with the share 0..1 of a long play; false stops it. A step
        that needs more memory than a device has is played: `Result.fits`.
        """
        workspace, plan = self._opened(self._settings(parameters, more))
        stopped = []

        def tick(_closure, what, share):
            try:
                return progress is None or progress(what.decode(), share) is not False
            except BaseException as e:  # KeyboardInterrupt too: raised again behind the call
                stopped.append(e)
                return False

        options = c.Options(text_given(network, "network") if network else None,
                            encoded(overlap) if overlap else None, bool(contention), not fold, thread_count(threads),
                            c.Progress(tick), None, text_given(allocator, "allocator") if allocator else None)
        run = c.call("play", plan, options)
        if stopped:
            raise stopped[0]
        return Result(workspace, plan, workspace.check(run))

    def sweep(self, vary: "dict[str, Iterable[Any]] | None" = None, /, *, minimize: "str | None" = None,
              maximize: "str | None" = None, require: "str | Iterable[str]" = (), name: "str | None" = None,
              threads: "int | None" = None, **more: "Iterable[Any]") -> Sweep:
        """Plays a family of plans: rows, the best first. Raises Error.

        `vary` and further keywords: {"tp": [1, 2, 4], ...}, in the place of the search in the file; none:
        that search, or the one called `name`. `minimize` or `maximize`: the goal (step_time /
        tokens_per_step unless given); `require`: conditions of the
        language ("peak_memory < 70 GiB"). `threads` play at once (one for each
        processor).
        """
        given = {**(vary or {}), **more}
        for parameter, values in given.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise TypeError(f"{parameter} varies over a list of values: [{values!r}]")
        vary = None if vary is None and not more else self._typed({n: list(values) for n, values in given.items()})
        return Sweep(self.settings, vary, minimize, maximize, require, name, threads)

    def write(self, path) -> None:
        """Writes the IR: the whole file, or none. Raises Error."""
        workspace = Workspace(self.settings)
        workspace.check(c.call("write", workspace.open(), encoded(path)))

    def __repr__(self) -> str:
        given = "".join(f", {name}={value}" for name, value in self.settings.defines.items())
        return f"<plan {self.name}{given}: {self.ranks:,} rank{'s' if self.ranks > 1 else ''}>"
