"""Measured calls between nodes (runs/nccl_inter*.csv*): clusters, their links as the tables say them in words, and the
best time of each call over the settings that were tried. A cluster is known by its columns alone."""
from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional

import table
from step import Context

COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "barrier")
# A GPU's links inside its node in one direction, bytes/s (data sheets), and whether a switch joins them that can
# reduce. The first name that is part of a table's is taken.
_MACHINES = (
    ("gb200", "nccl_blackwell", 900e9, True), ("gb300", "nccl_blackwell", 900e9, True),
    ("gh200", "nccl_hopper", 450e9, False), ("a100", "nccl_ampere", 300e9, True), ("a800", "nccl_ampere", 200e9, True),
    ("h100", "nccl_hopper", 450e9, True), ("h200", "nccl_hopper", 450e9, True), ("h800", "nccl_hopper", 200e9, True),
    ("h20", "nccl_hopper", 450e9, True), ("b200", "nccl_blackwell", 900e9, True),
    ("b300", "nccl_blackwell", 900e9, True), ("mi300", "nccl_hopper", 448e9, False),
    ("mi325", "nccl_hopper", 448e9, False), ("mi350", "nccl_hopper", 538e9, False),
    ("mi355", "nccl_hopper", 538e9, False))


@dataclass(frozen=True)
class Links:
    """What a sentence says: `fabric` is the name of a file in stdlib/networks, "": no known technology; `node`: bytes/s
    of a node's NICs together, 0: not said; "2 NVL72 racks"; "(16 nodes used of each)"."""
    fabric: str
    node: float
    nics: int
    racks: int
    rack_nodes: int


def _fabric(text: str, nics: int, nic: float, gpus: int) -> str:
    if "nvl72" in text or "tcpx" in text:
        return "nvl72" if "nvl72" in text else "tcpx"
    if "slingshot" in text:
        return "slingshot11_shared" if nics < gpus else "slingshot11"
    if "efa" in text:
        return "efa_p4" if nics <= 4 and nic <= 100 else "efa"
    return "infiniband" if "infiniband" in text else "roce" if "roce" in text else ""


def links(sentence: str, gpus: int) -> Links:
    """Of a node with so many GPUs. "8x400 Gb/s", "8x2x400 Gb/s", "4-8x400 Gb/s": the lower number counts."""
    text, nics, rate = sentence.lower(), 0, 0.0
    m = re.search(r"(?<!\d)(\d+)(?:-\d+)?((?:x\d+)+) *gb/s", text)
    if m:
        factors = [int(m[1]), *map(int, m[2].split("x")[1:])]
        nics, rate = math.prod(factors[:-1]), math.prod(factors)
    before = lambda phrase: int((re.search(rf"(\d+){phrase}", text) or [0, 0])[1])
    return Links(_fabric(text, nics, rate / nics if nics else 0, gpus), rate * 1e9 / 8, nics, before(" nvl72 racks"),
                 before(" nodes used of each"))


@dataclass
class Cluster:
    """`settings`: most that a call was measured with; sums over calls with several: first listed and worst over best,
    less 1."""
    name: str
    gpu: str
    text: str
    fabric: str
    settings: int = 0
    first_over: float = 0
    worst_over: float = 0
    repeated: int = 0


@dataclass
class Line:
    """A measurement: its call, and with which setting of the library (version and note)."""
    call: "tuple[int, int, int, int, int]"  # cluster, collective, ranks, islands, bytes
    setting: int
    seconds: float
    machine: "tuple[str, str, float, bool]"
    inter: float
    slow: bool = False


def size_class(size: int) -> int:
    return 0 if size >= 16 << 20 else 1 if size >= 1 << 20 else 2


def _positive(t: table.Row, column: str, most: float = 1e18) -> float:
    x = t.number(column)
    return min(x, most) if 0 < x < 1e18 else 0


