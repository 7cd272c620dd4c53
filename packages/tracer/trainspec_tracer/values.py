"""Values that nobody computed, followed to the places of a script that take them or go by them.

What a large tensor holds is memory that nobody touched (thin.py). What is worked out from it is marked too, by its storage, down to numbers of Python: `loss.item()` gives a number that knows where it
is from, and a comparison of it decides what the script does next. Such places are told with file and line, so that no trace looks whole which took its way by such a value.

A place decides where a branch, an index, an exit or the shape of a tensor follows from the value; elsewhere it takes it, as a script does that prints its loss. What PyTorch's own files decide (GradScaler asks
whether gradients are finite) is told and refuses no trace: they take the way of an ordinary step. So does a script that asks whether a loss is finite: it is.

A value knows its causes: memory that nobody touched, and operators that chose by scores which nobody computed (routing.py). What such an operator chose is made up as stated where it sends rows to experts,
and then nothing that follows is told; it is a decision of the script's where it reaches a branch or a table instead.
"""
import builtins
import json.encoder
import operator
import os
import sys
import weakref

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from .tensors import SMALL, STORAGES_LAST, bytes_behind, bytes_of, map_tensors, tensors_in

OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
PYTORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
THROUGH = {PYTORCH + os.path.join(*path) for path in (("_tensor.py",), ("_ops.py",), ("utils", "_contextlib.py"), ("utils", "_python_dispatch.py"), ("autograd", "grad_mode.py"), ("_compile.py",), ("_dynamo", "eval_frame.py"))}  # act for their caller
PRINTS = {PYTORCH + "_tensor_str.py", json.encoder.__file__}

READS = {"aten::_local_scalar_dense", "aten::equal", "aten::is_nonzero", "aten::allclose"}
OVERWRITES = {"aten::zero_", "aten::fill_", "aten::copy_"}
LONGEST = getattr(torch, "uint64", None)  # whose numbers do not come back through a dispatch mode
FINITE = "isnan", "isinf", "isfinite"
MANY = 4096  # numbers of a list that are looked at when a tensor is made of it
UNTOUCHED = frozenset(["memory that nobody touched"])  # a cause, beside Choices
NONE = frozenset()


def masks(given):
    return [t for t in given[1:] if t.dtype in (torch.bool, torch.uint8)]


# Make tensors whose shape follows from the values of these, of what they are given.
SHAPES = {"aten::masked_select": masks, "aten::index": masks}
SHAPES.update(dict.fromkeys(("aten::nonzero", "aten::_unique", "aten::_unique2", "aten::unique_dim", "aten::unique_consecutive", "aten::bincount", "aten::repeat_interleave"),
                            lambda given: given[:1]))


class Choice:
    """The calls of an operator that chooses among `count`, at one place of the script, and what they were seen to reach."""

    def __init__(self, count):
        self.count, self.moves, self.looks_up = count, False, False

    @property
    def routes(self):
        """It sends rows to experts. A number that is looked up in a table, as a decoder does with the word that it chose, is no expert's."""
        return self.moves and not self.looks_up


def place(script=False):
    """(file, line, whether it is PyTorch's own) of who asks, of the script's own code if `script`; None: a tensor or a number is written out. The file as seen from the working directory or from the
    folder of packages."""
    frame, found = sys._getframe(1), None
    while frame is not None:
        name = frame.f_code.co_filename
        if name in PRINTS:
            return None
        if found is None and not name.startswith((OWN, "<")) and name not in THROUGH and not (script and name.startswith(PYTORCH)):
            found = name, frame.f_lineno
        frame = frame.f_back
    name, line = found or ("?", 0)
    return shown(name), line, name.startswith(PYTORCH)


def shown(path):
    for packages in ("site-packages", "dist-packages"):
        head, mark, tail = path.rpartition(os.sep + packages + os.sep)
        if mark:
            return tail
    here = os.path.relpath(path)
    return here if not here.startswith(os.pardir) else os.path.basename(path)


# A reference that tells whether a storage lives. One of C++ would keep a Python object that lasts as long as the storage (memory.py), one of Python is lost where it does not.
if STORAGES_LAST:
    weakly, lives = weakref.ref, lambda mark: mark() is not None
else:
    weakly, lives = StorageWeakRef, lambda mark: not mark.expired()


def behind(tensor):
    """The storage of a tensor; None: it has none of its own."""
    try:
        return bytes_behind(tensor)
    except (RuntimeError, NotImplementedError, AttributeError):
        return None


