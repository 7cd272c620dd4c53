"""What is asked of tensors, the same for all versions of PyTorch."""
import torch

SMALL = 16 << 10  # bytes: such tensors are computed, sent and kept
RELEASE = tuple(int(part) for part in torch.__version__.split(".")[:2])
PLAIN = {torch.Tensor, torch.nn.Parameter, torch.nn.parameter.Buffer if hasattr(torch.nn.parameter, "Buffer") else torch.Tensor}


def _fake_mode():
    try:
        key = torch._C._TorchDispatchModeKey.FAKE
        return lambda: torch._C._get_dispatch_mode(key) is not None
    except AttributeError:  # before 2.1
        return lambda: False


_in_fake_mode = _fake_mode()


def fake_tensors(kinds):
    """What runs is PyTorch's own working out of shapes (DTensor does)."""
    return _in_fake_mode() or any(kind.__name__ == "FakeTensor" for kind in kinds)


def inside(tensor):
    """The tensors that hold the memory of one made of others (DTensor); of a plain one, itself."""
    parts = getattr(tensor, "__tensor_flatten__", None)
    if parts is None:
        return [tensor]
    return [plain for name in parts()[0] if isinstance(getattr(tensor, name), torch.Tensor) for plain in inside(getattr(tensor, name))]  # a mesh is a part, too


def bytes_behind(tensor):
    """The storage of a tensor, as bytes."""
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()._storage


STORAGES_LAST = hasattr(torch.Tensor, "untyped_storage") and RELEASE >= (2, 1)  # the Python object of a storage is one and the same for all its life


def storage_of(tensor):
    """The storage of a tensor, as bytes; None where there is none (sparse tensors, wrappers, those without memory)."""
    if tensor.is_meta:
        return None
    try:
        storage = bytes_behind(tensor)
        storage.nbytes()
        return storage
    except (RuntimeError, NotImplementedError, AttributeError):
        return None


def dtype_of(tensor):
    return str(tensor.dtype).replace("torch.", "")


def describe(tensor):
    return [dtype_of(tensor), list(tensor.shape)]


def bytes_of(tensor):
    return tensor.numel() * tensor.element_size()


def tensors_in(value, out=None):
    """All tensors in nested lists, tuples and dictionaries, in their order."""
    out = [] if out is None else out
    if isinstance(value, torch.Tensor):
        out.append(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            tensors_in(item, out)
    elif isinstance(value, dict):
        for item in value.values():
            tensors_in(item, out)
    return out


def map_tensors(value, change):
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map_tensors(item, change) for item in value)
    if isinstance(value, dict):
        return {key: map_tensors(item, change) for key, item in value.items()}
    return value
