"""Tensors of the stand-in: memory of the host under the name of the device.

DLPack hands tensors from one library to another with the device that they are on. Here PyTorch hands itself memory of the host and reads another device beside it. What comes back is
a tensor of CUDA to all of PyTorch: operators, autocast and autograd take the ways that they take there. It has no kernels, though: views are made below, all else by Thin.
"""
import ctypes
import warnings

import torch
from torch import empty as torch_empty  # held here, as scripts replace it (zero.Init of DeepSpeed)
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from ..tensors import bytes_behind, map_tensors, tensors_in
from . import recurrent
from .attention import attention

HOST = torch.device("cpu")
KIND, NUMBER, CUDA = 8, 12, 2  # in a DLTensor: where the device and its number stand; kDLCUDA

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def on_device(tensor):
    return tensor.device.type == "cuda"


def lend(tensor, number):
    """The same memory as a tensor of device `number`. The storage is all that the given one has."""
    storage = bytes_behind(tensor)
    whole = torch_empty(0, dtype=torch.uint8).set_(storage)
    capsule = torch.utils.dlpack.to_dlpack(whole)
    described = _pointer(capsule, b"dltensor")
    ctypes.c_int32.from_address(described + KIND).value = CUDA
    ctypes.c_int32.from_address(described + NUMBER).value = number
    out = torch._C._from_dlpack(capsule)
    if tensor.dtype != torch.uint8:
        out = out[:storage.nbytes() // tensor.element_size() * tensor.element_size()].view(tensor.dtype)
    return out.as_strided_(tensor.size(), tensor.stride(), tensor.storage_offset())


def host(tensor):
    """The same memory as a tensor of the host; lives no longer than the given one."""
    if not on_device(tensor):
        return tensor
    if not tensor.numel():
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype)
    size, stride = tensor.size(), tensor.stride()
    extent = (1 + sum((n - 1) * step for n, step in zip(size, stride))) * tensor.element_size()
    memory = (ctypes.c_uint8 * extent).from_address(tensor.data_ptr())
    return torch.frombuffer(memory, dtype=tensor.dtype).as_strided(size, stride)


def empty(size, stride, dtype, number):
    return lend(torch.empty_strided(size, stride, dtype=dtype), number)


def wanted(given, kwargs, current):
    """The device of what an operator makes: the one asked for, or that of what it is given."""
    asked = kwargs.get("device")
    if asked is None:
        return next((t.device for t in given if on_device(t)), HOST)
    asked = torch.device(asked)
    return torch.device("cuda", current()) if asked.type == "cuda" and asked.index is None else asked


HALVES = (torch.float16, torch.bfloat16)


def halves(args, kwargs):
    """The first of half precision among the operands' formats, or None."""
    return next((t.dtype for t in tensors_in((args, kwargs)) if t.dtype in HALVES), None)


