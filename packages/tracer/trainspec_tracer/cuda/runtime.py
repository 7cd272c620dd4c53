"""The functions of CUDA's runtime that torch.cuda and torch.accelerator call, under their names in torch._C. Both modules stay as PyTorch ships them."""
import types

import torch

from .devices import properties
from .guard import CUDA, VERSION

PACKED = 1 << 32  # before 2.0 a stream is one number


def named(stream, index):
    """A stream as torch._C says it."""
    return stream + index * PACKED if VERSION < (2, 0) else (stream, index, CUDA)


def unpacked(number):
    return number % PACKED, number // PACKED


class Runtime:
    """`recorder`: asked for memory. Waits are recorded where scripts ask for them (redirect.py)."""

    def __init__(self, recorder, name, count, current):
        self.recorder, self.name, self.count, self.selected = recorder, name, count, current
        self.streams, self.next_stream = {}, 1  # current ones of devices; 0 is the default one
        self.priorities = {}  # of streams, by number and device, as they were made
        self._cudart = types.SimpleNamespace(cudaError=types.SimpleNamespace(success=0), cudaGetErrorString=lambda code: f"error {code}", cudaMemGetInfo=self._memory_left,
                                             cudaProfilerStart=lambda: 0, cudaProfilerStop=lambda: 0, cudaHostRegister=lambda *_: 0, cudaHostUnregister=lambda *_: 0)

    def install(self):
        for name in dir(self):
            if name.startswith(("_cuda", "_accelerator")) and (name.startswith("_cuda") or hasattr(torch._C, name)):
                setattr(torch._C, name, getattr(self, name))

    # ---- devices ----

    def _cuda_init(self):
        from .random import Generator
        torch.cuda.default_generators = tuple(Generator(torch.device("cuda", i)) for i in range(self.count))
        torch.cuda._get_device_properties = lambda index: properties(self.name)
        torch.cuda.has_magma = torch.cuda.has_half = True

    def _cuda_getDeviceCount(self):
        return self.count

    def _cuda_getDevice(self):
        return self.selected[0]

    def _cuda_setDevice(self, index):
        if not 0 <= index < self.count:
            raise RuntimeError("CUDA error: invalid device ordinal")
        self.selected[0] = index

    def _cuda_exchangeDevice(self, index):
        before = self.selected[0]
        if index >= 0:
            self._cuda_setDevice(index)
        return before

    _cuda_maybeExchangeDevice = _cuda_exchangeDevice

    def _cuda_isInBadFork(self):
        return False

    def _cuda_getCompiledVersion(self):
        major, minor = torch.version.cuda.split(".")
        return int(major) * 1000 + int(minor) * 10

    def _cuda_getArchFlags(self):
        p = properties(self.name)
        return f"sm_{p.major}{p.minor}"

    def _cuda_hasPrimaryContext(self, index):
        return True

    def _cuda_canDeviceAccessPeer(self, one, other):
        return one != other

    def _cuda_get_sync_debug_mode(self):
        return 0

    def _cuda_set_sync_debug_mode(self, mode):
        pass

    def _cuda_get_cudnn_benchmark_limit(self):
        return 10

    def _cuda_set_cudnn_benchmark_limit(self, limit):
        pass

    def _cuda_getCurrentBlasHandle(self):
        return 0

    def _cuda_ipc_collect(self):
        pass

    def _cuda_synchronize(self):
        pass

    # ---- marks for profilers: none is there ----

    @staticmethod
    def ranges():
        names = ("rangePushA", "rangePop", "rangeStartA", "rangeEnd", "markA", "deviceRangeStart", "deviceRangeEnd")
        return types.SimpleNamespace(**{name: lambda *_: 0 for name in names})

    # ---- streams ----

    def _cuda_getCurrentStream(self, index):
        return named(self.streams.get(index, 0), index)

    def _cuda_getDefaultStream(self, index):
        return named(0, index)

    def _cuda_getCurrentRawStream(self, index):
        return self.streams.get(index, 0)

    def _cuda_setStream(self, stream_id, device_index=None, device_type=CUDA):
        if device_index is None:
            stream_id, device_index = unpacked(stream_id)
        self.streams[device_index] = stream_id
        self.selected[0] = device_index

    def new_stream(self):
        self.next_stream += 1
        return self.next_stream - 1

    # ---- memory: what the recorder holds, without the rounding of the caching allocator ----

    def _memory_left(self, index=None):
        total = properties(self.name).total_memory
        return max(total - self.recorder.memory.held, 0), total

    def _cuda_memoryStats(self, index):
        memory = self.recorder.memory
        sizes = {"current": memory.held, "peak": max(memory.peak, memory.held), "allocated": memory.held, "freed": 0}
        kinds = {"all": sizes, "large_pool": sizes, "small_pool": dict.fromkeys(sizes, 0)}
        bytes_of = ("allocated_bytes", "reserved_bytes", "active_bytes", "requested_bytes")
        counts = ("allocation", "segment", "active", "inactive_split", "inactive_split_bytes", "oversize_allocations", "oversize_segments")
        none = {kind: dict.fromkeys(sizes, 0) for kind in kinds}
        return {**{name: kinds for name in bytes_of}, **{name: none for name in counts}, "num_alloc_retries": 0, "num_ooms": 0, "num_sync_all_streams": 0,
                "num_device_alloc": 0, "num_device_free": 0, "max_split_size": -1}

    def _cuda_resetPeakMemoryStats(self, index):
        self.recorder.memory.peak = self.recorder.memory.held

    def _cuda_resetAccumulatedMemoryStats(self, index):
        pass

    def _cuda_emptyCache(self):
        pass

    def _cuda_setMemoryFraction(self, fraction, index):
        pass

    def _cuda_getMemoryFraction(self, index):
        return 1.0

    def _cuda_memorySnapshot(self, *_):
        raise RuntimeError("a snapshot of the allocator is not in the stand-in for cuda: the graph has the memory")

    def _cuda_getAllocatorBackend(self):
        return "native"

    # ---- torch.accelerator ----

    def _accelerator_isAllocatorInitialized(self):
        return True

    def _accelerator_getDeviceCapability(self, index):
        return torch.cuda.get_device_capability(index)

    def _accelerator_getDefaultGenerator(self, index):
        return torch.cuda.default_generators[index]

    def _accelerator_getAccelerator(self):
        return torch.device("cuda")

    def _accelerator_deviceCount(self):
        return self.count

    def _accelerator_getDeviceIndex(self):
        return self.selected[0]

    def _accelerator_setDeviceIndex(self, index):
        self._cuda_setDevice(index)

    def _accelerator_getStream(self, index):
        return torch.cuda.current_stream(index)

    def _accelerator_setStream(self, stream):
        torch.cuda.set_stream(stream)

    def _accelerator_synchronizeDevice(self, index):
        torch.cuda.synchronize(index)

    _accelerator_exchangeDevice = _accelerator_maybeExchangeDevice = _cuda_exchangeDevice
    _accelerator_getMemoryInfo, _accelerator_getDeviceStats, _accelerator_emptyCache, _accelerator_emptyHostCache = _memory_left, _cuda_memoryStats, _cuda_emptyCache, _cuda_emptyCache
    _accelerator_resetPeakStats, _accelerator_resetAccumulatedStats = _cuda_resetPeakMemoryStats, _cuda_resetAccumulatedMemoryStats
