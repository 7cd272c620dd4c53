"""torch.distributed redirected: every process group that is made, by whomever, is ours.

Two functions of torch.distributed stand at the narrowest places: `rendezvous`, by which ranks find each other, and the one by which init_process_group and new_group make a
group. Ours gets there as a backend, as torch.distributed lets one register. Nothing of a framework is changed.
"""
import sys

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

from . import streams
from .groups import Group, Mail
from .tensors import bytes_behind

BACKEND = "trainspec"


class Everyone(dist.Store):
    """The store of a world with one process: what one rank adds, all have added."""

    def __init__(self, world):
        super().__init__()
        self.world, self.values = world, {}

    def set(self, key, value):
        self.values[key] = value if isinstance(value, bytes) else str(value).encode()

    def get(self, key):
        if key not in self.values:
            raise RuntimeError(f"the store is asked for `{key}`, which no rank that was acted has set")
        return self.values[key]

    def add(self, key, amount):
        value = int(self.values.get(key, b"0")) + amount * self.world
        self.values[key] = str(value).encode()
        return value

    def compare_set(self, key, expected, desired):
        self.values.setdefault(key, desired if isinstance(desired, bytes) else str(desired).encode())
        return self.values[key]

    def check(self, keys):
        return True

    def wait(self, keys, timeout=None):
        pass

    def num_keys(self):
        return len(self.values)

    def delete_key(self, key):
        return self.values.pop(key, None) is not None

    def set_timeout(self, timeout):
        pass


def _monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """PyTorch asks first whether a backend of the host is there: one of the tracer's has all devices."""
    if not c10d._rank_not_in_group(group):
        (group or c10d._get_default_group()).monitored_barrier(timeout, wait_all_ranks)


class Redirect:
    """`real`: there are other processes; groups of theirs stand behind ours."""

    def __init__(self, recorder, real=False, folder=None, patient=False, processes=None):
        self.recorder, self.real, self.processes = recorder, real, processes
        self.mail = Mail(folder, recorder.rank, patient)
        self.make, self.asked, self.ranks = c10d._new_process_group_helper, None, []
        if BACKEND.upper() not in dir(dist.Backend):
            _register(self._create)
        c10d._new_process_group_helper = self._helper
        dist.monitored_barrier = c10d.monitored_barrier = _monitored_barrier
        if not real:
            c10d.rendezvous = self._rendezvous

    def _rendezvous(self, *args, **kwargs):
        self.processes.check()
        self.store = Everyone(self.recorder.world)  # C++ does not keep it
        yield self.store, self.recorder.rank, self.recorder.world

    def _helper(self, size, rank, ranks, backend, store, *args, **kwargs):
        """As _new_process_group_helper: the first five arguments are the same in all versions."""
        for options in ("pg_options", "backend_options"):
            if options in kwargs:
                kwargs[options] = None
        self.asked, self.ranks = str(backend), list(ranks) or list(range(size))
        self.number = self.recorder.group(self.ranks)
        out = self.make(size, rank, ranks, BACKEND, store, *args, **kwargs)
        group = out[0] if isinstance(out, tuple) else out
        places = getattr(c10d, "_pg_map", None)
        if places is None:
            places = c10d._world.pg_map
        if isinstance(group, Group) and group in places:
            places[group] = (self.asked, places[group][1])  # what get_backend says
        return out

    def _create(self, store, rank, size, timeout):
        inner = None
        if self.real:
            inner = _real_group(self.asked, store, rank, size, timeout)
        return Group(rank, size, self.recorder, self.number, self.ranks, self.mail, inner)


def _register(create):
    try:
        dist.Backend.register_backend(BACKEND, create, devices=["cpu", "cuda"])
    except TypeError:  # before 2.0
        dist.Backend.register_backend(BACKEND, create)


def _real_group(asked, store, rank, size, timeout):
    kind, device = ("NCCL", "cuda") if "nccl" in asked else ("GLOO", "cpu")
    backend = c10d.ProcessGroupNCCL(store, rank, size) if kind == "NCCL" else c10d.ProcessGroupGloo(store, rank, size, timeout=timeout)
    if not hasattr(dist.ProcessGroup, "_register_backend"):  # before 2.0 a backend is a group
        return backend
    group, number = dist.ProcessGroup(store, rank, size), getattr(dist.ProcessGroup.BackendType, kind)
    if hasattr(group, "_set_default_backend"):
        group._set_default_backend(number)
    group._register_backend(torch.device(device), number, backend)
    return group


