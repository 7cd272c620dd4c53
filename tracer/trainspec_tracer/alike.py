"""Ranks that do the same up to the names of their groups are traced once.

Ranks are taken for alike when they stand at the same place in the groups that messages go through (the stage of a pipeline). The first and the last of
such a class are traced, and the last must be what the first is with its groups replaced; if not, the class is halved. What lies between is then the first with groups replaced.
Messages through the group of all ranks give every rank a place of its own: then all are traced.
"""
from .graph import difference


def steps_of(ranks):
    return tuple(b - a for a, b in zip(ranks, ranks[1:]))


def groups_of(graph, rank, steps):
    """Those that hold the rank and have these distances between members, in the order of their making."""
    return [g for g in graph["groups"] if rank in g["ranks"] and steps_of(g["ranks"]) == steps]


class Rename:
    """From one rank's groups and peers to another's; KeyError where there is no counterpart."""

    def __init__(self, graph, source, target):
        self.graph, self.source, self.target = graph, source, target

    def group(self, number):
        ranks = self.graph["groups"][number]["ranks"]
        here, there = (groups_of(self.graph, r, steps_of(ranks)) for r in (self.source, self.target))
        place = [g["id"] for g in here].index(number)
        if len(here) != len(there):
            raise KeyError(number)
        return there[place]["id"]

    def peer(self, number, rank):
        mine = self.graph["groups"][number]["ranks"]
        return self.graph["groups"][self.group(number)]["ranks"][mine.index(rank)]


def derive(graph, rank):
    """The graph of another rank that is alike; None: it cannot be."""
    rename = Rename(graph, graph["rank"], rank)

    def change(item):
        item = dict(item)
        if "group" in item:
            number = item["group"]
            for key in ("peer", "root"):
                if key in item:
                    item[key] = rename.peer(number, item[key])
            if "pair" in item:
                item["pair"] = sorted(rename.peer(number, r) for r in item["pair"])
            item["group"] = rename.group(number)
        return item

    try:
        return dict(graph, rank=rank, like=graph["rank"], streams=[change(s) for s in graph["streams"]], nodes=[change(n) for n in graph["nodes"]])
    except (KeyError, ValueError, IndexError):
        return None


def place_of(graph, rank, shapes):
    return tuple(tuple(g["ranks"].index(rank) for g in groups_of(graph, rank, steps)) for steps in shapes)


def message_shapes(graphs):
    return sorted({steps_of(g["groups"][node["group"]]["ranks"]) for g in graphs for node in g["nodes"] if "peer" in node})


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
        guess = derive(first, ranks[-1])
        between = [derive(first, r) for r in ranks[1:-1]] if guess and difference(guess, last) is None else [None]
        if all(between):
            out.update((g["rank"], g) for g in between)
        else:
            middle = len(ranks) // 2
            settle(ranks[:middle])
            settle(ranks[middle:])

    get(0)
    shapes = None
    while shapes != (shapes := message_shapes(traced.values())):
        classes = {}
        for rank in range(world):
            classes.setdefault(place_of(traced[0], rank, shapes), []).append(rank)
        say(f"{len(classes)} classes of ranks by their places in {len(shapes)} kinds of groups with messages")
        out.clear()
        for ranks in classes.values():
            settle(ranks)
    return [out[r] for r in range(world)]
