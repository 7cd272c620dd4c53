"""trainspec-trace overlap: how much a kernel and a transfer slow each other, measured on one GPU.

Each distinct kernel of the graphs runs alone, then while a kernel that moves memory as a collective does, on as few processors as its channels, runs on another stream. Rows are those that
`trainspec fit slowdown` reads (doc/overlap.md).
"""
import argparse
import csv
import io
import statistics
import sys

import torch

from . import graph as graphs

COLUMNS = ["source", "family", "time", "flops", "bytes", "bandwidth", "transfer", "channels", "transfer_bytes", "transfer_time", "slowdown"]
CHANNELS = (8, 16, 24, 32)
REPEATS, WARM = 20, 5
USUAL = [["aten::mm", [["bfloat16", [m, k]], ["bfloat16", [k, n]]]] for m, k, n in ((512, 4096, 4096), (4096, 4096, 4096), (4096, 4096, 16384), (8192, 8192, 8192))] + \
        [["aten::native_layer_norm", [["bfloat16", [4096, w]], ["bfloat16", [w]], ["bfloat16", [w]]]] for w in (4096, 8192)] + \
        [["aten::gelu", [["bfloat16", [4096, 16384]]]], ["aten::_softmax", [["bfloat16", [32, 2048, 2048]]]], ["aten::add", [["bfloat16", [4096, 8192]]] * 2]]


def numel(tensor):
    n = 1
    for size in tensor[1]:
        n *= size
    return n


def run_of(op, tensors):
    """(family, function, FLOP) of an operator on fresh tensors, as far as shapes say what it computes; None: they do not."""
    def call(function, *rest):
        return lambda: function(*tensors, *rest)

    shapes = [list(t.shape) for t in tensors]
    name = op.replace("aten::", "")
    if name in ("mm", "bmm") and len(shapes) == 2:
        return "matmul", call(getattr(torch, name)), 2 * tensors[0].numel() * shapes[1][-1]
    if name in ("addmm", "baddbmm") and len(shapes) == 3:
        return "matmul", call(getattr(torch, name)), 2 * tensors[1].numel() * shapes[2][-1]
    if name == "native_layer_norm" and len(shapes) == 3:
        return "norm", lambda: torch.native_layer_norm(tensors[0], shapes[1], tensors[1], tensors[2], 1e-5), 8 * tensors[0].numel()
    if name == "_softmax" and len(shapes) == 1:
        return "softmax", lambda: torch.softmax(tensors[0], -1), 5 * tensors[0].numel()
    if name in ("gelu", "silu", "relu") and len(shapes) == 1:
        return "elementwise", call(getattr(torch.nn.functional, name)), tensors[0].numel()
    if name in ("add", "mul", "sub", "div") and len(shapes) == 2:
        return "elementwise", call(getattr(torch, name)), max(t.numel() for t in tensors)
    return None


def distinct(paths):
    """Operators by name and shapes, each once; without graphs the usual ones of a transformer."""
    if not paths:
        return USUAL
    found = {}
    for path in paths:
        for node in graphs.read(path)["nodes"]:
            if "comm" not in node and node.get("in") and all(t[0] in ("float32", "float16", "bfloat16") for t in node["in"]):
                found.setdefault((node["op"], str(node["in"])), [node["op"], node["in"]])
    return list(found.values())


def mover():
    """A kernel of `channels` blocks that adds one buffer to another, as a step of a ring does. Written in Triton, which PyTorch for GPUs brings along."""
    import triton
    import triton.language as tl

    @triton.jit
    def add_along(source, target, count, block: tl.constexpr):
        at = tl.program_id(0) * block
        while at < count:
            place = at + tl.arange(0, block)
            inside = place < count
            tl.store(target + place, tl.load(target + place, mask=inside) + tl.load(source + place, mask=inside), mask=inside)
            at += tl.num_programs(0) * block

    return lambda source, target, channels: add_along[(channels,)](source, target, source.numel(), block=4096, num_warps=16)


