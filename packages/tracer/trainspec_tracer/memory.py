"""What memory is held, when, and for what.

A storage lives as long as C++ or Python holds it, and holds as many bytes as it was last resized to: sharded parameters give their gathered copies back by a
resize to nothing, and take them again by another. Each time with memory is a block. From PyTorch 2.1 on a storage has one Python object for all its life, which
is watched. Before, the tensors that share it are: operators show all that they make, autograd shows what it saves, and what is made out of sight (a parameter
shares its tensor's storage) is found again where it is used, and its end taken back.
"""
import weakref

from .tensors import STORAGES_LAST, storage_of


class OutOfMemory(RuntimeError):
    """More than the device has. `need`, `held`, `room`: bytes."""

    def __init__(self, need, held, room):
        super().__init__(f"{need} bytes asked for, {held} of {room} held")
        self.need, self.held, self.room = need, held, room


class Block:
    """Bytes that a storage has from one node to another."""
    __slots__ = ("number", "bytes", "made", "freed", "phase", "freed_phase", "category", "module", "sent")

    def __init__(self, number, size, node, phase, module):
        self.number, self.bytes, self.made, self.freed = number, size, node, None
        self.phase, self.freed_phase, self.category, self.module, self.sent = phase, None, None, module, False


class Life:
    """Of a storage. `category`, `module`: of all its blocks. `tensors`: known to share it. `host`: it is none of the device's."""
    __slots__ = ("block", "category", "module", "tensors", "host")

    def __init__(self):
        self.block, self.category, self.module, self.tensors, self.host = None, None, "", 0, False


class Memory:
    def __init__(self, recorder, room=None):
        self.recorder, self.room = recorder, room
        self.blocks, self.live = [], {}  # all that were; lives by storage
        self.watched = {}                # weak references: of storages by storage, of tensors by tensor with its storage's life
        self.held = self.peak = 0

    def see(self, tensor, category=None, module=None, host=False):
        """A tensor exists: so does its storage, in the state that it has now."""
        storage = None if self.recorder.gpu and not tensor.is_cuda else storage_of(tensor)
        if storage is None:
            return None
        key, size = storage._cdata, storage.nbytes()
        life = self.live.get(key)
        if life is None or (not STORAGES_LAST and life.tensors == 0 and category is None):  # the place of one that is gone is used again
            if not size:
                return None
            life = self.live[key] = Life()
            life.host = host
            if STORAGES_LAST:
                self.watched[key] = weakref.ref(storage, lambda _: self._gone(key, life))
        if not STORAGES_LAST:
            self._watch(tensor, life)
        if category is not None:
            life.category, life.module = category, module or ""
        block = life.block
        if block is None or block.bytes != size or block.freed is not None:
            block = self._sized(life, size)
        if block is not None and category is not None:
            block.category, block.module = category, life.module
        return block

    def resized(self, storage):
        """A storage has another size than before. One not seen yet will be by its tensors."""
        life = self.live.get(storage._cdata)
        if life is not None:
            self._sized(life, storage.nbytes())

    def find(self, tensor):
        """The block that a tensor is in, if it is known to live."""
        life = self.life(tensor)
        return life.block if life is not None and life.block is not None and life.block.freed is None else None

    def life(self, tensor):
        storage = storage_of(tensor)
        return self.live.get(storage._cdata) if storage is not None else None

    def on_host(self, tensor):
        """Where there is a GPU, a tensor of the CPU; elsewhere the CPU is the device, and of the host is what is known to be."""
        if self.recorder.gpu:
            return tensor.device.type == "cpu"
        life = self.life(tensor)
        return life is not None and life.host

    def _sized(self, life, size):
        """The block of a storage that now has this size: the one it had, or another."""
        block = life.block
        if block is not None and block.bytes == size:
            if block.freed is not None:
                block.freed = block.freed_phase = None  # it was never gone: only out of sight
                self._hold(size)
            return block
        self._end(block)
        life.block = None
        if not size or life.host:
            return None
        self._hold(size)
        life.block = block = Block(len(self.blocks), size, self.recorder.next_node(), self.recorder.phase, life.module or self.recorder.modules.path)
        block.category = life.category
        self.blocks.append(block)
        return block

    def _gone(self, key, life):
        self._end(life.block)
        if self.live.get(key) is life:
            del self.live[key], self.watched[key]

    def _watch(self, tensor, life):
        """Each tensor is watched once; one that was given another storage leaves that which it had."""
        number = id(tensor)
        known = self.watched.get(number)
        if known is not None and known[0]() is tensor:
            if known[1] is life:
                return
            self._leave(known[1])

        def gone(reference):
            if self.watched.get(number, (None,))[0] is reference:
                self._leave(self.watched.pop(number)[1])

        life.tensors += 1
        self.watched[number] = (weakref.ref(tensor, gone), life)

    def _leave(self, life):
        life.tensors -= 1
        if life.tensors == 0:
            self._end(life.block)

    def _hold(self, size):
        if self.room is not None and self.held + size > self.room:
            raise OutOfMemory(size, self.held, self.room)
        self.held += size
        self.peak = max(self.peak, self.held)

    def _end(self, block):
        if block is not None and block.freed is None:
            block.freed, block.freed_phase = self.recorder.next_node(), self.recorder.phase
            self.held -= block.bytes

    def by_category(self):
        sums = {}
        for block in self.blocks:
            if block.freed is None:
                name = self.category(block, self.recorder.ends)
                sums[name] = sums.get(name, 0) + block.bytes
        return dict(sorted(sums.items(), key=lambda item: -item[1]))

    @staticmethod
    def category(block, ends=()):
        """One of parameters, gathered, gradients, optimizer, activations, recompute, communication, temporaries, buffers. `ends`: of steps."""
        if block.category:
            return block.category
        outlives_step = block.freed is None or any(block.made < end < block.freed for end in ends) or (ends and block.freed >= ends[-1])
        if block.phase == "optimizer" and outlives_step:
            return "optimizer"
        if block.sent and outlives_step and any(block.made < end for end in ends):
            return "communication"  # DDP makes its buckets anew in a forward
        if block.phase in ("forward", "recompute") and block.freed_phase != block.phase:
            return "activations" if block.phase == "forward" else "recompute"
        return "communication" if block.sent else "temporaries"

    def events(self, first, last, ends, nodes):
        """Of the nodes first..last: what is held before, and allocations and frees in the order of nodes. A block is freed when the node before `freed` ends,
        so behind what that node allocates."""
        held, events = {}, []
        for block in self.blocks:
            before = block.made < first and (block.freed is None or block.freed > first)
            if not before and not (first <= block.made <= last and block.freed != block.made):
                continue
            name = (self.category(block, ends), block.module or (nodes[block.made].get("module", "") if block.made < len(nodes) else ""))
            if before:
                held[name] = held.get(name, 0) + block.bytes
            else:
                events.append((block.made, 0, block.number, block.bytes, name))
            if block.freed is not None and block.freed <= last:
                events.append((max(block.freed - 1, first), 1, block.number, -block.bytes, name))
        events.sort()

        def entry(fields, name):
            return dict(fields, category=name[0], module=name[1]) if name[1] else dict(fields, category=name[0])

        return ([entry({"bytes": size}, name) for name, size in sorted(held.items())],
                [entry({"node": node - first, "bytes": size}, name) for node, _, _, size, name in events])
