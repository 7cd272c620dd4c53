"""SimAI-Analytical's closed forms (astra-sim-alibabacloud: system/calbusbw.cc, workload/Layer.cc), for A100, ratios of 1 and no overlap.

A call of S bytes over n ranks takes S f (n-1)/n over its bus bandwidth, f = 2 for an all-reduce, else 1. The bandwidth follows from where the
group's ranks stand in hosts of eight with a NIC each. Calls below 1 MiB take a stated time by the number of ranks.
"""
from __future__ import annotations

import re

HOST = 8
SMALL_NS = {2: 10_000, 4: 12_000, 8: 15_000, 16: 66_000, 32: 135_000, 64: 200_000, 128: 320_000}


def placed(group: str, ranks: int, tp: int, ep: int) -> tuple:
    """(hosts, ranks of the group in a host, NICs that they have), as Layer::compute_time counts them."""
    if group == "TP":
        return (1, tp, HOST) if tp <= HOST else (tp // HOST, HOST, HOST)
    if group == "EP":
        return (1, HOST // tp, HOST) if tp * ranks <= HOST else (tp * ranks // HOST, max(HOST // tp, 1), max(HOST // tp, 1))
    width = tp if group == "DP" else tp * ep
    return (ranks, HOST // width, HOST // width) if width <= HOST else (ranks, 1, 1)


def bus_bandwidth(call: str, hosts: int, inside: int, nics: int, nvlink: float, nic: float) -> float:
    ring = nvlink if hosts == 1 else nic * nics if inside == 1 else min(nvlink, nic * nics)
    ranks = hosts * inside
    if call == "ALLTOALL":
        return nvlink if hosts == 1 else nic * nics / inside * (ranks - 1) / ((hosts - 1) * inside)
    if call != "ALLREDUCE":
        return ring
    if hosts == 1:
        return max(ring, ring * (inside - 1) / inside)
    outside = nic * nics * {2: 2, 3: 4 / 3}.get(hosts, 1)
    tree = outside if inside == 1 else min(outside, nvlink * inside / (inside - 1))
    return max(ring, tree * (ranks - 1) / ranks)


class Workload:
    """A text workload: its header's degrees (those of `gpus` where it states no number), and lines of three computations and three calls."""

    def __init__(self, text: str, gpus: int):
        lines = text.splitlines()
        header = lines[0].split()

        def stated(key, otherwise):
            return int(header[header.index(key) + 1]) if key in header else otherwise

        self.stated = "all_gpus:" in header
        self.gpus = stated("all_gpus:", gpus)
        self.tp, self.ep, self.pp = (stated(key, 1) for key in ("model_parallel_NPU_group:", "ep:", "pp:"))
        self.parts, self.micro_batches, self.message = stated("vpp:", 1), stated("ga:", 1), stated("pp_comm", 0)
        self.dp = self.gpus // self.tp // self.pp
        self.rows = [fields for fields in (line.split() for line in lines[2:]) if len(fields) >= 11]

    def call_ns(self, kind: str, size: int, of_weights: bool, nvlink: float, nic: float) -> float:
        call, suffix = re.fullmatch(r"([A-Z]+?)(_DP_EP|_EP)?", kind).groups()
        group = suffix[1:] if suffix else "DP" if of_weights else "TP"
        ranks = {"TP": self.tp, "EP": self.ep, "DP": self.dp, "DP_EP": self.dp // self.ep}[group]
        if call == "NONE" or ranks <= 1:
            return 0
        if 1 < size < 1 << 20:
            return SMALL_NS.get(ranks, 0)
        bandwidth = bus_bandwidth(call, *placed(group, ranks, self.tp, self.ep), nvlink, nic)
        return size / bandwidth * (2 if call == "ALLREDUCE" else 1) * (ranks - 1) / ranks

    def total_ms(self, nvlink: float, nic: float) -> float:
        """Computation, calls, and of a text with messages between stages these and the bubble."""
        total = of_micro_batches = 0.0
        for fields in self.rows:
            times = [int(fields[i]) for i in (2, 5, 8)]
            calls = [self.call_ns(fields[i], int(fields[i + 1]), i == 9, nvlink, nic) for i in (3, 6, 9)]
            total += sum(times) + sum(calls)
            of_micro_batches += 0 if fields[0] == "embedding_layer" else sum(times) + calls[0] + calls[1]
        if self.pp > 1 and self.message:
            total += of_micro_batches * (self.pp - 1) / (self.micro_batches * self.parts) + 2 * self.parts * self.micro_batches * self.message / nic
        return total / 1e6


def played_ms(replay: dict) -> float:
    """What a replay took, as the form counts it: of a pipeline the step, else all that a rank computes and communicates."""
    if replay["pipelined"]:
        return replay["step_ns"] / 1e6
    rank = replay["classes"][0]
    return (rank["compute_ns"] + rank["communication_ns"]) / 1e6
