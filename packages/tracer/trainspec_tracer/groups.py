"""Process groups that record what is asked of them.

Without a real group behind it, a group answers for all its ranks: everything returns at once, tensors have the right shape, what other ranks would have sent
is what they sent when they were acted before (small tensors: shapes, seeds, pickled objects), or else the acting rank's own: of an all-to-all what the rank
sends to itself, as the others are taken to do the same.
"""
import contextlib
import pickle
import weakref

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import Work

from .tensors import SMALL, bytes_of, tensors_in
from .turns import Wait


class Mail:
    """What ranks said in small tensors, kept for those acted after them. `patient`: stop where a rank needs what another has not said yet."""

    def __init__(self, folder=None, rank=0, patient=False):
        self.folder, self.rank, self.heard, self.said = folder, rank, {}, {}
        self.patient, self.stopped = patient, None
        for path in sorted(folder.glob("said.*")) if folder else ():
            with open(path, "rb") as file:
                self.heard.update(pickle.load(file))

    def say(self, key, tensors):
        if all(bytes_of(t) <= SMALL for t in tensors):
            self.said[key] = [t.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b"" for t in tensors]

    def hear(self, key, tensors):
        """Fills the tensors if what was said fits them."""
        data = self.heard.get(key)
        if data is None or [len(d) for d in data] != [bytes_of(t) for t in tensors]:
            return False
        with torch.no_grad():
            for tensor, one in zip(tensors, data):
                if one:
                    tensor.copy_(torch.frombuffer(bytearray(one), dtype=tensor.dtype).view(tensor.shape))
        return True

    def need(self, key, tensors, peer):
        """As `hear`, of what a script goes by: whole numbers are shapes or pickled objects. Raises Wait."""
        if self.hear(key, tensors):
            return True
        if self.patient and key not in self.heard and all(bytes_of(t) <= SMALL and not t.is_floating_point() for t in tensors):
            raise Wait(key, peer)
        return False

    def stop(self, missing):
        self.stopped = missing
        raise missing

    def close(self):
        if self.folder:
            with open(self.folder / f"said.{self.rank}", "wb") as file:
                pickle.dump(self.said, file)


@contextlib.contextmanager
def hidden():
    """What real groups copy, also in threads of theirs, which inherit this, is none of the script's work."""
    guard = torch._C._DisableTorchDispatch()
    with guard if hasattr(guard, "__enter__") else contextlib.nullcontext():  # before 2.0 it guards from its making on
        yield
    del guard


class Done(Work):
    """Of collectives: waits are recorded, and end at once where no real work stands behind. `inner`: of the real group."""
    missing = None  # called where the script waits for a word that no rank has said yet
    alive = set()  # C++ holds these without their Python part, and waits for one twice that stands for several tensors

    def __init__(self, recorder, nodes, tensors, inner):
        super().__init__()
        self.recorder, self.nodes, self.tensors, self.waited, self.inner = recorder, nodes, tensors, [], inner
        Done.alive.add(self)

    @staticmethod
    def of(recorder, works):
        """One that waits for all of these."""
        Done.alive.difference_update(works)
        done = Done(recorder, *([x for work in works for x in getattr(work, part)] for part in ("nodes", "tensors", "inner")))
        done.missing = next((work.missing for work in works if work.missing), None)
        return done

    def wait(self, timeout=None):
        if self.missing:
            self.missing()
        for node in self.nodes:
            self.recorder.wait_for(self.recorder.current_stream(), node)
        inner = self.let_go()
        with hidden():
            return all([work.wait() for work in inner])

    def let_go(self):
        """Tensors live no longer than for the script. Gives the works of the real group."""
        self.waited += [weakref.ref(t) for t in self.tensors]
        inner, self.tensors, self.inner = self.inner, [], []
        return inner

    def waited_for(self):
        """By those who took the future, and no longer by C++."""
        Done.alive.discard(self)
        self.let_go()
        return self.nodes

    def is_completed(self):
        return all(work.is_completed() for work in self.inner)

    def is_success(self):
        return True

    def result(self):
        return self.inner[0].result() if self.inner else self.tensors or [t() for t in self.waited]

    def _source_rank(self):
        return self.inner[0]._source_rank() if self.inner else 0

    def get_future(self):
        """Those who take the future (the gradient buckets of DDP) wait for it out of sight: at the end of the backward."""
        if self.recorder.phase == "backward":
            self.recorder.unwaited.append(self)
        else:
            for node in self.nodes:
                self.recorder.wait_for(self.recorder.current_stream(), node)
        return self.inner[0].get_future() if self.inner else _future(self.result())

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


@torch.jit.script
def _same(tensors: list[torch.Tensor]):
    return tensors


def _future(tensors):
    """C++ wants a future of tensors; one that Python fills holds an object."""
    future = torch.jit.fork(_same, tensors)
    future.wait()
    return future


