"""What a rank does, node by node: operators as they reach the dispatcher, collectives as they reach the process group."""
import contextlib
import time
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import streams
from .cuda import StandIn
from .cuda.tensors import Unrecorded
from .dataflow import Dataflow
from .memory import Memory, OutOfMemory
from .modules import LABEL, Modules, nodes_behind
from .routing import Routing
from .tensors import PLAIN, describe, dtype_of, fake_tensors, inside, tensors_in
from .thin import Schema, Thin

IGNORED = ("c10d::", "_c10d_functional::", "_c10d_functional_autograd::", "c10d_functional::", "profiler::", "prim::")
ALLOCATES = {"aten::empty", "aten::empty_like", "aten::new_empty", "aten::empty_strided", "aten::new_empty_strided", "aten::resize_"}
READS = {"aten::_local_scalar_dense"}  # the host waits for the device
LIFT = "aten::lift_fresh"  # makes a tensor from a number of Python; those that an optimizer makes (counts of steps) are the host's
OPTIMIZER = "Optimizer.step#"


class Enough(BaseException):
    """The step that is wanted has ended."""


def of_number(value):
    """A Python number that autograd saved: before 2.0 it comes here without its tensor, or goes back so."""
    return torch.scalar_tensor(value, dtype=torch.float64)


def own_parameters(module):
    return [p for p in module._parameters.values() if p is not None]


HIGHER = getattr(torch._ops, "HigherOrderOperator", ())  # operators of operators; from 2.0 on