class Engine:
    """Stands before the engine of autograd: says when a backward begins and ends."""

    def __init__(self, engine, recorder):
        self._engine, self._recorder = engine, recorder

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def run_backward(self, tensors, grad_tensors, keep_graph, create_graph, *args, **kwargs):
        """The names are those of C++: Megatron-LM gives them."""
        tensors = tuple(tensors)
        outer = self._recorder.backward_begins(tensors, create_graph)
        try:
            return self._engine.run_backward(tensors, grad_tensors, keep_graph, create_graph, *args, **kwargs)
        except SystemError as lost:  # PyTorch 1.13 loses what an operator raised
            if self._recorder.failed is None:
                raise
            name, error = self._recorder.failed[:2]
            raise RuntimeError(f"{name} failed in the backward: {error}") from lost
        finally:
            self._recorder.backward_ends(outer)


def watch(recorder):
    """Backward passes, and the spans that PyTorch names for its profiler, among them each step of an optimizer."""
    torch.autograd.Variable._execution_engine = Engine(torch.autograd.Variable._execution_engine, recorder)
    span = torch.autograd.profiler.record_function
    begin, enter, leave = span.__init__, span.__enter__, span.__exit__

    def begins(self, *args, **kwargs):
        with recorder.paused():
            begin(self, *args, **kwargs)

    def enters(self):
        recorder.span_begins(self.name)
        return enter(self)

    def leaves(self, *error):
        recorder.span_ends(self.name)
        return leave(self, *error)

    span.__init__, span.__enter__, span.__exit__ = begins, enters, leaves
    watch_storages(recorder)
    watch_optimizers(recorder)
    watch_events(torch.cuda.Event, recorder)
    watch_waits(torch.cuda.Stream, "stream", recorder)
    watch_device(torch.cuda, recorder)
    streams.complete()
    set_compiling_aside()
    if streams.CPU:
        watch_events(torch.cpu.Event, recorder)
        watch_device(torch.cpu, recorder)


def set_compiling_aside():
    """Operators of a compiled region pass the dispatcher only while it is compiled: regions are run as they are written."""
    compiler = getattr(torch, "compile", None)
    if compiler is None:
        return

    def as_written(model=None, **how):
        if model is None:
            return lambda f: as_written(f, **how)
        if not as_written.warned:
            print("trainspec-trace: torch.compile is set aside, its regions are recorded as written, unfused", file=sys.stderr)
            as_written.warned = True
        return model

    as_written.warned = False
    torch.compile = as_written
    torch.nn.Module.compile = lambda self, *args, **how: as_written(self) and None


def watch_storages(recorder):
    """Memory that is given back and taken again while tensors live."""
    kind = type(bytes_behind(torch.empty(1)))
    resize = kind.resize_

    def resized(self, size):
        out = resize(self, size)
        recorder.memory.resized(self)
        return out

    kind.resize_ = resized


def watch_optimizers(recorder):
    """All that are made, for what they keep."""
    init = torch.optim.Optimizer.__init__

    def made(self, *args, **kwargs):
        init(self, *args, **kwargs)
        recorder.optimizers.add(self)

    torch.optim.Optimizer.__init__ = made


def watch_events(kind, recorder):
    """All that makes a stream wait for another comes down to an event that one records and the other waits for."""
    record, wait = kind.record, kind.wait

    def recorded(self, stream=None):
        recorder.event_recorded(self, stream)
        return record(self, stream) if stream is not None else record(self)

    def awaited(self, stream=None):
        recorder.event_awaited(self, stream)
        return wait(self, stream) if stream is not None else wait(self)

    kind.record, kind.wait = recorded, awaited
    if hasattr(kind, "synchronize"):
        watch_waits(kind, "event", recorder)


def watch_waits(kind, what, recorder):
    """The host waits for an event or a stream."""
    synchronize = kind.synchronize

    def waited(self):
        recorder.host_waits(f"{what} synchronize", **{what: self})
        return synchronize(self)

    kind.synchronize = waited


def watch_device(module, recorder):
    """The host waits for all of a device."""
    synchronize = module.synchronize

    def waited(*device, **named):
        recorder.host_waits("device synchronize")
        return synchronize(*device, **named)

    module.synchronize = waited
