"""Runs operators without computing: the shapes are worked out, memory is asked for and never touched.

Small tensors (flags, counts, losses, bookkeeping of frameworks) are computed as always. Of the others a tensor is memory that the system has promised
and not given, which reads as zeros: it costs address space alone, and C++ code may look into it, unlike into fake tensors. So a step of a large model runs
in the memory of a small one (the idea of TorchSim's fake tensors). What is computed from large tensors is zero: a loss of 0, a norm of 0.
"""
import ctypes

import torch
import torch._meta_registrations  # noqa: F401  (shape rules written in Python)

from .tensors import bytes_behind, bytes_of, map_tensors, tensors_in

SMALL = 16 << 10  # bytes
M_MMAP_THRESHOLD = -3  # malloc.h of glibc

# Share memory without saying so in their schema.
QUIET_VIEWS = {"aten::_unsafe_view", "aten::_reshape_alias", "aten::lift_fresh", "aten::lift"}


INPLACE_VIEW = getattr(torch.Tag, "inplace_view", None)
RESIZES = {"inductor::resize_storage_bytes_"}


class Schema:
    """What the schema of an operator says about memory."""

    def __init__(self, func):
        schema = func._schema
        self.name = schema.name
        returns = [r.alias_info for r in schema.returns]
        self.writes = [a for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        self.view = schema.name in QUIET_VIEWS or any(r is not None and not r.is_write for r in returns)
        # Changes what a tensor is of its storage, or the size of that, and no values. PyTorch says so by a tag.
        self.resizes = schema.name in RESIZES or INPLACE_VIEW in getattr(func, "tags", ())
        self.in_place = bool(self.writes) and all(r is not None and r.is_write for r in returns)
        self.arguments = [a.name for a in schema.arguments]
        self.returned = [next((a.name for a in self.writes if a.alias_info.before_set == r.before_set), None) if r is not None else None
                         for r in returns]


def fresh_memory():
    """From now on the C library asks the system for each tensor that is not small, and gives back what is freed: what nobody touched reads as zeros. (Otherwise it would soon hand out again what
    was freed: mallopt(3), M_MMAP_THRESHOLD.)"""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, SMALL)


class Thin:
    def __init__(self):
        fresh_memory()
        self.computed = set()  # operators without a rule for shapes: really run

    def __call__(self, func, schema, args, kwargs):
        given = tensors_in((args, kwargs))
        if schema.view or schema.resizes or (given and all(bytes_of(t) <= SMALL for t in given)):
            return func(*args, **kwargs)
        if schema.in_place:
            return self._same(schema, args, kwargs)
        return self.promised(func, schema, args, kwargs)

    def promised(self, func, schema, args, kwargs):
        """What an operator makes, as memory that nobody has touched."""
        given = tensors_in((args, kwargs))
        out = shapes_of(func, schema, args, kwargs)
        if out is None:
            self.computed.add(schema.name)
            return func(*args, **kwargs)
        made = tensors_in(out)
        if not given and all(bytes_of(t) <= SMALL for t in made):
            return func(*args, **kwargs)
        device = torch.device(kwargs.get("device") or (given[0].device if given else "cpu"))
        storages = {}
        return map_tensors(out, lambda t: _promise(t, device, storages))

    @staticmethod
    def really(func, args, kwargs):
        return func(*args, **kwargs)

    @staticmethod
    def host(tensor):
        """The memory of a tensor, to be read and written."""
        return tensor

    @staticmethod
    def _same(schema, args, kwargs):
        """What an operator in place returns: the arguments that it writes."""
        values = dict(zip(schema.arguments, args), **kwargs)
        out = tuple(values[name] for name in schema.returned)
        return None if not out else out[0] if len(out) == 1 else out


def _convolution_backward(grad, given, weight, bias_sizes, *rest):
    """PyTorch 1.13 has none for tensors without memory: gradients are as large as what they belong to."""
    wanted = rest[-1]
    return (torch.empty_like(given) if wanted[0] else None, torch.empty_like(weight) if wanted[1] else None,
            torch.empty(bias_sizes, dtype=grad.dtype, device="meta") if wanted[2] else None)


RULES = {"aten::convolution_backward": _convolution_backward}


def shapes_of(func, schema, args, kwargs):
    """What an operator makes, without memory; None: no rule tells."""
    try:
        return RULES.get(schema.name, func)(*map_tensors(args, _meta), **_on_meta(kwargs))
    except (NotImplementedError, RuntimeError, TypeError):
        return None


def _meta(tensor):
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")


def _on_meta(kwargs):
    kwargs = map_tensors(kwargs, _meta)
    if "device" in kwargs:
        kwargs["device"] = torch.device("meta")
    if kwargs.get("pin_memory"):
        kwargs["pin_memory"] = False
    return kwargs


def _promise(tensor, device, storages):
    """`storages`: of the outputs so far; two that share one share it here too."""
    out = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=device)
    key = bytes_behind(tensor)
    if key._cdata in storages:
        return out.set_(storages[key._cdata], tensor.storage_offset(), tensor.size(), tensor.stride())
    if bytes_behind(out).nbytes() != key.nbytes():  # a part of what the operator has asked for
        whole = torch.empty(key.nbytes(), dtype=torch.uint8, device=device)
        out = out.set_(bytes_behind(whole), tensor.storage_offset(), tensor.size(), tensor.stride())
    storages[key._cdata] = bytes_behind(out)
    return out.zero_() if bytes_of(out) <= SMALL else out
