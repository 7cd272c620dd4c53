"""A stand-in for `cuda`, for PyTorch built without or with it: a script that asks for a GPU gets one that computes nothing.

guard.py     the device as PyTorch's C++ asks for it
tensors.py   tensors of the device, in memory of the host that nobody touches
runtime.py   the functions below torch.cuda; streams.py, random.py: its classes
devices.py   properties of GPUs
"""
import importlib
import types

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from ..tensors import bytes_behind
from . import guard, tensors
from .devices import GPUS
from .random import Generator
from .runtime import Runtime
from .streams import classes


class StandIn:
    """`name`: of a GPU of devices.GPUS. `count`: devices of the node. ValueError: no such GPU; guard.Unsupported: not with this PyTorch."""

    def __init__(self, recorder, name, count):
        if name not in GPUS:
            raise ValueError(f"no GPU `{name}`: {', '.join(GPUS)}")
        self.selected = [0]
        guard.install(count, self.current)
        self.runtime = Runtime(recorder, name, count, self.selected)
        self.runtime.install()
        tensors.register(recorder._act)
        _reload_torch_cuda(self.runtime)
        self.pinned, self.storages = {}, tensors.Storages()
        _replace_functions(self)
        _show_nccl()

    def current(self):
        return self.selected[0]

    def pin(self, tensor):
        """Pinned memory is memory of the host that is known by its storage, for as long as that lives."""
        storage = bytes_behind(tensor)
        self.pinned[storage._cdata] = StorageWeakRef(storage)  # its number is not given again while this is held
        return tensor

    def is_pinned(self, tensor):
        storage = None if tensor.is_cuda else self.pinned.get(bytes_behind(tensor)._cdata)
        return storage is not None and not storage.expired()

    @property
    def room(self):
        """Bytes that a script can have."""
        return self.runtime._memory_left()[1]


class CUDAGraph:
    def __new__(cls, *_, **__):
        raise RuntimeError("CUDA graphs are not in the stand-in for cuda: nobody sees the kernels that they start again. Run the script without them; its operators are the same")


def _reload_torch_cuda(runtime):
    """torch.cuda looks once whether there is CUDA below it: it looks again."""
    torch._C._CudaStreamBase, torch._C._CudaEventBase = classes(runtime)
    if hasattr(torch, "accelerator"):  # whose streams are those of the device
        torch.Stream, torch.Event = torch._C._CudaStreamBase, torch._C._CudaEventBase
    torch._C._CudaDeviceProperties = types.SimpleNamespace
    torch._C._nvtx = runtime.ranges()
    torch.version.cuda, torch._C._has_cudnn = torch.version.cuda or "12.4", True
    importlib.reload(torch.cuda.streams)
    importlib.reload(torch.cuda.nvtx)
    importlib.reload(torch.cuda)
    torch.cuda.CUDAGraph = torch.cuda.graphs.CUDAGraph = CUDAGraph


def _replace_functions(stand_in):
    """What takes its way past the dispatcher, or asks for parts of PyTorch that were not built."""
    torch.Generator = Generator
    for owner, name in ((torch, "tensor"), (torch, "as_tensor"), (torch, "scalar_tensor")):
        setattr(owner, name, _by_the_host(getattr(owner, name)))
    new_tensor = torch.Tensor.new_tensor

    def new(self, data, *, device=None, **kwargs):
        return _by_the_host(new_tensor)(self, data, device=device or self.device, **kwargs) if self.is_cuda else new_tensor(self, data, device=device, **kwargs)

    torch.Tensor.new_tensor = new
    torch._C._scatter = _scatter
    torch.Tensor.record_stream = lambda self, stream: None  # to the caching allocator, which is not there; C++ takes a stream of its own class alone
    _replace_pinning(stand_in)


def _scatter(tensor, devices, chunk_sizes=None, dim=0, streams=None):
    """What DataParallel gives its devices."""
    if len(devices) > 1:
        raise RuntimeError(f"DataParallel of {len(devices)} devices in one process is not traced: DistributedDataParallel, or one device, is")
    return (tensor.to(torch.device("cuda", devices[0])),)


def _default_device():
    """That of `with torch.device(...)` or of set_default_device, or None. torch.get_default_device makes a tensor to find out."""
    modes = getattr(torch.overrides, "_get_current_function_mode_stack", tuple)()
    return next((mode.device for mode in reversed(modes) if type(mode).__name__ == "DeviceContext"), None)


def _by_the_host(make):
    """Values are written on the host and copied, as PyTorch does it."""
    def made(*args, device=None, requires_grad=False, **kwargs):
        if device is None and not (args and isinstance(args[-1], torch.Tensor)):
            device = _default_device()
        if device is None or torch.device(device).type != "cuda":
            return make(*args, **({} if device is None else {"device": device}), **({"requires_grad": True} if requires_grad else {}), **kwargs)
        if isinstance(args[-1], torch.Tensor) and args[-1].is_cuda:
            out = args[-1].to(device=device, **kwargs)
        else:
            out = make(*args, device="cpu", **kwargs).to(device)
        return out.requires_grad_() if requires_grad else out

    return made


def _replace_pinning(stand_in):
    def pin_memory(self, device=None):
        return self if stand_in.is_pinned(self) else stand_in.pin(self.detach().clone().requires_grad_(self.requires_grad))

    torch.Tensor.pin_memory = pin_memory
    torch.Tensor.is_pinned = lambda self, device=None: stand_in.is_pinned(self)


def _show_nccl():
    """Groups are the tracer's whatever backend is asked for (redirect.py): scripts that ask whether there is NCCL get yes."""
    import torch.distributed as dist
    import torch.distributed.distributed_c10d as c10d

    class ProcessGroupNCCL:
        class Options(types.SimpleNamespace):
            def __init__(self, *args, **kwargs):
                super().__init__(is_high_priority_stream=False, config=types.SimpleNamespace(), **kwargs)

    if not hasattr(torch._C, "_nccl_version"):
        torch._C._nccl_version, torch._C._nccl_version_suffix = lambda: 2 << 32 | 21 << 16 | 5, lambda: b""  # that of PyTorch 2.6
    dist.Logger.set_runtime_stats_and_log = lambda self: None  # times of events of the device, which C++ takes itself
    c10d._NCCL_AVAILABLE = True
    dist.is_nccl_available = c10d.is_nccl_available = lambda: True
    if not hasattr(c10d, "ProcessGroupNCCL"):
        dist.ProcessGroupNCCL = c10d.ProcessGroupNCCL = ProcessGroupNCCL
