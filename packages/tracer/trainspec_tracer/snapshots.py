"""trainspec-trace snapshots GRAPH: what a rank holds around each module, by category, as CSV.

Eight states of each pass of a module, as TorchSim has them: before and after its forward, its backward and its recomputation, and the peaks in forward and backward. Memory follows the order of
issue. Passes are told apart by a backward between two forwards: those of a pipeline that follow each other without one are one pass.
"""
from __future__ import annotations

import argparse
import contextlib
import csv
import itertools
import sys

from . import graph as graphs

PHASES = ("forward", "recompute", "backward")
CATEGORIES = ("parameters", "buffers", "gathered", "gradients", "optimizer", "activations", "recompute", "communication", "temporaries")
Held = list[int]  # bytes by category


def course(graph: dict) -> tuple[list[Held], list[Held]]:
    """What is held when each node runs, and behind it: a node has what it allocates before it frees anything."""
    at = {name: place for place, name in enumerate(CATEGORIES)}
    held = [0] * len(CATEGORIES)
    for part in graph["held"]:
        held[at[part["category"]]] += part["bytes"]
    during, behind = [], []
    events = {node: list(parts) for node, parts in itertools.groupby(graph["memory"], lambda event: event["node"])}
    for node in range(len(graph["nodes"])):
        for wanted in (True, False):
            for event in events.get(node, ()):
                if (event["bytes"] > 0) == wanted:
                    held[at[event["category"]]] += event["bytes"]
            (during if wanted else behind).append(held.copy())
    return during, behind


def passes(graph: dict) -> dict[str, list[dict[str, list[int]]]]:
    """Of each module, with all inside: the nodes of each pass by phase."""
    out: dict[str, list[dict[str, list[int]]]] = {}
    for place, node in enumerate(graph["nodes"]):
        phase, module = node.get("phase"), node.get("module")
        if module is None or phase not in PHASES:
            continue
        for name in itertools.accumulate(module.split("."), lambda a, b: f"{a}.{b}"):
            known = out.setdefault(name, [{}])
            if phase == "forward" and "backward" in known[-1]:
                known.append({})
            known[-1].setdefault(phase, []).append(place)
    return out


def rows(graph: dict):
    """(module, pass from 1, state, bytes by category)."""
    during, behind = course(graph)
    empty = [0] * len(CATEGORIES)
    for part in graph["held"]:
        empty[CATEGORIES.index(part["category"])] += part["bytes"]
    for module, known in passes(graph).items():
        for number, phases in enumerate(known, 1):
            for phase, nodes in phases.items():
                first, last = nodes[0], nodes[-1]
                yield module, number, f"before {phase}", behind[first - 1] if first else empty
                yield module, number, f"after {phase}", behind[last]
                if phase != "recompute":
                    yield module, number, f"peak in {phase}", max(during[first:last + 1], key=sum)


def main(arguments: list[str]) -> int:
    p = argparse.ArgumentParser(prog="trainspec-trace snapshots", description=__doc__.splitlines()[0])
    p.add_argument("graph", help="an execution graph (graph.0.json)")
    p.add_argument("-o", "--output", help="CSV (default: standard output)")
    o = p.parse_args(arguments)
    found = list(rows(graphs.read(o.graph)))
    if not found:
        raise ValueError(f"{o.graph}: no node says for which module it works: trace a script whose model has modules")
    with open(o.output, "w", newline="") if o.output else contextlib.nullcontext(sys.stdout) as file:
        table = csv.writer(file)
        table.writerow(["module", "pass", "state", "bytes", *CATEGORIES])
        table.writerows([module, number, state, sum(held), *held] for module, number, state, held in found)
    return 0
