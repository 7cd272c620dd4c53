"""Ranks that do the same up to the names of their groups are traced once.

Ranks are taken for alike when they stand at the same place in the groups that messages go through (the stage of a pipeline). The first and the last of
such a class are traced, and the last must be what the first is with its groups replaced; if not, the class is halved, in the order of places in the innermost groups: ranks of a tensor group do
different things more often (one of them reads the data) than their copies in other groups. What lies between is then the first with groups replaced.
Messages through the group of all ranks give every rank a place of its own: then all are traced.
"""
from .graph import difference


def steps_of(ranks):
    return tuple(b - a for a, b in zip(ranks, ranks[1:]))


class Places:
    """The groups of a job, by their members and the distances between them."""

    def __init__(self, groups):
        self.ranks = {g["id"]: g["ranks"] for g in groups}
        self.steps = {g["id"]: steps_of(g["ranks"]) for g in groups}
        self.of = {}  # rank, steps: groups in the order of their making
        for g in groups:
            for rank in g["ranks"]:
                self.of.setdefault((rank, self.steps[g["id"]]), []).append(g["id"])

    def groups(self, rank, steps):
        return self.of.get((rank, steps), [])

    def by_inner_place(self, ranks):
        """Ranks in the order of their places in the smallest groups of neighbours."""
        whole = max(map(len, self.ranks.values()), default=0)
        kinds = [steps for steps in set(self.steps.values()) if set(steps) == {1} and len(steps) + 1 < whole]
        if not kinds:
            return ranks
        return sorted(ranks, key=lambda rank: (self.place(rank, [min(kinds)]), rank))

    def place(self, rank, shapes):
        return tuple(tuple(self.ranks[g].index(rank) for g in self.groups(rank, steps)) for steps in shapes)


class Rename:
    """From one rank's groups and peers to another's; KeyError or ValueError where there is no counterpart."""

    def __init__(self, places, source, target):
        self.places, self.source, self.target, self.known = places, source, target, {}

    def group(self, number):
        if number not in self.known:
            here, there = (self.places.groups(r, self.places.steps[number]) for r in (self.source, self.target))
            if len(here) != len(there):
                raise KeyError(number)
            self.known[number] = there[here.index(number)]
        return self.known[number]

    def peer(self, number, rank):
        return self.places.ranks[self.group(number)][self.places.ranks[number].index(rank)]

    def item(self, item):
        """A stream or a node; one without a group is the same for both."""
        if "group" not in item:
            return item
        item, number = dict(item), item["group"]
        for key in ("peer", "root"):
            if key in item:
                item[key] = self.peer(number, item[key])
        if "pair" in item:
            item["pair"] = sorted(self.peer(number, r) for r in item["pair"])
        item["group"] = self.group(number)
        return item


def derive(graph, rank, places=None):
    """The graph of another rank that is alike; None: it cannot be. What is the same in both is shared."""
    rename = Rename(places or Places(graph["groups"]), graph["rank"], rank)
    try:
        return dict(graph, rank=rank, like=graph["rank"], streams=[rename.item(s) for s in graph["streams"]], nodes=[rename.item(n) for n in graph["nodes"]])
    except (KeyError, ValueError, IndexError):
        return None


def message_shapes(graphs):
    return sorted({steps_of(g["groups"][number]["ranks"]) for g in graphs for number in {node["group"] for node in g["nodes"] if "peer" in node}})


def trace_all(world, trace, say=lambda text: None):
    """Graphs of all ranks, by as few calls trace(rank) as classes allow. A graph that was traced has no `like`."""
    traced, out = {}, {}

    def get(rank):
        if rank not in traced:
            traced[rank] = trace(rank)
        return traced[rank]

    def settle(ranks):
        if not ranks or out.keys() >= set(ranks):
            return
        first, last = get(ranks[0]), get(ranks[-1])
        out[ranks[0]], out[ranks[-1]] = first, last
        if len(ranks) <= 2:
            return
        places = Places(first["groups"])
        guess = derive(first, ranks[-1], places)
        between = [derive(first, r, places) for r in ranks[1:-1]] if guess and difference(guess, last) is None else [None]
        if all(between):
            out.update((g["rank"], g) for g in between)
        else:
            ranks, middle = places.by_inner_place(ranks), len(ranks) // 2
            settle(ranks[:middle])
            settle(ranks[middle:])

    get(0)
    shapes = None
    while shapes != (shapes := message_shapes(traced.values())):
        classes, places = {}, Places(traced[0]["groups"])
        for rank in range(world):
            classes.setdefault(places.place(rank, shapes), []).append(rank)
        say(f"{len(classes)} classes of ranks by their places in {len(shapes)} kinds of groups with messages")
        out.clear()
        for ranks in classes.values():
            settle(ranks)
    return [out[r] for r in range(world)]