def _islands(of: Links, nodes: int, ranks: int) -> int:
    if of.racks:
        return of.racks
    if of.rack_nodes:
        return -(-nodes // of.rack_nodes)
    return -(-ranks // 72) if of.fabric == "nvl72" else nodes


@dataclass
class Sweeps:
    clusters: "list[Cluster]" = field(default_factory=list)
    lines: "list[Line]" = field(default_factory=list)
    settings: "dict[tuple[str, ...], int]" = field(default_factory=dict)
    left: "dict[str, int]" = field(default_factory=lambda: defaultdict(int))  # rows left out, by why
    rows: "list[dict[str, Any]]" = field(default_factory=list)

    def _cluster(self, t: table.Row, of: Links) -> int:
        at = next((i for i, c in enumerate(self.clusters) if c.name == t["cluster"]), len(self.clusters))
        if at == len(self.clusters):
            self.clusters.append(Cluster(t["cluster"], t["gpu"], t["fabric"], of.fabric))
        return at

    def add(self, t: table.Row) -> None:
        ranks, nodes = int(_positive(t, "gpus", 1e6)), int(_positive(t, "nodes", 1e6))
        a_node, size = int(_positive(t, "gpus_per_node", 1e3)), _positive(t, "bytes")
        us = _positive(t, "out_of_place_us") or _positive(t, "in_place_us")
        plain = {name.replace("_", ""): i for i, name in enumerate(COLLECTIVES)}
        kind = plain.get(t["collective"].replace("_", ""))
        nodes = nodes or (-(-ranks // a_node) if a_node else 0)
        if kind is None or ranks < 2 or not nodes or nodes > ranks or size < 1 or not us:
            self.left["other"] += 1
            return
        of = links(t["fabric"], a_node or ranks // nodes)
        islands = _islands(of, nodes, ranks)
        machine = next((m for m in _MACHINES if m[0] in t["gpu"].lower()), None)
        if islands < 2 or not machine or not of.node > 0:
            self.left["inside" if islands < 2 else "links" if machine else "gpu"] += 1
            return
        setting = self.settings.setdefault((t["cluster"], t["collective"], t["nccl"], t["note"]), len(self.settings))
        self.lines.append(Line((self._cluster(t, of), kind, ranks, islands, int(size)), setting, us * 1e-6, machine,
                               of.node * nodes / islands))

    def calls(self) -> "Iterator[list[Line]]":
        for _, lines in itertools.groupby(self.lines, key=lambda x: x.call):
            yield list(lines)

    def find_slow(self) -> None:
        """Marks a setting's rows of a class of sizes, if they take more than twice the best time in the median: a slow
        path (TCP instead of RDMA, a search for routes) is no measure of the fabric. Then calls that only settings were
        tried for which are slow in one class or another: what they take at these sizes and nodes may be the setting's
        time as well as the fabric's. One setting alone says nothing of how slow it is."""
        over: "dict[tuple[int, int], list[float]]" = defaultdict(list)
        for call in self.calls():
            if len({x.setting for x in call}) > 1:
                best = min(x.seconds for x in call)
                for x in call:
                    over[x.setting, size_class(x.call[-1])].append(x.seconds / best)
        slow = {key for key, ratios in over.items() if sorted(ratios)[len(ratios) // 2] > 2}
        doubtful = {setting for setting, _ in slow}
        for call in self.calls():
            unsound = all(x.setting in doubtful for x in call)
            for x in call:
                x.slow = unsound or (x.setting, size_class(x.call[-1])) in slow

    def take_best(self, call: "list[Line]") -> None:
        """The settings of one call: the best counts, and how far the others are off is kept."""
        some = [x for x in call if not x.slow]
        if not some:
            return
        best = min(some, key=lambda x: x.seconds)
        c, settings = self.clusters[best.call[0]], len({x.setting for x in some})
        c.settings = max(c.settings, settings)
        if settings > 1:
            c.first_over += some[0].seconds / best.seconds - 1
            c.worst_over += max(x.seconds for x in some) / best.seconds - 1
            c.repeated += 1
        cluster, kind, ranks, islands, size = best.call
        last: "Optional[dict[str, Any]]" = self.rows[-1] if self.rows else None
        same = last is not None and (last["cluster"], last["kind"]) == (cluster, COLLECTIVES[kind])
        odd = bool(same and last and last["ranks"] == ranks and not last["odd"])
        _, hardware, intra, switches = best.machine
        self.rows.append({"cluster": cluster, "set": (last["set"] + (not same)) if last else 0, "odd": odd,
                          "kind": COLLECTIVES[kind], "ranks": ranks, "islands": islands, "bytes": size,
                          "seconds": best.seconds, "hardware": hardware, "switches": switches, "intra": intra,
                          "inter": best.inter})

    def notes(self) -> "Iterator[tuple[str, str]]":
        """The spread of settings, and what was left out."""
        for c in self.clusters:
            if c.repeated:
                yield "floor", ("%s: up to %u settings a call; the first listed is %.0f %% above the best on average, "
                                "the worst %.0f %%" % (c.name, c.settings, 100 * c.first_over / c.repeated,
                                                       100 * c.worst_over / c.repeated))
        yield "left out", ("{inside} rows inside one island, {gpu} of unknown GPUs, {links} whose links are not "
                           "stated, {slow} of slow settings (more than twice the best in the median), {other} not complete"
                           .format(**{key: self.left[key] for key in ("inside", "gpu", "links", "slow", "other")}))
        for c in self.clusters:
            if not c.fabric:
                yield "not known", f"{c.name}: no fabric by `{c.text}`; asked for as one not seen"


def read(c: Context) -> Optional[Sweeps]:
    """None after a message: there is no such table."""
    files, found = sorted(c.data.glob("runs/nccl_inter*.csv*")), Sweeps()
    if not files:
        print(f"  no runs/nccl_inter*.csv* in {c.data}")
        return None
    for file in files:
        for t in table.read(file) or []:
            found.add(t)
    found.lines.sort(key=lambda x: (x.call, x.setting, x.seconds))
    found.find_slow()
    found.left["slow"] = sum(x.slow for x in found.lines)
    for call in found.calls():
        found.take_best(call)
    return found
