"""A workspace of the library: settings, messages, and what was opened in it."""
from __future__ import annotations

import operator
import os
import re
import threading
import weakref
from dataclasses import dataclass, field

from ._library import JSON, call, text_of
from .messages import Error, OutOfMemory, parse


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
                    "of these, or a str; what is left out keeps its default")


def quoted(value, type_: str):
    """What a parameter of this type is given: for a String, a text is one; a name, or what has signs, an expression."""
    if type_ == "String" and isinstance(value, (list, tuple)):
        return [quoted(one, type_) for one in value]
    plain = isinstance(value, str) and not re.fullmatch(r"[A-Za-z_][\w.]*|.*[\"()\[\]{}].*", value, re.S)
    return '"' + value.replace("\\", "\\\\") + '"' if plain and type_ == "String" else value


def encoded(path) -> bytes:
    """A path as the library takes it. What would name another file there is refused."""
    bytes_ = os.fsencode(path)
    if not bytes_ or b"\0" in bytes_:
        raise ValueError(f"{path!r} is no path: " + ("it holds a NUL" if bytes_ else "it is empty"))
    return bytes_


def text(value, what: str) -> bytes:
    """A str as the library takes it."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{what} holds a NUL: {value!r}")
    return value.encode()  # UnicodeEncodeError, a ValueError, for half of a surrogate pair


MOST_THREADS = 1024


def thread_count(value) -> int:
    """`threads`, checked; 0 or None: one for each processor."""
    count = operator.index(value or 0)
    if not 0 <= count <= MOST_THREADS:
        raise ValueError(f"threads is {count}: 0 (one for each processor) to {MOST_THREADS}")
    return count


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
        if not self.handle:
            raise MemoryError("TrainSpec may use no more memory: trainspec.max_memory")
        self._free = weakref.finalize(self, call, "free", self.handle)
        for name, value in settings.defines.items():
            call("define", self.handle, text(name, "the name of a parameter"), text(value, f"parameter {name}"))
        for setting, folders in (("import_dir", settings.import_dirs), ("read_dir", settings.read_dirs),
                                 ("allow_native", settings.native)):
            for folder in folders:
                call(setting, self.handle, encoded(folder))
        if settings.stdlib:
            call("stdlib_dir", self.handle, encoded(settings.stdlib))
        for option in settings.warnings:
            if not call("warning", self.handle, text(option, "a warning")):
                raise ValueError(f"no warning `{option}`: `tsc -W list` prints all names")

    def messages(self):
        with self.lock:
            return parse(text_of("messages_text", self.handle, JSON) or "")

    def check(self, made):
        """`made`, unless it is nothing: then the messages are raised."""
        if not made:
            messages = self.messages()
            if any(m.code == "E0707" for m in messages):
                raise OutOfMemory(messages)
            raise Error(messages)
        return made

    def open(self):
        """The compiled plan."""
        s = self.settings
        name = text(s.plan, "plan") if s.plan else None
        if s.text is None:
            return self.check(call("open", self.handle, encoded(s.path), name))
        return self.check(call("compile", self.handle, encoded(s.path), s.text, len(s.text), name))