class Recorder(TorchDispatchMode):
    """`compute`: really run operators. `timed`: measure them (CUDA events; on a CPU the clock)."""
    current = None  # the one that records
    supports_higher_order_operators = True

    def __init__(self, rank, world, compute=False, timed=False, room=None, routing="balanced"):
        super().__init__()
        self.rank, self.world, self.timed = rank, world, timed
        self.thin = None if compute else Thin()
        self.routing = Routing(self.thin, routing) if self.thin else None
        self.gpu = torch.cuda.is_available()  # if not, the CPU is the device
        self.stand_in = None                  # for cuda
        self.packages = None                  # that are stood in for
        Recorder.current = self
        self.nodes, self.groups, self.ends = [], [], []  # ends: of steps
        self.enough = None   # steps after which the script may end
        self.learned = None  # whether there was a backward since the last step; None: in none that was seen
        self.streams = [{"id": 0, "kind": "compute"}]
        self.stream_of = {}        # of groups and CUDA streams
        self.last, self.waits = {}, {}
        self.seen_by = {}          # (stream, other): the last node of the other that the stream has waited for
        self.schemas, self.phases, self.labels = {}, ["forward"], None
        self.unwaited, self.timers = [], []  # collectives whose end the backward waits for
        self.flow = Dataflow() if timed or world == 1 else None  # one rank alone is a whole model, which plans divide
        self.parameters = {}
        self.optimizers = weakref.WeakSet()
        self.backward_from = None  # the first node not yet given to a node of autograd
        self.second_order = False  # the backward that runs is asked for gradients of gradients
        self.out_of_memory = None
        self.failed = None  # the operator that failed last, its error, what it was given, and where
        self.off = 0               # > 0: what runs is not the script's
        self.memory = Memory(self, room)
        self.modules = Modules(self)

    # ---- nodes ----

    @property
    def phase(self):
        """Where gradients of gradients are not asked for, a backward records operators for autograd only where it does part of the forward again."""
        if self.phases[-1] != "backward":
            return self.phases[-1]
        again = torch.is_grad_enabled() and not self.second_order or len(self.modules.stack) > self.modules.depth
        return "recompute" if again else "backward"

    def next_node(self):
        return len(self.nodes)

    def add(self, name, stream, fields, after=()):
        """A node behind what its stream waits for and behind the nodes `after`."""
        number = len(self.nodes)
        wanted = sorted(set(self.waits.pop(stream, ())) | set(after))
        deps = []
        for dep in wanted:
            other = self.nodes[dep]["stream"]
            if other != stream and self.seen_by.get((stream, other), -1) < dep:
                self.seen_by[stream, other] = dep
                deps.append(dep)
        node = {"id": number, "op": name, "stream": stream, "phase": self.phase}
        if self.modules.path:
            node["module"] = self.modules.path
        node.update(fields)
        if deps:
            node["deps"] = deps
        self.nodes.append(node)
        self.last[stream] = number
        return number

    def copy_between(self, way, name, stream, fields):
        """A copy between host and device. An engine for each way does them one after the other, and the stream that asked for it goes on behind it."""
        engine = self.stream_named(("copies", way), {"kind": "copy"})
        number = self.add(name, engine, fields, self.ahead(stream))
        self.waits[stream] = [number]
        return number

    def wait_for(self, stream, node):
        self.waits.setdefault(stream, []).append(node)

    @contextlib.contextmanager
    def paused(self):
        self.off += 1
        try:
            with Unrecorded(self._act) if self.stand_in else contextlib.nullcontext():
                yield
        finally:
            self.off -= 1

    def stand_in_for_cuda(self, name, count, compute):
        """A device of this name, `count` to a node, that the script takes for CUDA."""
        self.stand_in, self.gpu = StandIn(self, name, count), True
        self.thin = Thin(self.stand_in, compute)
        self.routing = Routing(self.thin, "none" if compute else self.routing.text)
        if self.memory.room is None:
            self.memory.room = self.stand_in.room

    def stream_named(self, key, facts):
        if key not in self.stream_of:
            self.stream_of[key] = len(self.streams)
            self.streams.append({"id": len(self.streams), **facts})
        return self.stream_of[key]

    def current_stream(self):
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            return self.stream_number(torch.cuda.current_stream())
        stream = streams.current()
        return self.stream_number(stream) if stream is not None else 0

    def stream_number(self, stream):
        """Of a stream of the device; None: the current one."""
        if stream is None:
            return self.current_stream()
        key = getattr(stream, "cuda_stream", stream)  # the default one of a GPU is 0
        priority = -min(getattr(stream, "priority", 0), 0)  # those of CUDA are 0, and negative ones that go first
        return self.stream_named(("device", key), {"kind": "compute", **({"priority": priority} if priority else {})}) if key and not streams.is_default(stream) else 0

    def host_waits(self, call, stream=None, event=None):
        """The host waits for a stream, for what an event has recorded, or (neither given) for all of the device. A wait for what it has waited for already is none."""
        if self.off:
            return
        host = self.stream_named("host", {"kind": "host"})
        if event is not None:
            wanted = getattr(event, "trainspec_nodes", ())
        else:
            numbers = [n for n in self.last if n != host] if stream is None else [self.stream_number(stream)]
            wanted = [node for n in numbers for node in self.ahead(n)]
        wanted = [node for node in wanted if self.seen_by.get((host, self.nodes[node]["stream"]), -1) < node]
        if wanted:
            self.add(call, host, {}, wanted)

    def ahead(self, stream):
        """What ends before work begins that a stream is given now: its last node, and what it was told to wait for since, as waits are work of a stream in its order."""
        return [node for node in (self.last.get(stream), *self.waits.get(stream, ())) if node is not None]

    def event_recorded(self, event, stream):
        event.trainspec_nodes = self.ahead(self.stream_number(stream))

    def event_awaited(self, event, stream):
        """From now on the stream waits for what was on the other when the event was recorded."""
        for node in getattr(event, "trainspec_nodes", ()):
            self.wait_for(self.stream_number(stream), node)

    # ---- operators ----

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if isinstance(func, HIGHER):
            return self._inner(func, args, kwargs)
        if fake_tensors(types):
            return func(*args, **kwargs)
        if self.off:
            return self._act(func, args, kwargs)
        if any(kind not in PLAIN for kind in types):
            return NotImplemented  # tensors made of tensors (DTensor): what they are made of comes by
        name = func._schema.name
        if name.startswith(IGNORED):
            out = func(*args, **kwargs)
            for tensor in tensors_in(out):
                self.memory.see(tensor)
            return out
        try:
            return self._run(func, self._schema(func), args, kwargs)
        except (OutOfMemory, RuntimeError) as error:
            self.failed = (name, error, [describe(t) for t in tensors_in((args, kwargs))], f"{self.phase} of {self.modules.path}" if self.modules.path else self.phase)
            if self.out_of_memory is None and (isinstance(error, OutOfMemory) or "out of memory" in str(error)):
                self.mark_gradients()
                self.out_of_memory = {"op": name, "node": len(self.nodes), "phase": self.phase, "module": self.modules.path,
                                      "message": str(error).split("\n")[0], "held": self.memory.by_category()}
            raise

    def _inner(self, func, args, kwargs):
        """An operator of operators: what it runs is recorded."""
        kernels = (func.py_kernels.get(getattr(torch._C.DispatchKey, key)) for key in ("CUDA", "CompositeExplicitAutograd"))
        kernel = next((kernel for kernel in kernels if kernel is not None), None)
        if kernel is None:
            raise NotImplementedError(f"trainspec-trace cannot follow the operator `{func.name()}`, which runs others: let the script do without it")
        with self:
            return kernel(*args, **kwargs)

    def kernel(self, name, given, made=None):
        """One that the script launches past the dispatcher, and that is not run. `made`: what it writes; None: any of what it is given."""
        given = tensors_in(given)
        made = given if made is None else made
        for tensor in made:
            self.memory.see(tensor)
        if self.thin:
            self.thin.values.mark(made)
        self.add(name, self.current_stream(), {"in": [describe(t) for t in given], "out": [describe(t) for t in made]})

    def why(self, error):
        """Of an exception that an operator raised, or that came of it: which, of what, and what can be done; None: of another."""
        while self.failed and error is not None and error is not self.failed[1]:
            error = error.__cause__ or error.__context__
        if not self.failed or error is None:
            return None
        name, _, given, where = self.failed
        text = f"{name} of {', '.join(f'{kind} {shape}' for kind, shape in given[:6]) or 'no tensors'}{' ...' if len(given) > 6 else ''}, {where}, failed"
        if isinstance(error, NotImplementedError):
            text += ": there is no kernel that computes it here, and no rule for its shapes. Let the script do without it, or with another format; an operator of a package: `--packages NAME` stands in for it"
        elif self.thin and self.thin.values.graph():
            text += ": large tensors are not computed, so it may have got values that nobody computed (named above); `--compute` computes all"
        return text

    def _schema(self, func):
        schema = self.schemas.get(func)
        if schema is None:
            schema = self.schemas[func] = Schema(func)
        return schema

    def _act(self, func, args, kwargs):
        """Runs an operator of the tracer's own."""
        if self.stand_in and not func._schema.name.startswith(IGNORED):
            return self.thin(func, self._schema(func), args, kwargs)
        return func(*args, **kwargs)

    def _run(self, func, schema, args, kwargs):
        if schema.name == "aten::detach" and not isinstance(args[0], torch.Tensor):
            return of_number(args[0])
        stream = self.current_stream()
        started = self._start(stream) if self.timed else None
        out = self.routing(func, schema, args, kwargs) if self.routing else func(*args, **kwargs)
        if schema.name == "aten::detach" and not isinstance(out, torch.Tensor):
            out = of_number(out)
        took = self._stop(stream, started) if self.timed else None
        made, given = tensors_in(out), tensors_in((args, kwargs))
        host = schema.name == LIFT and self.phases[-1] == "optimizer" or self._on_host(given)
        for tensor in made:
            self.memory.see(tensor, host=host and not tensor.is_cuda)
        if schema.resizes:
            self.memory.see(given[0])
        if self.flow and schema.view:
            self.flow.viewed(schema.name, made, given)
        if self.flow and schema.name in ALLOCATES:
            self.flow.given(made, schema.writes, op=schema.name)
        if any(t.device.type == "meta" for t in made or given):  # work on tensors without memory is none
            return out
        if schema.view or schema.name in ALLOCATES or self._shares(schema, given, made) or self._on_host(made + given):
            return out
        fields = {"in": [describe(t) for t in given], "out": [describe(t) for t in made]}
        crossed = crossing(schema, args, kwargs, given, made)
        fields.update(crossed)
        if not made and schema.writes:
            fields["out"] = fields["in"]
        if self.flow:
            fields["takes"] = self.flow.taken(given)
            fields["gives"] = self.flow.given(made or given, schema.writes and self.phase == "forward") if fields["out"] else []
        number = self.copy_between(crossed["copy"], schema.name, stream, fields) if crossed else self.add(schema.name, stream, fields)
        if schema.name in READS or crossed.get("sync"):
            self.nodes[number]["sync"] = True
            self.seen_by[self.stream_of.get("host"), self.nodes[number]["stream"]] = number
        if took is not None:
            self.timers.append((number, took))
        return out

    @staticmethod
    def _shares(schema, given, made):
        """A tensor handed on as it is: contiguous() of what is contiguous, to() of what is there already."""
        return not schema.writes and bool(made) and all(any(m is g for g in given) for m in made)

    def _on_host(self, tensors):
        """Work on tensors of the host is none of the device's streams'."""
        return bool(tensors) and all(self.memory.on_host(t) for t in tensors)

    # ---- times ----

    def _start(self, stream):
        if torch.cuda.is_available() and not self.stand_in:
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            return event
        return time.perf_counter_ns()

    def _stop(self, stream, started):
        if torch.cuda.is_available() and not self.stand_in:
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            return started, event
        return time.perf_counter_ns() - started

    def _take_times(self):
        if self.timers and torch.cuda.is_available() and not self.stand_in:
            with self.paused():
                torch.cuda.synchronize()
        for number, took in self.timers:
            self.nodes[number]["ns"] = took if isinstance(took, int) else round(took[0].elapsed_time(took[1]) * 1e6)
        self.timers = []

    # ---- phases ----

    def use_parameters(self, modules):
        """What a model holds as it begins to run. `modules`: with their names."""
        for name, module in modules:
            for parameter in own_parameters(module):
                self.parameters[id(parameter)] = weakref.ref(parameter), name
                if self.flow:
                    self.flow.held(parameter, "parameter", name)
                for tensor in inside(parameter):
                    self.memory.see(tensor, "parameters", name)
            for buffer in module._buffers.values():
                if self.flow and buffer is not None:
                    self.flow.held(buffer, "buffer", name)
                for tensor in inside(buffer) if buffer is not None else ():
                    self.memory.see(tensor, "buffers", name)

    def use_gathered(self, module, name):
        """A part of the model runs, with parameters that are not those which the model held as it began: gathered from other ranks for this use."""
        for parameter in own_parameters(module):
            for tensor in inside(parameter):
                life = self.memory.life(tensor)
                if life is None or life.category is None:
                    self.memory.see(tensor, "gathered", name)

    def mark_gradients(self):
        for reference, name in self.parameters.values():
            parameter = reference()
            if parameter is not None and parameter.grad is not None:
                self._mark(parameter.grad, "gradients", name)

    def mark_states(self):
        """What optimizers keep of each parameter."""
        for optimizer in self.optimizers:
            for parameter, state in optimizer.state.items():
                name = self.parameters.get(id(parameter), (None, ""))[1]
                for value in state.values() if isinstance(state, dict) else ():
                    if isinstance(value, torch.Tensor):
                        self._mark(value, "optimizer", name)

    def _mark(self, tensor, category, module):
        for part in inside(tensor):
            block = self.memory.find(part)
            if block:
                block.category, block.module = category, module

    def span_begins(self, name):
        """A span that the script or PyTorch names (record_function)."""
        if name.startswith(OPTIMIZER):
            self.mark_gradients()
            self.phases.append("optimizer")

    def span_ends(self, name):
        if name.startswith(OPTIMIZER):
            self.mark_states()
            self.phases.pop()
            if "optimizer" not in self.phases:  # ZeroRedundancyOptimizer steps another one inside its own step
                self.step_ends()

    def step_ends(self):
        """Optimizers that step one after another, no backward between them, are one step."""
        if self.ends and self.learned is False:
            self.ends.pop()
        self.ends.append(len(self.nodes))
        if self.learned is not None:
            self.learned = False

    def saved(self, tensor):
        for part in inside(tensor):
            self.memory.see(part)
        return tensor

    def backward_begins(self, roots, second_order):
        """Gives what backward_ends takes. `second_order`: gradients of the gradients are asked for (create_graph)."""
        if self.enough and len(self.ends) >= self.enough and self.learned is False and not self.off:
            raise Enough  # only now is it known that no other optimizer was part of the step
        outer = self.backward_from, self.second_order, self.modules.depth
        self.learned = True
        self.phases.append("backward")
        self.second_order, self.modules.depth = second_order, len(self.modules.stack)
        for root in roots if self.flow else ():
            self.flow.label(root)
        for node in nodes_behind(roots):
            if LABEL + " watched" not in node.metadata:
                node.metadata[LABEL + " watched"] = True
                node.register_hook(self._label_backward(node.metadata.get(LABEL, ""), self.flow.of_node(node) if self.flow else None))
        self.backward_from = len(self.nodes)
        return outer

    def backward_ends(self, outer):
        self.phases.pop()
        self.backward_from, self.second_order, self.modules.depth = outer
        if "backward" in self.phases:
            return  # of a checkpoint with reentry
        unwaited, self.unwaited = self.unwaited, []
        for work in unwaited:
            for number in work.waited_for():
                self.wait_for(0, number)

    def _label_backward(self, name, tensor):
        """Nodes added while a node of autograd ran are its module's, and for a tensor's gradient."""
        def ran(*_):
            if self.backward_from is None:
                return
            for node in self.nodes[self.backward_from:]:
                if name and "module" not in node:
                    node["module"] = name
                if tensor is not None:
                    node["gradient_of"] = tensor
            self.backward_from = len(self.nodes)
        return ran

    # ---- communication ----

    def group(self, ranks):
        self.groups.append(list(ranks))
        return len(self.groups) - 1

    def collective(self, kind, group, given, made, fields):
        """After all that the current stream has been given, on a stream of the group's own, messages on one of the two ranks, as NCCL has it."""
        first = (given + made)[0] if given or made else None
        sides = [sum(t.numel() for t in side) for side in (given, made)]
        for tensor in given + made:
            block = self.memory.see(tensor)
            if block is not None:
                block.sent = True
        facts = {"comm": kind, "group": group}
        facts.update(fields)
        if first is not None:
            facts.update({"dtype": dtype_of(first), "in_elements": sides[0], "out_elements": sides[1], "bytes": max(sides) * first.element_size()})
        if "peer" in facts:
            pair = sorted((self.rank, facts["peer"]))
            stream = self.stream_named((group, *pair), {"kind": "comm", "group": group, "pair": pair})
        else:
            stream = self.stream_named(group, {"kind": "comm", "group": group})
        current = self.current_stream()
        return self.add(kind, stream, facts, self.ahead(current))

    # ---- the result ----

    def steps(self):
        """Begin and end of each step: from the end of one optimizer step to that of the next. The first holds the set-up too."""
        return list(zip([0] + self.ends[:-1], self.ends)) or [(0, len(self.nodes))]

    def graph(self, step=None, producer=""):
        """Of the last step, or of step N (from 1); step 0: all."""
        self._take_times()
        steps = self.steps()
        if step is not None and step > len(steps):
            raise ValueError(f"there are {len(steps)} steps, not {step}")
        begin, end = (0, len(self.nodes)) if step == 0 else steps[-1 if step is None else step - 1]
        nodes = []
        for node in self.nodes[begin:end]:
            node = dict(node, id=node["id"] - begin)
            if "deps" in node:
                node["deps"] = [d - begin for d in node["deps"] if d >= begin]
                if not node["deps"]:
                    del node["deps"]
            nodes.append(node)
        _count_sequences(nodes)
        held, events = self.memory.events(begin, end - 1, self.ends, self.nodes)
        graph = {"format": "trainspec-graph", "version": 1, "producer": producer, "rank": self.rank, "world": self.world,
                 "groups": [{"id": i, "ranks": ranks} for i, ranks in enumerate(self.groups)], "streams": self.streams, "nodes": nodes,
                 "held": held, "memory": events}
        if self.routing and self.routing.chosen:
            graph["routing"] = {"distribution": self.routing.text, "choices": dict(sorted(self.routing.chosen.items()))}
        if self.flow:
            graph["tensors"] = self.flow.of_nodes(nodes)
            if torch.cuda.is_available() and not self.stand_in:
                graph["device"] = torch.cuda.get_device_name()
        if self.thin and self.thin.computed:
            graph["computed"] = sorted(self.thin.computed)
        if self.packages and self.packages.used:
            graph["packages"] = sorted(self.packages.used)
        if self.thin and self.thin.values.told:
            graph["values"] = self.thin.values.graph()
        if self.out_of_memory:
            graph["out_of_memory"] = dict(self.out_of_memory, node=self.out_of_memory["node"] - begin)
        return graph


def crossing(schema, args, kwargs, given, made):
    """Of a copy between host and device: which way, and whether the host waits for it."""
    if schema.name not in ("aten::copy_", "aten::_to_copy"):
        return {}
    to, source = (given[0], given[1]) if schema.name == "aten::copy_" and len(given) > 1 else (made[0], given[0])
    if to.is_cuda == source.is_cuda:
        return {}
    waits = source.is_cuda and not (kwargs.get("non_blocking") or (len(args) > 2 and args[2]))
    return {"copy": "host_to_device" if to.is_cuda else "device_to_host", **({"sync": True} if waits else {})}


def _count_sequences(nodes):
    """Collectives are numbered in their group, messages between two ranks by direction and tag, from the beginning of what is shown."""
    counts = {}
    for node in nodes:
        if "comm" in node:
            key = (node["group"], node["comm"], node["peer"], node["tag"]) if "peer" in node else node["group"]
            node["seq"] = counts[key] = counts.get(key, -1) + 1