class Group(dist.ProcessGroup):
    def __init__(self, rank, size, recorder, number, ranks, mail, inner=None):
        super().__init__(rank, size)
        self.recorder, self.number, self.ranks, self.mail, self.inner = recorder, number, list(ranks), mail, inner
        self.me, self.count, self.messages = rank, 0, {}
        self.called, self.described = "", ""
        self.together = None  # between start and end of coalescing: what was called

    # What frameworks ask of a group beside communication.
    def getBackendName(self):
        return "trainspec"

    supports_splitting = supports_coalescing = False

    @property
    def group_name(self):
        return self.called

    def _set_group_name(self, name):
        self.called = name

    @property
    def group_desc(self):
        return self.described

    def _set_group_desc(self, text):
        self.described = text

    def _set_sequence_number_for_group(self):
        pass

    def _get_sequence_number_for_group(self):
        return self.count

    def _get_backend(self, device):
        return self

    def _call(self, kind, given, made, call, answer=None, fields=None):
        recorder = self.recorder
        given, made = tensors_in(given), tensors_in(made)
        node = recorder.collective(kind, self.number, given, made, fields or {})
        with torch.no_grad(), recorder.paused():
            if self.inner is not None:
                with hidden():
                    work = call(self.inner)
            else:
                work = None
                missing = self._answered(answer)
        self.count += 1
        done = Done(recorder, [node], made or given, [work] if work is not None else [])
        if work is None and missing:
            done.missing = lambda: self.mail.stop(missing)
        if self.together is not None:
            self.together.append(done)
        return done

    def _answered(self, answer):
        """None, or the word that is not said yet: the rank stops when it waits for it, and may speak before."""
        try:
            if answer:
                answer((self.number, tuple(self.ranks), self.count))
        except Wait as missing:
            return missing
        return None

    def _start_coalescing(self, device=None):
        self.together = []

    def _end_coalescing(self, device=None):
        """Before 2.0 what is given are the works, of which each is waited for."""
        works, self.together = self.together, None
        return None if isinstance(device, list) else Done.of(self.recorder, works)

    def _everyone(self, key, mine, parts):
        """What each member gives: its own earlier words, or what this rank gives."""
        self.mail.say(key + (self.me,), [mine])
        for index, part in enumerate(parts):
            if index == self.me or not self.mail.hear(key + (index,), [part]):
                _put(part, mine)

    def _average(self, tensors, opts):
        """Gloo has no averages: sums of parts."""
        if opts is not None and opts.reduceOp == dist.ReduceOp.AVG and "gloo" in self.inner.name():
            opts.reduceOp = dist.ReduceOp.SUM
            for tensor in tensors:
                tensor.div_(self.size())
        return (tensors, *_given(opts))

    def _made_up(self, tensors):
        """They stand for what another rank would have sent."""
        if Group.values and self.inner is None:
            Group.values.mark(tensors)

    def allreduce(self, tensors, opts=None):
        def answer(key):
            if self.size() > 1 and (opts is None or opts.reduceOp == dist.ReduceOp.SUM):
                self._made_up(tensors)
        return self._call("all_reduce", tensors, tensors, lambda g: g.allreduce(*self._average(tensors, opts)), answer)

    def allreduce_coalesced(self, tensors, opts=None):
        return self._call("all_reduce", tensors, tensors, lambda g: g.allreduce_coalesced(*self._average(tensors, opts)))

    def reduce(self, tensors, opts=None):
        return self._call("reduce", tensors, tensors, lambda g: g.reduce(tensors, *_given(opts)), fields={"root": self.ranks[opts.rootRank]})

    def broadcast(self, tensors, opts=None):
        root = opts.rootRank if opts is not None else 0

        def answer(key):
            if root == self.me:
                self.mail.say(key, tensors)
            else:
                self.mail.need(key, tensors, self.ranks[root])
        return self._call("broadcast", tensors, tensors, lambda g: g.broadcast(tensors, *_given(opts)), answer, {"root": self.ranks[root]})

    def allgather(self, outputs, inputs, opts=None):
        return self._call("all_gather", inputs, outputs, lambda g: g.allgather(outputs, inputs, *_given(opts)),
                          lambda key: self._everyone(key, inputs[0], outputs[0]))

    def allgather_coalesced(self, outputs, inputs, opts=None):
        def answer(key):
            for rank, row in enumerate(outputs):
                for place, part in enumerate(row):
                    _put(part, inputs[place])
        return self._call("all_gather", inputs, outputs, lambda g: g.allgather_coalesced(outputs, inputs, *_given(opts)), answer)

    def _allgather_base(self, output, given, opts=None):
        return self._call("all_gather", given, output, lambda g: g._allgather_base(output, given, *_given(opts)),
                          lambda key: self._everyone(key, given, output.reshape(-1).chunk(self.size())))

    def allgather_into_tensor_coalesced(self, outputs, inputs, opts=None):
        def answer(key):
            for place, (output, given) in enumerate(zip(outputs, inputs)):
                self._everyone(key + (place,), given, output.reshape(-1).chunk(self.size()))
        return self._call("all_gather", inputs, outputs, lambda g: g.allgather_into_tensor_coalesced(outputs, inputs, *_given(opts)), answer)

    def reduce_scatter(self, outputs, inputs, opts=None):
        return self._call("reduce_scatter", inputs, outputs, lambda g: g.reduce_scatter(outputs, inputs, *_given(opts)),
                          lambda key: _put(outputs[0], inputs[0][self.me]))

    def _reduce_scatter_base(self, output, given, opts=None):
        return self._call("reduce_scatter", given, output, lambda g: g._reduce_scatter_base(output, given, *_given(opts)),
                          lambda key: _put(output, given.reshape(-1).chunk(self.size())[self.me]))

    def reduce_scatter_tensor_coalesced(self, outputs, inputs, opts=None):
        def answer(key):
            for output, given in zip(outputs, inputs):
                _put(output, given.reshape(-1).chunk(self.size())[self.me])
        return self._call("reduce_scatter", inputs, outputs, lambda g: g.reduce_scatter_tensor_coalesced(outputs, inputs, *_given(opts)), answer)

    def alltoall_base(self, output, given, output_splits, input_splits, opts=None):
        def answer(key):
            if len(output_splits) or len(input_splits):  # lists, or arrays of numpy
                return _put(output, given)
            for part in output.reshape(-1).chunk(self.size()):
                _put(part, given.reshape(-1).chunk(self.size())[self.me])
        return self._call("all_to_all", given, output, lambda g: g.alltoall_base(output, given, output_splits, input_splits, *_given(opts)), answer)

    def alltoall(self, outputs, inputs, opts=None):
        def answer(key):
            for output in outputs:
                _put(output, inputs[self.me])
        return self._call("all_to_all", inputs, outputs, lambda g: g.alltoall(outputs, inputs, *_given(opts)), answer)

    def gather(self, outputs, inputs, opts=None):
        return self._call("gather", inputs, outputs, lambda g: g.gather(outputs, inputs, *_given(opts)),
                          lambda key: outputs and self._everyone(key, inputs[0], outputs[0]), {"root": self.ranks[opts.rootRank]})

    def gather_single(self, output, given, opts=None):
        parts = output.reshape(-1).chunk(self.size()) if self.me == opts.rootRank else ()
        return self._call("gather", given, output if parts else [], lambda g: g.gather_single(output, given, *_given(opts)),
                          lambda key: parts and self._everyone(key, given, parts), {"root": self.ranks[opts.rootRank]})

    def scatter(self, outputs, inputs, opts=None):
        def answer(key):
            for index, part in enumerate(inputs[0] if inputs else ()):
                self.mail.say(key + (index,), [part])
            if inputs:
                _put(outputs[0], inputs[0][self.me])
            else:
                self.mail.need(key + (self.me,), outputs, self.ranks[opts.rootRank])
        return self._call("scatter", inputs, outputs, lambda g: g.scatter(outputs, inputs, *_given(opts)), answer, {"root": self.ranks[opts.rootRank]})

    def barrier(self, opts=None):
        return self._call("barrier", [], [], lambda g: g.barrier(*_given(opts)))

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        self._call("barrier", [], [], lambda g: g.barrier()).wait()

    # ---- names of PyTorch 2.15 ----

    all_gather_single, all_gather_single_coalesced, all_to_all_single = _allgather_base, allgather_into_tensor_coalesced, alltoall_base
    reduce_scatter_single, reduce_scatter_single_coalesced = _reduce_scatter_base, reduce_scatter_tensor_coalesced

    # ---- messages ----

    def _message_key(self, source, target, tag):
        pair = (source, target, tag)
        self.messages[pair] = self.messages.get(pair, -1) + 1
        return (self.number,) + pair + (self.messages[pair],)

    def send(self, tensors, peer, tag=0):
        key = self._message_key(self.me, peer, tag)
        return self._call("send", tensors, [], lambda g: g.send(tensors, peer, tag), lambda _: self.mail.say(key, tensors),
                          {"peer": self.ranks[peer], "tag": tag})

    def recv(self, tensors, peer, tag=0):
        key = self._message_key(peer, self.me, tag)

        def answer(_):
            if not self.mail.need(key, tensors, self.ranks[peer]):
                for tensor in tensors:
                    if bytes_of(tensor) <= SMALL or self.recorder.thin is None:
                        tensor.zero_()
                self._made_up(tensors)
        return self._call("recv", [], tensors, lambda g: g.recv(tensors, peer, tag), answer, {"peer": self.ranks[peer], "tag": tag})

    def recv_anysource(self, tensors, tag=0):
        if self.inner is None:
            raise RuntimeError("a receive from any rank cannot be answered: which sender comes first is not known; name the source")
        return self._call("recv", [], tensors, lambda g: g.recv_anysource(tensors, tag), fields={"peer": -1, "tag": tag})


def _given(opts):
    return () if opts is None else (opts,)


def _put(into, what):
    """Large tensors stay untouched: nothing is computed from them, or not for its value."""
    if Group.values:
        Group.values.combined(into, what)
    if bytes_of(into) <= SMALL or Group.copies:
        into.reshape(-1)[:what.numel()].copy_(what.reshape(-1)[:into.numel()])


Group.copies = False
Group.values = None  # values.Values, where not all is computed
