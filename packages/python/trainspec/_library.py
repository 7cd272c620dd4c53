"""The C library, called by ctypes: what trainspec.h declares, and nothing else.

Looked for in this order: the file that TRAINSPEC_LIBRARY names, the one in the wheel, that of the
checkout around this package, and the installed one.
"""
from __future__ import annotations

import ctypes
import math
import operator
import os
import pathlib
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32,
                    c_uint64, c_void_p)

TEXT, JSON, CSV, HTML, SVG = range(5)  # trainspec_format
RANKED, LEFT_OUT, TOO_LARGE, REFUSED = range(4)  # trainspec_state
KINDS = ("compute", "collective", "send", "receive", "host", "other")  # trainspec_kind
NO_PEER = 0xFFFFFFFF

Progress = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_double)


class Options(Structure):
    _fields_ = [("network", c_char_p), ("overlap", c_char_p), ("contention", c_bool), ("no_fold", c_bool),
                ("threads", c_uint32), ("progress", Progress), ("closure", c_void_p), ("allocator", c_char_p)]


class Figure(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("better", c_int)]


class Parameter(Structure):
    _fields_ = [(name, c_char_p) for name in ("name", "type", "default_value", "value")]


class TimeParts(Structure):
    _fields_ = [(name, c_double) for name in ("compute", "exposed_communication", "bubble", "host", "tail")]


class Result(Structure):
    _fields_ = [("step_ps", c_uint64), ("time", TimeParts), ("figures", POINTER(c_double)),
                ("samples_per_second", c_double), ("fullest_rank", c_uint32),
                ("peak", c_uint64), ("reserved", c_uint64), ("limit", c_uint64), ("nodes", c_uint64),
                ("step_low_ps", c_uint64), ("step_high_ps", c_uint64)]


class Rank(Structure):
    _fields_ = [("like", c_uint32), ("end_ps", c_uint64), ("compute_ps", c_uint64), ("exposed_ps", c_uint64),
                ("bubble_ps", c_uint64), ("host_ps", c_uint64), ("tail_ps", c_uint64), ("peak", c_uint64),
                ("limit", c_uint64)]


class Event(Structure):
    _fields_ = [("kind", c_int), ("label", c_char_p), ("what", c_char_p), ("stream", c_char_p),
                ("issued_ps", c_uint64), ("ready_ps", c_uint64), ("start_ps", c_uint64), ("end_ps", c_uint64),
                ("peer", c_uint32)]


class Critical(Structure):
    _fields_ = [("kind", c_char_p), ("name", c_char_p), ("label", c_char_p), ("time_ps", c_uint64),
                ("count", c_uint64)]


class Outcome(Structure):
    _fields_ = [("state", c_int), ("result", Result), ("objective", c_double), ("why", c_char_p)]


Each = CFUNCTYPE(None, c_void_p, POINTER(Event))
Held = CFUNCTYPE(None, c_void_p, c_uint64, POINTER(c_int64))

