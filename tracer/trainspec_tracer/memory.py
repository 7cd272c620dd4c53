"""What memory is held, when, and for what.

A storage lives as long as a tensor that shares it does. Tensors are watched by weak references: operators show all that they make, autograd shows what it
saves. What is made out of sight (a parameter shares its tensor's storage) is found again where it is used, and its end taken back.
"""
import weakref

from .tensors import storage_of


class OutOfMemory(RuntimeError):
    """More than the device has. `need`, `held`, `room`: bytes."""

    def __init__(self, need, held, room):
        super().__init__(f"{need} bytes asked for, {held} of {room} held")
        self.need, self.held, self.room = need, held, room


class Block:
    __slots__ = ("number", "bytes", "made", "freed", "phase", "freed_phase", "category", "tensors")

    def __init__(self, number, size, node, phase):
        self.number, self.bytes, self.made, self.freed = number, size, node, None
        self.phase, self.freed_phase, self.category, self.tensors = phase, None, None, 0


class Memory:
    def __init__(self, recorder, room=None):
        self.recorder, self.room = recorder, room
        self.blocks, self.live = [], {}  # all that were; by storage
        self.watched = {}                # weak references by their own id, so that they live
        self.held = self.peak = 0

    def see(self, tensor, category=None):
        """A tensor exists: so does its storage."""
        found = storage_of(tensor)
        if not found or not found[1]:
            return None
        key, size = found
        block = self.live.get(key)
        if block is not None and (block.freed is not None or block.bytes != size):
            if block.bytes != size and block.freed is None:
                self._end(key, block)
            elif block.bytes == size and block.tensors == 0 and category is not None:
                block.freed = block.freed_phase = None  # it was never gone: only out of sight
                self._hold(size)
            block = block if block.freed is None else None
        if block is None:
            block = Block(len(self.blocks), size, self.recorder.next_node(), self.recorder.phase)
            self._hold(size)
            self.blocks.append(block)
            self.live[key] = block
        block.category = category or block.category
        block.tensors += 1
        self._watch(tensor, key, block)
        return block

    def find(self, tensor):
        """The block that a tensor is in, if it is known to live."""
        found = storage_of(tensor)
        block = self.live.get(found[0]) if found else None
        return block if block is not None and block.freed is None else None

    def _watch(self, tensor, key, block):
        watched = self.watched

        def gone(reference):
            watched.pop(id(reference), None)
            block.tensors -= 1
            if block.tensors == 0:
                self._end(key, block)

        reference = weakref.ref(tensor, gone)
        watched[id(reference)] = reference

    def _hold(self, size):
        if self.room is not None and self.held + size > self.room:
            raise OutOfMemory(size, self.held, self.room)
        self.held += size
        self.peak = max(self.peak, self.held)

    def _end(self, key, block):
        if block.freed is None:
            block.freed, block.freed_phase = self.recorder.next_node(), self.recorder.phase
            self.held -= block.bytes

    def by_category(self):
        sums = {}
        for block in self.blocks:
            if block.freed is None:
                name = self.category(block)
                sums[name] = sums.get(name, 0) + block.bytes
        return dict(sorted(sums.items(), key=lambda item: -item[1]))

    @staticmethod
    def category(block, ends=()):
        """One of parameters, gradients, optimizer, activations, temporaries, buffers. `ends`: of steps."""
        if block.category:
            return block.category
        outlives_step = block.freed is None or any(block.made < end < block.freed for end in ends) or (ends and block.freed >= ends[-1])
        if block.phase == "optimizer" and outlives_step:
            return "optimizer"
        if block.phase in ("forward", "recompute") and block.freed_phase != block.phase:
            return "activations"
        return "temporaries"

    def events(self, first, last, ends):
        """Of the nodes first..last: what is held before, and allocations and frees in the order of nodes. A block is freed when the node before `freed` ends."""
        held, events = {}, []
        for block in self.blocks:
            if block.made < first and (block.freed is None or block.freed > first):
                name = self.category(block, ends)
                held[name] = held.get(name, 0) + block.bytes
            elif first <= block.made <= last and block.freed != block.made:
                events.append((block.made, 1, block.number, block.bytes, self.category(block, ends)))
            else:
                continue
            if block.freed is not None and block.freed <= last:
                events.append((max(block.freed - 1, first), 0, block.number, -block.bytes, self.category(block, ends)))
        events.sort()
        return ([{"category": name, "bytes": size} for name, size in sorted(held.items())],
                [{"node": node - first, "bytes": size, "category": name} for node, _, _, size, name in events])
