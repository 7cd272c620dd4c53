"""What PyTorch's C++ asks of a device: its number, its current stream. Built without CUDA it knows tensors of the device and has nobody to ask.

Each kind of device has a place in a table of libc10 for an object of the class c10::impl::DeviceGuardImplInterface, empty for those that were not built in. Here an
object is put into the place of CUDA: the one of the CPU, whose functions do nothing, with those replaced that tell a device from another. An object of C++ with virtual
functions begins with the address of a table of their addresses, in the order of the class (the Itanium ABI, which Linux follows).
"""
import ctypes

import torch

CPU, CUDA = 0, 1  # places of c10::DeviceType
KEPT = []         # C++ holds what is here by address

VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])

# Where functions stand in the tables: of DeviceGuardImplInterface, and of CUDAHooksInterface, of which C++ asks what is not about tensors.
GUARD = {"type": 0, "exchangeDevice": 1, "getDevice": 2, "setDevice": 3, "getStream": 5, "getDefaultStream": 6}
PLACES = {
    (1, 13): (dict(GUARD, exchangeStream=8, destroyEvent=9, record=10, block=11, deviceCount=13),
              {"hasCUDA": 6, "hasPrimaryContext": 13, "current_device": 14, "compiledWithCuDNN": 17, "versionCuDNN": 22, "batchnormMinEpsilonCuDNN": 25}),
    (2, 6): (dict(GUARD, exchangeStream=9, destroyEvent=10, record=11, block=12, deviceCount=14),
             {"hasPrimaryContext": 2, "deviceCount": 4, "getCurrentDevice": 6, "hasCUDA": 14, "current_device": 22, "compiledWithCuDNN": 24, "versionCuDNN": 29,
              "batchnormMinEpsilonCuDNN": 32}),
}
ENTRIES = 40      # no fewer than either class has functions


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


def _replaced(holder, functions, places):
    """A copy of the table of functions that an object at address `holder` begins with, with those replaced that are named."""
    table = (ctypes.c_void_p * ENTRIES)(*(ctypes.c_void_p * ENTRIES).from_address(ctypes.c_void_p.from_address(holder).value))
    KEPT.append(table)
    for name, function in functions.items():
        if name in places:
            table[places[name]] = table[places[function]] if isinstance(function, str) else function
    return ctypes.addressof(table)


def install(count, current):
    """`count`: devices. `current`: gives the number of the selected one. Raises Unsupported."""
    if VERSION not in PLACES:
        raise Unsupported(f"the stand-in for cuda runs with PyTorch 1.13 and 2.6, not {torch.__version__}")
    library = ctypes.CDLL(torch._C.__file__)
    try:
        kinds = (ctypes.c_void_p * (CUDA + 1)).in_dll(library, "_ZN3c104impl26device_guard_impl_registryE")
    except ValueError:
        raise Unsupported("the stand-in for cuda finds no table of devices in this PyTorch") from None
    if kinds[CUDA]:
        raise Unsupported("this PyTorch is built with CUDA: the stand-in for cuda is for those built without")
    guard, hooks = PLACES[VERSION]
    here, same, none = _device(lambda _: CUDA | current() << 8), _stream(lambda _, device: device), "setDevice"  # which does nothing for a CPU
    functions = {"type": _byte(lambda _: CUDA), "exchangeDevice": here, "getDevice": here, "getStream": same, "getDefaultStream": same, "exchangeStream": same,
                 "destroyEvent": none, "record": none, "block": none, "deviceCount": _byte(lambda _: count)}
    stand_in = (ctypes.c_void_p * 2)(_replaced(kinds[CPU], functions, guard), 0)
    KEPT.append(stand_in)
    kinds[CUDA] = ctypes.addressof(stand_in)

    find = library["_ZN2at6detail12getCUDAHooksEv"]
    find.restype = ctypes.c_void_p
    yes, device = _byte(lambda _: 1), _number(lambda _: current())
    functions = {"hasCUDA": yes, "hasPrimaryContext": yes, "compiledWithCuDNN": yes, "current_device": device, "getCurrentDevice": device, "deviceCount": _byte(lambda _: count),
                 "versionCuDNN": _number(lambda _: 90100), "batchnormMinEpsilonCuDNN": _fraction(lambda _: 0.0)}
    holder = find()
    ctypes.c_void_p.from_address(holder).value = _replaced(holder, functions, hooks)