def computed(func, schema, args, kwargs, device, half=None):
    """What the operator makes, by the kernels of the host. `device`: of the outputs. `half`: the host has no kernel for this format: single precision stands in, and is rounded to it."""
    entered = []

    def enter(tensor):
        there, tensor = tensor, host(tensor)
        entered.append((there, tensor))
        return tensor.float() if half and tensor.dtype in HALVES else tensor

    def leave(tensor):
        """A view of what was given, such as an operator that writes into a buffer returns, stays one: it keeps that alive."""
        for there, here in entered:
            offset = tensor.data_ptr() - here.data_ptr()
            if on_device(there) and tensor.numel() and tensor.dtype == there.dtype and 0 <= offset < bytes_behind(here).nbytes():
                return there.detach().as_strided_(tensor.size(), tensor.stride(), there.storage_offset() + offset // there.element_size())
        return lend(tensor, device.index)

    given = dict(map_tensors(kwargs, enter))
    if given.get("device") is not None:
        given["device"] = HOST
    given.pop("pin_memory", None)
    made = func(*(HOST if isinstance(a, torch.device) else a for a in map_tensors(args, enter)), **given)
    if half:
        made = map_tensors(made, lambda t: t.to(half) if t.dtype is torch.float32 else t)
    if schema.in_place:
        values = dict(zip(schema.arguments, args), **kwargs)
        out = tuple(values[name] for name in schema.returned)
        return None if not out else out[0] if len(out) == 1 else out
    return map_tensors(made, leave) if device.type == "cuda" else made


# ---- views: metadata alone ----

def _as_strided(tensor, size, stride, offset=None):
    return tensor.detach().as_strided_(size, stride, tensor.storage_offset() if offset is None else offset)


def _like(function):
    """A view as tensors without memory have it."""
    def view(tensor, *args):
        shape = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")
        out = function(shape, *args)
        offset = tensor.storage_offset()
        if out.dtype != tensor.dtype:  # real and imaginary parts
            tensor, offset = torch.ops.aten.view.dtype(tensor.detach().as_strided_([tensor.numel()], [1], offset), out.dtype), offset * tensor.element_size() // out.element_size()
        return tensor.detach().as_strided_(out.size(), out.stride(), offset + out.storage_offset())
    return view


VIEWS = {"as_strided": _as_strided, "view": _like(torch.ops.aten.view.default), "_reshape_alias": _like(torch.ops.aten._reshape_alias.default), "unfold": _like(torch.ops.aten.unfold.default),
         "view_as_real": _like(torch.ops.aten.view_as_real.default), "view_as_complex": _like(torch.ops.aten.view_as_complex.default)}
_libraries = [torch.library.Library("aten", "IMPL")]


def register(run):
    """`run`: what runs an operator that comes by where no mode is active (PyTorch prints a tensor so), also where PyTorch was built with kernels for a GPU."""
    def by_run(func):
        return lambda *args, **kwargs: run(func, args, kwargs)

    for name, function in VIEWS.items():
        if not torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", "CUDA"):
            _libraries[0].impl(name, function, "CUDA")
    for func in (torch.ops.aten.copy_.default, torch.ops.aten._to_copy.default):  # made for all devices from a kernel that this one lacks
        _libraries[0].impl(func._schema.name.replace("aten::", ""), by_run(func), "CUDA")
    if torch.backends.cuda.is_built():
        _replace_kernels(by_run)
    if hasattr(torch.nn.functional, "scaled_dot_product_attention"):
        for key in ("CUDA", "AutogradCUDA"):
            _libraries[0].impl("scaled_dot_product_attention", attention, key)
    recurrent.install(_libraries[0])
    if hasattr(torch.library.Library, "fallback"):
        _libraries.append(torch.library.Library("_", "IMPL"))
        _libraries[1].fallback(lambda func, *args, **kwargs: run(func, args, kwargs), "CUDA")


def _replace_kernels(by_run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there was a kernel
        for name in torch._C._dispatch_get_registrations_for_dispatch_key("CUDA"):
            space, _, rest = name.partition("::")
            operator, _, overload = rest.partition(".")
            if space == "aten" and operator not in VIEWS and operator not in ("copy_", "_to_copy"):
                _libraries[0].impl(rest, by_run(getattr(getattr(torch.ops.aten, operator), overload or "default")), "CUDA")


class Unrecorded(TorchDispatchMode):
    """What the tracer itself does to tensors of the device. `run`: as the recorder runs operators."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.run(func, args, kwargs or {})


class Storages:
    """What storages do beside tensors. One that was resized keeps its memory, and has as many bytes as it is said to have."""

    def __init__(self):
        self.known = {}  # by storage, with a reference that keeps its number from another
        kind = type(bytes_behind(torch_empty(0)))
        resize, nbytes = kind.resize_, kind.nbytes

        def size(storage):
            found = self.known.get(storage._cdata)
            return nbytes(storage) if found is None or found[0].expired() else found[1]

        def resize_(storage, wanted):
            if storage.device.type != "cuda":
                return resize(storage, wanted)
            if wanted > nbytes(storage):
                raise RuntimeError(f"a storage of the stand-in for cuda grows to no more than it had: {nbytes(storage)} bytes, not {wanted}")
            self.known[storage._cdata] = StorageWeakRef(storage), int(wanted)
            return storage

        def cuda(storage, device=None, non_blocking=False, **_):
            to = torch_empty(storage.nbytes(), dtype=torch.uint8, device="cuda" if device is None else device)
            return bytes_behind(to.copy_(torch_empty(0, dtype=torch.uint8, device=storage.device).set_(storage), non_blocking))

        def to(storage, *, device, non_blocking=False):
            return cuda(storage, device) if torch.device(device).type == "cuda" else move(storage, device=device, non_blocking=non_blocking)

        move = getattr(kind, "to", None)
        kind.resize_, kind.nbytes, kind.size, kind.__len__, kind.cuda, kind.to = resize_, size, size, size, cuda, to


def _from_storage(storage, dtype, number):
    if not storage.nbytes():
        return empty([0], [1], dtype, number)
    kind = type("Memory", (ctypes.c_uint8 * storage.nbytes(),), {})  # a class of its own may hold the storage, so that it lives
    memory = kind.from_address(storage.data_ptr())
    memory.storage = storage
    return lend(torch.frombuffer(memory, dtype=dtype), number)


def set_(tensor, source=None, offset=0, size=None, stride=()):
    """Tensor.set_ from another tensor or from a storage: of that another one with the same memory."""
    if source is None:
        source = empty([0], [1], tensor.dtype, tensor.device.index)
    if not isinstance(source, torch.Tensor):
        source = _from_storage(source, tensor.dtype, tensor.device.index)
    tensor.data = source.detach().as_strided_(source.size() if size is None else size, source.stride() if size is None else stride or _rows(size), offset or source.storage_offset())
    return tensor


def resize_(tensor, size, memory_format=None):
    """Tensor.resize_: rows one after the other, in the storage that is there if it is large enough."""
    need = tensor.storage_offset() + torch.Size(size).numel()
    if need * tensor.element_size() > bytes_behind(tensor).nbytes():
        tensor.data = empty([need], [1], tensor.dtype, tensor.device.index).as_strided_(size, _rows(size), tensor.storage_offset())
        return tensor
    return tensor.as_strided_(size, _rows(size))


def _rows(size):
    out = [1]
    for n in reversed(list(size)[1:]):
        out.insert(0, out[0] * max(n, 1))
    return out if len(size) else []


def any_on_device(args, kwargs):
    asked = kwargs.get("device")
    return (asked is not None and torch.device(asked).type == "cuda") or any(on_device(t) for t in tensors_in((args, kwargs)))
