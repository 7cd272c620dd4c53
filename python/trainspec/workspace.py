"""A workspace of the library: settings, messages, and what was opened in it."""
from __future__ import annotations

import os
import threading
import weakref
from dataclasses import dataclass, field

from ._library import JSON, call, text_of
from .messages import Error, parse


def expression(value) -> str:
    """A value of Python as an expression of the language. A str is one already, as after `-D`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(expression, value)) + "]"
    if isinstance(value, (int, float)) or hasattr(value, "__index__") or hasattr(value, "__float__"):
        number = float(value)
        if number != number or number in (float("inf"), float("-inf")):
            raise ValueError(f"{value} is no number of the language")
        return str(value.__index__()) if hasattr(value, "__index__") else repr(number)
    raise TypeError(f"{value!r} ({type(value).__name__}) cannot be given to a parameter: a number, a bool, a list "
                    "of these, or a str that holds an expression of the language")


def encoded(path) -> bytes:
    return os.fsencode(path)


@dataclass(frozen=True)
class Settings:
    """What a plan is compiled with."""
    path: str
    text: "bytes | None" = None  # of the plan, where it is in no file
    plan: "str | None" = None
    defines: "dict[str, str]" = field(default_factory=dict)
    import_dirs: tuple = ()
    read_dirs: tuple = ()
    native: tuple = ()
    stdlib: "str | None" = None
    warnings: tuple = ()


class Workspace:
    """Frees all that was made in it when nothing refers to it any more. `lock` is held in each call."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.lock = threading.RLock()
        self.handle = call("new")
        self._free = weakref.finalize(self, call, "free", self.handle)
        for name, value in settings.defines.items():
            call("define", self.handle, name.encode(), value.encode())
        for setting, folders in (("import_dir", settings.import_dirs), ("read_dir", settings.read_dirs),
                                 ("allow_native", settings.native)):
            for folder in folders:
                call(setting, self.handle, encoded(folder))
        if settings.stdlib:
            call("stdlib_dir", self.handle, encoded(settings.stdlib))
        for option in settings.warnings:
            if not call("warning", self.handle, option.encode()):
                raise ValueError(f"no warning `{option}`: `tsc -W list` prints all names")

    def messages(self):
        with self.lock:
            return parse(text_of("messages_text", self.handle, JSON))

    def check(self, made):
        """`made`, unless it is nothing: then the messages are raised."""
        if not made:
            raise Error(self.messages())
        return made

    def open(self):
        """The compiled plan."""
        s = self.settings
        name = s.plan.encode() if s.plan else None
        if s.text is None:
            return self.check(call("open", self.handle, encoded(s.path), name))
        return self.check(call("compile", self.handle, encoded(s.path), s.text, len(s.text), name))