class Values:
    """Which storages hold what nobody computed, why, and what was done by such values."""

    def __init__(self):
        self.marks, self.room = {}, 1024  # (a reference that keeps its number from another, causes) by storage
        self.read = NONE                  # causes of the last number taken out of a tensor
        self.told = {}                    # (file, line, of PyTorch, what, whether it decides, causes): how often
        self.choices = {}                 # Choices by place, operator and count

    # ---- tensors ----

    def causes(self, value):
        """Of all tensors in it; none: they were computed."""
        out = NONE
        for tensor in tensors_in(value) if self.marks else ():
            storage = behind(tensor)
            found = None if storage is None else self.marks.get(storage._cdata)
            if found is not None and lives(found[0]):
                out |= found[1]
        return out

    def mark(self, out, causes=UNTOUCHED):
        for tensor in tensors_in(out):
            storage = behind(tensor)
            if storage is None:
                continue
            known = self.marks.get(storage._cdata)
            if known is None or not lives(known[0]):
                self.marks[storage._cdata] = weakly(storage), causes
            elif not causes <= known[1]:
                self.marks[storage._cdata] = known[0], known[1] | causes
        if len(self.marks) > self.room:
            self.marks = {key: mark for key, mark in self.marks.items() if lives(mark[0])}
            self.room = max(1024, 2 * len(self.marks))

    def clear(self, out):
        for tensor in tensors_in(out):
            storage = behind(tensor)
            if storage is not None:
                self.marks.pop(storage._cdata, None)

    def choice(self, name, count):
        """Of the operator, where the script is now."""
        return self.choices.setdefault((place(script=True), name, count), Choice(count))

    def computed(self, schema, args, kwargs, out):
        """An operator was really run."""
        given = tensors_in((args, kwargs))
        causes = self.causes(given[1:] if schema.name in OVERWRITES else given)
        if causes:
            if schema.name in READS:
                self.read = causes
            elif schema.name in SHAPES:
                self.tell(f"shape of {schema.name.replace('aten::', '')}", True, self.causes(SHAPES[schema.name](given)))
            self.mark(out, causes)
            if schema.writes:
                self.mark([value for name, value in [*zip(schema.arguments, args), *kwargs.items()] if any(name == a.name for a in schema.writes)], causes)
        elif schema.name in OVERWRITES and bytes_of(given[0]) == bytes_behind(given[0]).nbytes():
            self.clear(given[0])

    # ---- places ----

    def tell(self, what, decides, causes, script=False):
        at = place(script) if causes else None
        if at is not None:
            key = (*at, what, decides and not at[2], causes)
            self.told[key] = self.told.get(key, 0) + 1

    def combined(self, out, sources, made_up=False):
        """What ranks gave each other. `made_up`: it stands for what other ranks would have given, which nobody computed."""
        causes = self.causes(sources) | (UNTOUCHED if made_up else NONE)
        if causes:
            self.mark(out, causes)

    def graph(self):
        """For the graph: where values were taken or gone by, in the order of files and lines. What experts' choices alone decide goes as stated."""
        times = {}
        for (*key, causes), count in self.told.items():
            if any(not (isinstance(cause, Choice) and cause.routes) for cause in causes):
                times[tuple(key)] = times.get(tuple(key), 0) + count
        return [{"file": file, "line": line, "what": what, "times": times[file, line, own, what, decides], **({"decides": True} if decides else {})}
                for file, line, own, what, decides in sorted(times)]

    # ---- what Python takes out of a tensor ----

    def watch(self):
        """Replaces the methods of tensors that give numbers of Python, and those that take them."""
        kind, asked = torch.Tensor, self._asked
        item, tolist, numpy, array = kind.item, kind.tolist, kind.numpy, kind.__array__

        def unsigned(tensor):
            return item(tensor.view(torch.int64)) % 2**64

        kind.item = lambda tensor: self._number(*asked(item if tensor.dtype != LONGEST else unsigned, tensor), "item()")
        kind.tolist = lambda tensor: self._numbers(tolist(tensor), tensor, "tolist()")
        kind.numpy = lambda tensor, *args, **how: self._taken(tensor, "numpy()") or numpy(tensor, *args, **how)
        kind.__array__ = lambda tensor, *args, **how: self._taken(tensor, "numpy()") or array(tensor, *args, **how)
        for name, what, decides in (("__bool__", "truth of a tensor", True), ("__index__", "index", True), ("__int__", "int()", False), ("__float__", "float()", False)):
            setattr(kind, name, self._converted(getattr(kind, name), what, decides))
        kind.__setitem__ = self._set(kind.__setitem__)
        for name in ("tensor", "as_tensor", "full"):
            replace(name, self._made(getattr(torch, name)))
        for name in FINITE:
            replace(name, self._ordinary(getattr(torch, name), name))
            setattr(kind, name, self._ordinary(getattr(kind, name), name))
        equal = torch.equal
        replace("equal", lambda one, other: self._decided(*asked(equal, one, other), "equal()"))

    def _asked(self, method, *given):
        self.read = NONE
        out = method(*given)
        return out, self.read

    def _number(self, out, read, what):
        if not read:
            return out
        self.tell(what, isinstance(out, bool), read)  # truth cannot be followed further
        return marked(out, self, read)

    def _decided(self, out, read, what):
        self.tell(what, True, read)
        return out

    def _converted(self, method, what, decides):
        def convert(tensor):
            out, read = self._asked(method, tensor)
            self.tell(what, decides, read)
            return out
        return convert

    def _ordinary(self, method, name):
        """Whether a value is finite: it is in most steps, and untouched memory reads so. Of what is not even run, the answer stays unknown."""
        def ask(*args, **named):
            out = method(*args, **named)
            given = tensors_in((args, named))[0]
            causes = self.causes(given)
            if causes and bytes_of(given) <= SMALL:
                self.tell(f"{name}()", False, causes)
                self.clear(out)
            return out
        return ask

    def _taken(self, tensor, what):
        self.tell(what, False, self.causes(tensor))

    def _numbers(self, out, tensor, what):
        causes = self.causes(tensor)
        if not causes:
            return out
        self.tell(what, tensor.dtype == torch.bool, causes)
        return mapped(out, lambda number: marked(number, self, causes))

    def _set(self, method):
        def set_item(tensor, index, value):
            method(tensor, index, value)
            if isinstance(value, Number):
                self.mark(tensor, value.causes)
        return set_item

    def _made(self, make):
        def made(*args, **kwargs):
            if args and isinstance(args[0], (list, tuple)) and len(args[0]) <= MANY and tensors_in(args[0]):
                args, kwargs = (map_tensors(args[0], plain_number), *args[1:]), {"dtype": tensors_in(args[0])[0].dtype, **kwargs}
            out = make(*args, **kwargs)
            causes = causes_in(args)
            if causes:
                self.mark(out, causes)
            return out
        return made


