"""Runs operators without computing: the shapes are worked out, memory is asked for and never touched.

Small tensors (flags, counts, losses, bookkeeping of frameworks) are computed as always. Of the others a tensor is memory that the system has promised
and not given, which reads as zeros: it costs address space alone, and C++ code may look into it, unlike into fake tensors. So a step of a large model runs
in the memory of a small one (the idea of TorchSim's fake tensors). What is computed from large tensors is zero: a loss of 0, a norm of 0.
"""
import ctypes

import torch
import torch._meta_registrations  # noqa: F401  (shape rules written in Python)
from torch import empty as torch_empty  # held here, as scripts replace it (zero.Init of DeepSpeed)

from .cuda import recurrent, tensors as device_tensors
from .tensors import SMALL, bytes_behind, bytes_of, map_tensors, tensors_in
from .values import Values

ZEROS = {"aten::zeros", "aten::zeros_like", "aten::new_zeros"}  # what untouched memory reads as
LARGE = 4 << 20   # bytes of a tensor of the host beside a stand-in for the device
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
        self.moves = schema.name == "aten::copy_"
        self.in_place = bool(self.writes) and all(r is not None and r.is_write for r in returns)
        self.arguments = [a.name for a in schema.arguments]
        self.returned = [next((a.name for a in self.writes if a.alias_info.before_set == r.before_set), None) if r is not None else None
                         for r in returns]


