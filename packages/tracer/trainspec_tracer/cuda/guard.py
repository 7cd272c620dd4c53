"""What PyTorch's C++ asks of a device: its number, its current stream. Without CUDA or without a GPU it knows tensors of the device and has nobody to ask.

Each kind of device has a place in a table of libc10 for an object of the class c10::impl::DeviceGuardImplInterface, empty for those that were not built in. Here an
object is put into the place of CUDA: the one of the CPU, whose functions do nothing, with those replaced that tell a device from another. An object of C++ with virtual
functions begins with the address of a table of their addresses, in the order of the class (the Itanium ABI, which Linux follows). That order is read from the headers that
come with PyTorch.
"""
import ctypes
import pathlib
import re

import torch

CPU, CUDA, NOBODY = 0, 1, 127  # places of c10::DeviceType
KEPT = []         # C++ holds what is here by address

VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])

# Where functions stand in the tables: of DeviceGuardImplInterface, and of CUDAHooksInterface, of which C++ asks what is not about tensors. Of Debian's builds, which come without headers.
GUARD = {"type": 0, "exchangeDevice": 1, "getDevice": 2, "setDevice": 3, "getStream": 5, "getDefaultStream": 6}
PLACES = {
    (1, 13): (dict(GUARD, exchangeStream=8, destroyEvent=9, record=10, block=11, deviceCount=13),
              {"hasCUDA": 6, "hasPrimaryContext": 13, "current_device": 14, "compiledWithCuDNN": 17, "versionCuDNN": 22, "batchnormMinEpsilonCuDNN": 25}),
    (2, 6): (dict(GUARD, exchangeStream=9, destroyEvent=10, record=11, block=12, deviceCount=14),
             {"hasPrimaryContext": 2, "deviceCount": 4, "getCurrentDevice": 6, "hasCUDA": 14, "current_device": 22, "compiledWithCuDNN": 24, "versionCuDNN": 29,
              "batchnormMinEpsilonCuDNN": 32}),
}
HEADERS = pathlib.Path(torch.__file__).parent / "include"
COMMENT, VIRTUAL = re.compile(r"//[^\n]*|/\*.*?\*/", re.S), re.compile(r"\bvirtual\s[^;{(]*?(~?\w+)\s*\(")
ENTRIES = 64      # no fewer than either class has functions


class Unsupported(RuntimeError):
    """This PyTorch has no place for a stand-in."""


def _function(result, *given):
    def make(python):
        function = ctypes.CFUNCTYPE(result, ctypes.c_void_p, *given)(python)
        KEPT.append(function)
        return ctypes.cast(function, ctypes.c_void_p).value
    return make


# A c10::Device is its kind and its number, a byte each. A c10::Stream is a device and an identifier in two registers, of which ctypes sets the first: events do nothing here, so
# that it does not matter which stream C++ takes for which.
_byte = _function(ctypes.c_int8)
_device = _function(ctypes.c_uint16)
_stream = _function(ctypes.c_uint64, ctypes.c_uint16)
_number = _function(ctypes.c_int64)
_fraction = _function(ctypes.c_double)


def _declared(path):
    """The virtual functions that the class of a header declares first, in their order. A destructor has two places."""
    text = COMMENT.sub("", (HEADERS / path).read_text())
    body = re.search(rf"\b(?:struct|class)\s+\w+\s+{pathlib.Path(path).stem}\b[^;{{]*{{(.*?)\n}};", text, re.S).group(1)
    return [name for found in VIRTUAL.findall(body) for name in [found] * (2 if found[0] == "~" else 1)]