def replace(name, function):
    """A function of torch; TorchScript takes the new one for the operator that it took the old one for."""
    known = torch.jit._builtins._find_builtin(getattr(torch, name))
    if known:
        torch.jit._builtins._register_builtin(function, known)
    setattr(torch, name, function)


def decided(graph):
    """Of a graph's places, those where a value decided what the script did."""
    return [at for at in graph.get("values", ()) if at.get("decides")]


def said(at):
    return f"  {at['file']}:{at['line']}: {at['what']}" + (f", {at['times']} times" if at["times"] > 1 else "")


def mapped(value, change):
    return [mapped(v, change) for v in value] if isinstance(value, list) else change(value)


def plain_number(tensor):
    """Of a tensor of one number in a list of which a tensor is made. torch.tensor would ask for it where no mode is seen."""
    return tensor.item() if tensor.numel() == 1 else tensor


def causes_in(value):
    """Of the numbers in nested lists."""
    if isinstance(value, (list, tuple)) and len(value) <= MANY:
        return NONE.union(*map(causes_in, value))
    return value.causes if isinstance(value, Number) else NONE


# ---- numbers ----

class Number:
    """Of Python, worked out from values that nobody computed. What is worked out from it is one too."""

    def __reduce__(self):
        return self.plain, (self.plain(self),)

    def __bool__(self):
        self.values.tell("truth of a number", True, self.causes)
        return self.plain.__bool__(self)


def marked(number, values, causes=UNTOUCHED):
    for plain, kind in ((float, Float), (int, Int)):
        if type(number) is plain:
            out = kind(number)
            out.values, out.causes = values, causes
            return out
    return number


def _works_out(plain, name, reflected=False):
    work = getattr(operator, name, None) or getattr(builtins, name)

    def method(self, *others):
        out = work(*others, plain(self)) if reflected else work(plain(self), *others)
        causes = self.causes | causes_in(others)
        self.values.mark(out, causes)  # of a number and a tensor
        return marked(out, self.values, causes)
    return method


def _compares(plain, name):
    def method(self, other):
        out = getattr(plain, name)(self, other)
        if out is not NotImplemented:
            self.values.tell("comparison of a number", True, self.causes | causes_in([other]))
        return out
    return method


ALONE, WITH = ("neg", "pos", "abs", "round"), ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")


def _kind(plain):
    body = {"plain": plain, "__hash__": plain.__hash__}
    body.update({f"__{name}__": _works_out(plain, name) for name in ALONE + WITH})
    body.update({f"__r{name}__": _works_out(plain, name, reflected=True) for name in WITH})
    body.update({f"__{name}__": _compares(plain, f"__{name}__") for name in ("lt", "le", "gt", "ge", "eq", "ne")})
    return type(plain.__name__.capitalize(), (Number, plain), body)


Float, Int = _kind(float), _kind(int)
