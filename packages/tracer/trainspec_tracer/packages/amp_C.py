"""The kernels of apex that go over many tensors: each is recorded as one kernel."""
import torch

from trainspec_tracer.record import Recorder


def _kernel(name, given, made):
    Recorder.current.kernel(f"apex::{name}", given, made)


def multi_tensor_scale(chunk, overflow, tensors, scale):
    """`tensors`: what is read, what is written."""
    _kernel("multi_tensor_scale", tensors[0], tensors[1])


def multi_tensor_axpby(chunk, overflow, tensors, a, b, check):
    _kernel("multi_tensor_axpby", [*tensors[0], *tensors[1]], tensors[2])


def multi_tensor_l2norm(chunk, overflow, tensors, per_tensor=False):
    """The norm of all, and of each if they are asked for."""
    given = tensors[0]
    with Recorder.current.paused():
        norms = [torch.zeros(n, dtype=torch.float32, device=given[0].device) for n in (1, len(given) if per_tensor else 0)]
    _kernel("multi_tensor_l2norm", given, norms[:2 if per_tensor else 1])
    return tuple(norms)


def multi_tensor_adam(chunk, overflow, tensors, *_):
    """`tensors`: gradients, parameters and both moments, in apex and in DeepSpeed."""
    _kernel("multi_tensor_adam", [t for part in tensors for t in part], [t for part in tensors[1:] for t in part])