class Bench:
    def __init__(self):
        self.move, self.side = mover(), torch.cuda.Stream(priority=-1)
        self.source = torch.zeros(64 << 20, dtype=torch.float32, device="cuda")
        self.target = torch.zeros_like(self.source)

    @staticmethod
    def seconds(begin, end):
        return begin.elapsed_time(end) / 1e3

    def alone(self, run):
        times = []
        for i in range(WARM + REPEATS):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            run()
            end.record()
            end.synchronize()
            times.append(self.seconds(begin, end))
        return statistics.median(times[WARM:])

    def transfer(self, channels):
        return self.alone(lambda: self.move(self.source, self.target, channels))

    def beside(self, run, channels, alone, one_transfer):
        """The median of runs that lie wholly within transfers; None: there were none."""
        transfers = max(2, int(2 * (WARM + REPEATS) * alone / one_transfer) + 2)
        torch.cuda.synchronize()
        started, ended, times = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True), []
        with torch.cuda.stream(self.side):
            started.record()
            for _ in range(transfers):
                self.move(self.source, self.target, channels)
            ended.record()
        for _ in range(WARM + REPEATS):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            run()
            end.record()
            times.append((begin, end))
        torch.cuda.synchronize()
        inside = [self.seconds(b, e) for b, e in times if started.elapsed_time(b) > 0 and e.elapsed_time(ended) > 0]
        return statistics.median(inside[WARM:]) if len(inside) > 2 * WARM else None


def bandwidth_of(properties):
    clock, width = getattr(properties, "memory_clock_rate", None), getattr(properties, "memory_bus_width", None)
    return 2e3 * clock * width / 8 if clock and width else ""


def measure(paths, out):
    bench, properties = Bench(), torch.cuda.get_device_properties(0)
    transfers = {channels: bench.transfer(channels) for channels in CHANNELS}
    rows, skipped = csv.DictWriter(out, COLUMNS), 0
    rows.writeheader()
    for op, given in distinct(paths):
        tensors = [torch.randn(shape, dtype=getattr(torch, dtype), device="cuda") for dtype, shape in given]
        found = run_of(op, tensors)
        if not found:
            skipped += 1
            continue
        family, run, flops = found
        alone = bench.alone(run)
        moved = sum(t.numel() * t.element_size() for t in tensors)
        made = run()
        made = made[0] if isinstance(made, tuple) else made
        for channels, time in transfers.items():
            beside = bench.beside(run, channels, alone, time)
            if beside:
                rows.writerow({"source": f"trainspec-trace overlap, {properties.name}", "family": family, "time": f"{alone:.9f}", "flops": flops,
                               "bytes": moved + made.numel() * made.element_size(), "bandwidth": bandwidth_of(properties), "transfer": "all_reduce", "channels": channels,
                               "transfer_bytes": bench.source.numel() * 4, "transfer_time": f"{time:.9f}", "slowdown": f"{beside / alone:.4f}"})
    return skipped


def main(arguments):
    p = argparse.ArgumentParser(prog="trainspec-trace overlap", description="How much kernels and transfers slow each other, measured on a GPU: rows for trainspec fit slowdown.")
    p.add_argument("graphs", nargs="*", metavar="GRAPH", help="take the kernels of these (default: usual ones of a transformer)")
    p.add_argument("-o", "--output", default="overlap.csv", metavar="FILE")
    o = p.parse_args(arguments)
    if not torch.cuda.is_available():
        print("trainspec-trace overlap: skipped, there is no GPU", file=sys.stderr)
        return 0
    rows = io.StringIO(newline="")
    skipped = measure(o.graphs, rows)
    graphs.replace([(o.output, rows.getvalue().encode())])
    if skipped:
        print(f"trainspec-trace overlap: {skipped} operators left out: shapes do not say what they compute", file=sys.stderr)
    return 0