def places():
    """Of this PyTorch. Raises Unsupported."""
    try:
        hooks = _declared("ATen/detail/CUDAHooksInterface.h")
        if (HEADERS / "ATen/detail/AcceleratorHooksInterface.h").exists():  # what all accelerators have comes first
            hooks = _declared("ATen/detail/AcceleratorHooksInterface.h") + hooks
        return tuple({name: place for place, name in enumerate(names)} for names in (_declared("c10/core/impl/DeviceGuardImplInterface.h"), hooks))
    except FileNotFoundError:
        if VERSION in PLACES:
            return PLACES[VERSION]
        raise Unsupported(f"the stand-in for cuda reads PyTorch's headers, and {torch.__version__} comes without ({HEADERS})") from None


def _replaced(given, functions, places):
    """A copy of the table of functions at address `given`, with those replaced that are named."""
    table = (ctypes.c_void_p * ENTRIES)(*(ctypes.c_void_p * ENTRIES).from_address(given))
    KEPT.append(table)
    for name, function in functions.items():
        if name in places:
            table[places[name]] = table[places[function]] if isinstance(function, str) else function
    return ctypes.addressof(table)


def install(count, current):
    """`count`: devices. `current`: gives the number of the selected one. Raises Unsupported."""
    guard, hooks = places()
    library = ctypes.CDLL(torch._C.__file__)
    try:
        kinds = (ctypes.c_void_p * (CUDA + 1)).in_dll(library, "_ZN3c104impl26device_guard_impl_registryE")
    except ValueError:
        raise Unsupported("the stand-in for cuda finds no table of devices in this PyTorch") from None
    here, same, none = _device(lambda _: CUDA | current() << 8), _stream(lambda _, device: device), "setDevice"  # which does nothing for a CPU
    functions = {"type": _byte(lambda _: CUDA), "exchangeDevice": here, "getDevice": here, "getStream": same, "getDefaultStream": same, "exchangeStream": same,
                 "getNewStream": same, "destroyEvent": none, "record": none, "block": none, "synchronizeDevice": none, "deviceCount": _byte(lambda _: count)}
    stand_in = (ctypes.c_void_p * 2)(_replaced(ctypes.c_void_p.from_address(kinds[CPU]).value, functions, guard), 0)
    KEPT.append(stand_in)
    kinds[CUDA] = ctypes.addressof(stand_in)

    # The functions are those of a PyTorch built without CUDA, also where it was built with it: an object begins behind two words of its class's table.
    find, plain = library["_ZN2at6detail12getCUDAHooksEv"], (ctypes.c_void_p * 2).in_dll(library, "_ZTVN2at18CUDAHooksInterfaceE")
    find.restype = ctypes.c_void_p
    yes, device = _byte(lambda _: 1), _number(lambda _: current())
    functions = {"hasCUDA": yes, "isBuilt": yes, "isAvailable": yes, "hasPrimaryContext": yes, "compiledWithCuDNN": yes, "init": _number(lambda _: 0),
                 "current_device": device, "getCurrentDevice": device, "deviceCount": _byte(lambda _: count), "getNumGPUs": _number(lambda _: count),
                 "versionCuDNN": _number(lambda _: 90100), "versionRuntimeCuDNN": _number(lambda _: 90100), "batchnormMinEpsilonCuDNN": _fraction(lambda _: 0.0)}
    ctypes.c_void_p.from_address(find()).value = _replaced(ctypes.addressof(plain) + ctypes.sizeof(plain), functions, hooks)
    _forget_timer(library)


def _forget_timer(library):
    """DDP times itself by CUDA's events where their class has a name in a table of c10d. It is a std::unordered_map of libstdc++, whose nodes begin with the next one, then the kind of device."""
    find = getattr(library, "_ZN4c10d13TimerRegistryEv", None)
    if not torch.backends.cuda.is_built() or find is None:
        return
    find.restype = ctypes.POINTER(ctypes.c_void_p)
    node = find()[2]  # behind its buckets and their number
    while node:
        kind = ctypes.c_int8.from_address(node + ctypes.sizeof(ctypes.c_void_p))
        if kind.value == CUDA:
            kind.value = NOBODY
        node = ctypes.c_void_p.from_address(node).value
