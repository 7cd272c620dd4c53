"""Whose turn it is when a rank waits for words that another has not said yet.

Ranks are acted one after the other, each from its beginning. One that receives a small tensor of whole numbers (a shape, a pickled object) which nobody has sent so far stops there: its sender is acted,
and then it again, which now comes further. Two may so take many turns, as the first and the last stage of an interleaved pipeline do that tell each other shapes.
"""


class Wait(RuntimeError):
    """Raised where a rank waits. `peer`: for whom."""

    def __init__(self, key, peer):
        super().__init__(f"waits for what rank {peer} says")
        self.key, self.peer = key, peer


def settle(rank, act):
    """What `rank` does, and those done on the way: {rank: graph}. act(rank, patient) gives a graph, or the Wait at which the rank stopped. A rank that stops twice at the same place, although its sender was
    acted in between, is acted without patience: what it waits for is then made up."""
    done, stack, stopped, hasty = {}, [rank], {}, set()
    while stack:
        current = stack[-1]
        out = act(current, current not in hasty)
        if not isinstance(out, Wait):
            done[current] = out
            stack.pop()
            continue
        if stopped.get(current) == out.key or out.peer in done:
            hasty.add(current)
            continue
        stopped[current] = out.key
        if out.peer in stack:
            stack.remove(out.peer)
        stack.append(out.peer)
    return done