_FUNCTIONS = {  # name: (result, arguments)
    "version": (c_char_p, ()),
    "new": (c_void_p, ()),
    "free": (None, (c_void_p,)),
    "max_memory": (None, (c_uint64,)),
    "define": (None, (c_void_p, c_char_p, c_char_p)),
    "import_dir": (None, (c_void_p, c_char_p)),
    "read_dir": (None, (c_void_p, c_char_p)),
    "allow_native": (None, (c_void_p, c_char_p)),
    "stdlib_dir": (None, (c_void_p, c_char_p)),
    "warning": (c_bool, (c_void_p, c_char_p)),
    "messages_text": (c_void_p, (c_void_p, c_int, POINTER(c_size_t))),
    "open": (c_void_p, (c_void_p, c_char_p, c_char_p)),
    "compile": (c_void_p, (c_void_p, c_char_p, c_char_p, c_size_t, c_char_p)),
    "import": (c_char_p, (c_void_p, c_char_p, POINTER(c_char_p), c_size_t, c_char_p, c_char_p)),
    "write": (c_bool, (c_void_p, c_char_p)),
    "ranks": (c_uint32, (c_void_p,)),
    "plan_name": (c_char_p, (c_void_p,)),
    "parameter_at": (c_bool, (c_void_p, c_size_t, POINTER(Parameter))),
    "play": (c_void_p, (c_void_p, POINTER(Options))),
    "figure_at": (c_bool, (c_size_t, POINTER(Figure))),
    "result_of": (Result, (c_void_p,)),
    "rank_of": (Rank, (c_void_p, c_uint32)),
    "category": (c_char_p, (c_size_t,)),
    "held_at_peak": (c_uint64, (c_void_p, c_uint32, c_size_t)),
    "timeline": (None, (c_void_p, c_uint32, Each, c_void_p)),
    "memory": (None, (c_void_p, c_uint32, Held, c_void_p)),
    "start_of": (c_uint64, (c_void_p, c_uint32)),
    "critical_at": (c_bool, (c_void_p, c_size_t, POINTER(Critical))),
    "report_text": (c_void_p, (c_void_p, c_int, POINTER(c_size_t))),
    "trace": (c_bool, (c_void_p, c_char_p)),
    "sweep_open": (c_void_p, (c_void_p, c_char_p, c_char_p, c_char_p)),
    "sweep_plans": (c_size_t, (c_void_p,)),
    "sweep_maximizes": (c_bool, (c_void_p,)),
    "sweep_column": (c_char_p, (c_void_p, c_size_t)),
    "sweep_value": (c_char_p, (c_void_p, c_size_t, c_size_t)),
    "sweep_play": (c_bool, (c_void_p, c_size_t, POINTER(Outcome))),
}


def _candidates():
    name = "libtrainspec.dylib" if sys.platform == "darwin" else "libtrainspec.so"
    if os.environ.get("TRAINSPEC_LIBRARY"):
        return [os.environ["TRAINSPEC_LIBRARY"]]
    here = pathlib.Path(__file__).resolve().parent
    files = [here / name, here.parents[2] / "build" / name]
    installed = "libtrainspec.0.dylib" if sys.platform == "darwin" else "libtrainspec.so.0"
    return [str(f) for f in files if f.is_file()] or [installed]


def _load():
    path = _candidates()[0]
    try:
        library = ctypes.CDLL(path)
    except OSError as e:
        raise ImportError(f"TrainSpec's library could not be loaded: {e}. Install TrainSpec, or name the file of "
                          "the library in TRAINSPEC_LIBRARY") from e
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, f"trainspec_{name}")
        except AttributeError:
            raise ImportError(f"{path} is another version of TrainSpec than this package: it has no "
                              f"trainspec_{name}") from None
        function.restype, function.argtypes = result, arguments
    return library


_lib = _load()


def call(name, *arguments):
    """trainspec_NAME(...). The interpreter's lock is released meanwhile."""
    return getattr(_lib, f"trainspec_{name}")(*arguments)


def text_of(name, handle, form):
    """Text that a function returns with its size; None where it returned NULL."""
    size = c_size_t()
    at = call(name, handle, form, ctypes.byref(size))
    return ctypes.string_at(at, size.value).decode("utf-8", "replace") if at else None


def _categories():
    names = []
    while name := call("category", len(names)):
        names.append(name.decode())
    return tuple(names)


CATEGORIES = _categories()  # of memory


def _figures():
    figures, at = {}, Figure()
    while call("figure_at", len(figures), ctypes.byref(at)):
        figures[at.name.decode()] = at.unit.decode().replace("bit", "B")
    return figures


FIGURES = _figures()  # of a step: the unit of each


def figures_of(result) -> dict:
    """Plain values: s, B, J, $, g, shares 0..1, counts; None: not known."""
    values = {name: result.figures[i] if result.figures else math.nan for i, name in enumerate(FIGURES)}
    return {name: None if math.isnan(value) else value / 8 if FIGURES[name] == "B" else value if FIGURES[name]
            else int(value) for name, value in values.items()}


def version() -> str:
    """The library's version: "0.1.0"."""
    return call("version").decode()


def max_memory(size=0) -> None:
    """The most bytes that all plans, results and sweeps of this process may hold together; 0: no limit.

    Half of the machine's memory, or of the container's where that is less, unless set. What needs more raises
    OutOfMemory, which is a MemoryError and an Error.
    """
    count = operator.index(size)
    if not 0 <= count < 1 << 64:
        raise ValueError(f"max_memory is {count}: bytes, or 0 for no limit")
    call("max_memory", count)
