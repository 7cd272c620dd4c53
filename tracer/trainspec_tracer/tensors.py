"""What is asked of tensors, the same for all versions of PyTorch."""
import torch


def storage_of(tensor):
    """The storage of a tensor as a number and its bytes; None where there is none (sparse tensors, wrappers)."""
    try:
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()._storage
        return storage._cdata, storage.nbytes()
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