def fresh_memory():
    """From now on the C library asks the system for tensors that are not small, and gives back what is freed: what nobody touched reads as zeros. (Otherwise it would soon hand out again what
    was freed: mallopt(3), M_MMAP_THRESHOLD.) Where its heap has room, it looks there first: `untouched` tells."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, SMALL)


def untouched(address):
    """Whether an allocation is a mapping of its own, fresh from the system. glibc says so in the size before it (IS_MMAPPED of malloc.c); other libraries do not say."""
    return hasattr(ctypes.CDLL(None), "gnu_get_libc_version") and bool(ctypes.c_size_t.from_address(address - ctypes.sizeof(ctypes.c_size_t)).value & 2)


class Thin:
    """`stand_in`: for cuda (cuda/), which then has the device; None: the host stands for the device. `compute`: really run all."""

    def __init__(self, stand_in=None, compute=False):
        fresh_memory()
        self.stand_in, self.compute = stand_in, compute
        self.computed = set()  # operators without a rule for shapes: really run
        self.values = Values()

    def __call__(self, func, schema, args, kwargs):
        given = tensors_in((args, kwargs))
        if self.stand_in:
            if schema.name == "aten::is_pinned":  # C++ asks (DDP, of what it looks for unused parameters with)
                return self.stand_in.is_pinned(given[0])
            beside = any(device_tensors.on_device(t) for t in given)
            if beside and schema.name in WITHOUT_KERNEL:
                return WITHOUT_KERNEL[schema.name](*args, **kwargs)
            if not beside and not (schema.view or schema.resizes) and self._device(given, kwargs).type != "cuda":
                return self._on_host(func, schema, args, kwargs, given)
        if schema.view or schema.resizes:
            return func(*args, **kwargs) if given else args[0]  # a number of Python that autograd saved
        if self.compute or (given and all(bytes_of(t) <= SMALL for t in given)):
            return self._run(func, schema, args, kwargs)
        if schema.in_place:
            return self._same(schema, args, kwargs)
        return self.promised(func, schema, args, kwargs)

    def _device(self, given, kwargs):
        """Of what an operator makes."""
        if self.stand_in:
            return device_tensors.wanted(given, kwargs, self.stand_in.current)
        return torch.device(kwargs.get("device") or (given[0].device if given else "cpu"))

    def promised(self, func, schema, args, kwargs):
        """What an operator makes, as memory that nobody has touched."""
        given, shown = tensors_in((args, kwargs)), {}
        out = shapes_of(func, schema, args, kwargs, shown)
        if out is None:
            self.computed.add(schema.name)
        if out is None or (not given and all(bytes_of(t) <= SMALL for t in tensors_in(out))):
            return self._run(func, schema, args, kwargs)
        return self._promise(out, self._device(given, kwargs), schema.name in ZEROS, shown)

    def _promise(self, out, device, known=False, shown=()):
        """`shown`: by storage, what was given: a view of it stays one (FSDP2's buffers come back so)."""
        storages, promise = {}, _promise_lent if self.stand_in and device.type == "cuda" else _promise

        def made_of(tensor):
            whole = shown[bytes_behind(tensor)._cdata][1] if shown and bytes_behind(tensor)._cdata in shown else None
            return promise(tensor, device, storages) if whole is None else whole.detach().as_strided_(tensor.size(), tensor.stride(), whole.storage_offset() + tensor.storage_offset())

        made = map_tensors(out, made_of)
        if not known:
            self.values.mark(made)
        return made

    def really(self, func, args, kwargs):
        """Computes, be the operands small or not."""
        return self._run(func, Schema(func), args, kwargs)

    def _run(self, func, schema, args, kwargs):
        out = self._computed(func, schema, args, kwargs)
        self.values.computed(schema, args, kwargs, out)
        return out

    def _computed(self, func, schema, args, kwargs):
        given = tensors_in((args, kwargs))
        if not self.stand_in or not device_tensors.any_on_device(args, kwargs):
            return func(*args, **kwargs)
        if schema.name in WITHOUT_KERNEL:
            return WITHOUT_KERNEL[schema.name](*args, **kwargs)
        device = self._device(given, kwargs)
        try:
            return device_tensors.computed(func, schema, args, kwargs, device)
        except RuntimeError as error:
            if not isinstance(error, NotImplementedError) and "not implemented for" not in str(error):
                raise
            if schema.in_place:  # a kernel for GPUs alone: the values stay as they are
                return self._same(schema, args, kwargs)
            out = shapes_of(func, schema, args, kwargs)
            half = device_tensors.halves(args, kwargs)
            if out is None and half is None:
                raise
            if out is None:
                return device_tensors.computed(func, schema, args, kwargs, device, half)
            return self._promise(out, device)

    def _on_host(self, func, schema, args, kwargs, given):
        """Beside a stand-in the host is itself: what it reads and decides by is computed. Large fractions (a model that is set up before it moves) are not."""
        if schema.in_place and not schema.moves and any(bytes_of(t) > LARGE and t.is_floating_point() for t in given):
            return self._same(schema, args, kwargs)
        if kwargs.get("pin_memory"):
            return self.stand_in.pin(func(*args, **dict(kwargs, pin_memory=False)))
        out = func(*args, **kwargs)
        self.values.computed(schema, args, kwargs, out)
        return out

    @staticmethod
    def host(tensor):
        """The memory of a tensor, to be read and written."""
        return device_tensors.host(tensor)

    def _same(self, schema, args, kwargs):
        """What an operator in place returns: the arguments that it writes."""
        values = dict(zip(schema.arguments, args), **kwargs)
        self.values.mark([values[a.name] for a in schema.writes])
        out = tuple(values[name] for name in schema.returned)
        return None if not out else out[0] if len(out) == 1 else out


def _convolution_backward(grad, given, weight, bias_sizes, *rest):
    """PyTorch 1.13 has none for tensors without memory: gradients are as large as what they belong to."""
    wanted = rest[-1]
    return (torch.empty_like(given) if wanted[0] else None, torch.empty_like(weight) if wanted[1] else None,
            torch_empty(bias_sizes, dtype=grad.dtype, device="meta") if wanted[2] else None)


def _native_dropout(given, probability, training):
    return torch.empty_like(given), torch.empty_like(given, dtype=torch.bool)


def _first(given, *rest, **named):
    return torch.empty_like(given)


RULES = {"aten::convolution_backward": _convolution_backward, "aten::native_dropout": _native_dropout, "aten::native_dropout_backward": _first,
         "aten::_cudnn_rnn": recurrent.shapes, "aten::_cudnn_rnn_backward": recurrent.backward_shapes}

# Of tensors of the stand-in for cuda.
WITHOUT_KERNEL = {"aten::set_": device_tensors.set_, "aten::resize_": device_tensors.resize_, "aten::record_stream": lambda *args: None}


def _like_the_first(schema, args):
    """Operators on lists of tensors give a list like the first; norms a number of each."""
    if not schema.name.startswith("aten::_foreach_"):
        return None
    if schema.name in ("aten::_foreach_norm", "aten::_foreach_max"):
        return [torch_empty((), dtype=t.dtype, device="meta") for t in args[0]]
    return [_meta(t) for t in args[0]]


def shapes_of(func, schema, args, kwargs, shown=None):
    """What an operator makes, without memory; None: no rule tells. `shown`: gets what stands for what it is given, by storage."""
    def meta(tensor):
        out = _meta(tensor)
        if shown is not None:
            shown[bytes_behind(out)._cdata] = out, tensor
        return out

    try:
        return RULES.get(schema.name, func)(*map_tensors(args, meta), **_on_meta(kwargs))
    except (NotImplementedError, RuntimeError, TypeError):
        return _like_the_first(schema, args)


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
        whole = torch_empty(key.nbytes(), dtype=torch.uint8, device=device)
        out = out.set_(bytes_behind(whole), tensor.storage_offset(), tensor.size(), tensor.stride())
    storages[key._cdata] = bytes_behind(out)
    reads_zeros = bytes_of(out) > SMALL and (device.type != "cpu" or untouched(storages[key._cdata].data_ptr()))
    return out if reads_zeros else out.zero_()


def _promise_lent(tensor, device, storages):
    """As _promise, of the stand-in for cuda."""
    key = bytes_behind(tensor)
    if key._cdata not in storages:
        memory = torch_empty(key.nbytes(), dtype=torch.uint8)
        if key.nbytes() <= SMALL or not untouched(memory.data_ptr()):
            memory.zero_()
        storages[key._cdata] = device_tensors.lend(memory, device.index)
    whole = storages[key._cdata].view(tensor.dtype) if tensor.dtype != torch.uint8 else storages[key._cdata].detach()
    return whole.as_strided_(tensor.size(), tensor.stride(), tensor.storage_offset())
