"""triton: kernels are recorded with the tensors that they are given, and not run."""
from trainspec_tracer.record import Recorder

constexpr = object()


def record_launches():
    """Of triton itself, which PyTorch's packages bring along: its kernels need a GPU."""
    from triton.runtime.autotuner import Autotuner, Heuristics
    from triton.runtime.jit import JITFunction

    def run(self, *args, **kwargs):
        while not isinstance(self, JITFunction):
            self = self.fn
        Recorder.current.kernel(f"triton::{self.fn.__name__}", (args, kwargs))

    JITFunction.run = Autotuner.run = Heuristics.run = run


class Kernel:
    """kernel[grid](arguments)."""

    def __init__(self, function):
        self.fn = self.function = function
        self.__name__ = getattr(function, "__name__", "kernel")

    def __getitem__(self, grid):
        return self.launch

    def launch(self, *args, **kwargs):
        Recorder.current.kernel(f"triton::{self.__name__}", (args, kwargs))

    run = warmup = launch

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"the kernel {self.__name__} of triton is called by a kernel alone")


def jit(function=None, **_):
    return Kernel(function) if function is not None else Kernel


def autotune(*_, **__):
    return lambda kernel: kernel


heuristics = autotune


class Config:
    def __init__(self, kwargs=None, num_warps=4, num_stages=2, **_):
        self.kwargs, self.num_warps, self.num_stages = kwargs or {}, num_warps, num_stages


def cdiv(a, b):
    return -(-a // b)


def next_power_of_2(n):
    return 1 << max(n - 1, 0).bit_length()


class _Language:
    """Names of the language stand in annotations and in bodies that nobody runs."""
    constexpr = constexpr

    def __getattr__(self, name):
        return constexpr


language = _Language()
