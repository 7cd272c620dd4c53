"""One rank of the measuring: takes points from its standard input, a JSON object a line, and answers each with a line.

    python -m trainspec_profile.ranks cpu|cuda       # RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT say which
    torchrun ... -m trainspec_profile.ranks --sweep cuda all_reduce 1024 1073741824    # prints what nccl-tests prints

All ranks of a node measure a kernel at the same time, as they run it in a step.
"""
import json
import os
import socket
import statistics
import sys
import time

import torch
import torch.distributed as dist

from .points import ROW, STREAMS, WIDTH, flops, steps

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
BUS = {"all_reduce": lambda n: 2 * (n - 1) / n, **dict.fromkeys(("all_gather", "reduce_scatter", "all_to_all"), lambda n: (n - 1) / n)}  # bytes on the busiest link over bytes of the call
WARM, LEAST, MOST, SECONDS = 3, 5, 50, 0.3  # of a point: runs before it counts, runs, and how long they may go on


NO_ROOM = tuple(getattr(torch, name) for name in ("OutOfMemoryError",) if hasattr(torch, name)) or (torch.cuda.OutOfMemoryError,)
LOST = tuple(getattr(dist, name) for name in ("DistNetworkError", "DistBackendError") if hasattr(dist, name))  # other ranks, or the way to them
SMALL = {"m": 16, "n": 16, "k": 16, "batch": 1, "heads": 1, "seq": 16, "bytes": 64 * ROW, "transfer_bytes": 4096}


def least(point):
    return {**point, **{name: size for name, size in SMALL.items() if name in point}}


def told(error):
    """The first line of what an exception says, or its kind."""
    return (str(error).split("\n")[0] or type(error).__name__)[:300]


class Device:
    """A processor, or a GPU, with its clock."""

    def __init__(self, kind, rank):
        self.cuda, self.name = kind == "cuda", f"cuda:{rank}" if kind == "cuda" else "cpu"
        if self.cuda:
            torch.cuda.set_device(rank)
        else:
            torch.set_num_threads(1)

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def numbers(self, *shape, dtype=torch.float32):
        return torch.randn(*shape, device=self.name).to(dtype)

    def timed(self, run):
        """Seconds of a run on the device alone."""
        if not self.cuda:
            begin = time.perf_counter()
            run()
            return time.perf_counter() - begin
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3

    def times(self, run):
        """A few runs at least; of long ones, as many as there is time for."""
        warm = 1 + (self.timed(run) < SECONDS / LEAST) * (WARM - 1)
        for _ in range(warm - 1):
            run()
        self.wait()
        found, until = [], time.perf_counter() + SECONDS
        while len(found) < (LEAST if warm > 1 else 2) or (len(found) < MOST and time.perf_counter() < until):
            found.append(self.timed(run))
        return found


def kernel(device, point):
    """The function that runs a kernel."""
    dtype = TYPES[point["dtype"]]
    if point["family"] == "gemm":
        x, w = device.numbers(point["m"], point["k"], dtype=dtype), device.numbers(point["n"], point["k"], dtype=dtype)
        return lambda: torch.mm(x, w.t())
    if point["family"] == "attention":
        q, k, v = (device.numbers(point["batch"], point["heads"], point["seq"], point["head_dim"], dtype=dtype) for _ in range(3))
        return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    rows = point["bytes"] // (STREAMS[point["operator"]] * WIDTH[point["dtype"]] * ROW)
    x = device.numbers(rows, ROW, dtype=dtype)
    if point["operator"] == "add":
        y = device.numbers(rows, ROW, dtype=dtype)
        return lambda: torch.add(x, y)
    if point["operator"] == "layer_norm":
        return lambda: torch.nn.functional.layer_norm(x, (ROW,))
    return (lambda: torch.softmax(x, -1)) if point["operator"] == "softmax" else lambda: torch.nn.functional.gelu(x)


def collective(device, kind, size, group, world, rank):
    """The function that calls a collective of so many bytes; all that is gathered, scattered or sent."""
    data = torch.zeros(max(world, size // 4 // world * world), device=device.name)
    part = torch.zeros(data.numel() // world, device=device.name)
    if kind == "all_reduce":
        return lambda wait=True: dist.all_reduce(data, group=group, async_op=not wait)
    if kind == "all_gather":
        return lambda: dist.all_gather(list(data.chunk(world)), part, group=group)
    if kind == "reduce_scatter":
        return lambda: dist.reduce_scatter(part, list(data.chunk(world)), group=group)
    if kind == "broadcast":
        return lambda: dist.broadcast(data, 0, group=group)
    if kind == "all_to_all":
        return lambda: dist.all_to_all_single(torch.empty_like(data), data, group=group)
    return (lambda: dist.send(data, 1, group=group)) if rank == 0 else lambda: dist.recv(data, 0, group=group)


class Rank:
    def __init__(self, kind):
        self.rank, self.world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        self.device, self.groups = Device(kind, int(os.environ.get("LOCAL_RANK", self.rank))), {}
        torch.backends.cuda.matmul.allow_tf32 = False
        if self.world > 1:
            dist.init_process_group("nccl" if kind == "cuda" else "gloo")

    def group(self, world):
        """Of the first ranks. All take part in making it."""
        if world not in self.groups:
            self.groups[world] = dist.group.WORLD if world == self.world else dist.new_group(list(range(world)))
        return self.groups[world]

    def call_times(self, run, group):
        """Seconds of a call, from the moment at which all are there, with the same number of calls on all ranks."""
        found = []
        for _ in range(2):
            run()
        self.device.wait()
        dist.barrier(group=group)
        count = torch.tensor([min(MOST, max(3, int(SECONDS / max(1e-6, self.device.timed(run)))))], device=self.device.name)
        dist.broadcast(count, 0, group=group)
        for _ in range(int(count)):
            self.device.wait()
            dist.barrier(group=group)
            begin = time.perf_counter()
            run()
            self.device.wait()
            found.append(time.perf_counter() - begin)
        return found

    def beside(self, run, call, transfers, group):
        """Times of a kernel while transfers are under way, of those that end before the last transfer does."""
        found = []
        dist.barrier(group=group)
        if self.device.cuda:  # collectives have a stream of their own; the events of both are on the clock of the device
            works = [call(False) for _ in range(transfers)]
            marks = []
            for _ in range(WARM + MOST):
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                run()
                end.record()
                marks.append((begin, end))
                end.synchronize()
                if works[-1].is_completed():
                    marks.pop()
                    break
            found = [b.elapsed_time(e) / 1e3 for b, e in marks]
        else:
            works = [call(False) for _ in range(transfers)]
            while len(found) < WARM + MOST and not works[-1].is_completed():
                seconds = self.device.timed(run)
                if not works[-1].is_completed():
                    found.append(seconds)
        for work in works:
            work.wait()
        self.device.wait()
        return found[WARM:]

    def measure(self, point):
        world = point.get("ranks", self.world)
        group = self.group(world) if self.world > 1 else None
        if self.rank >= world:
            return {"times": []}
        if "collective" in point:
            return {"times": self.call_times(collective(self.device, point["collective"], point["bytes"], group, world, self.rank), group)}
        run = kernel(self.device, point)
        if self.world > 1:
            dist.barrier(group=group)
        alone = self.device.times(run)
        if "transfer" not in point:
            return {"times": alone}
        call = collective(self.device, "all_reduce", point["transfer_bytes"], group, world, self.rank)
        transfer = statistics.median(self.call_times(call, group))
        count = torch.tensor([2 + int((WARM + 2 * LEAST) * statistics.median(alone) / transfer)], device=self.device.name)
        dist.broadcast(count, 0, group=group)
        return {"times": alone, "transfer": transfer, "beside": self.beside(run, call, int(count), group)}

    def works(self, run):
        """Whether something runs here, waited for."""
        try:
            run()
            self.device.wait()
        except (RuntimeError, ValueError):
            return False
        return True

    def least(self, point):
        """The point at a size that any device has room for."""
        small = least(point)
        if "collective" not in small:
            return kernel(self.device, small)()
        world = small.get("ranks", self.world)
        return collective(self.device, small["collective"], small["bytes"], self.group(world), world, self.rank)()

    def answer(self, point):
        try:
            return self.measure(point)
        except (AttributeError, NotImplementedError) as error:  # this release of PyTorch has no such operator, or not for this format
            return {"lacks": told(error)}
        except (MemoryError, *NO_ROOM) as error:
            return {"memory": told(error)}
        except LOST as error:
            return {"gone": told(error)}
        except (RuntimeError, ValueError) as error:  # of all kinds: tried again, small
            if not self.works(lambda: self.device.numbers(1).sum().item()):
                return {"gone": told(error)}  # after an error of the device, nothing more can run in this process
            return {"memory" if self.works(lambda: self.least(point)) else "lacks": told(error)}


def describe(kind):
    """The device's name and memory, and the software."""
    if kind == "cuda":
        p = torch.cuda.get_device_properties(0)
        return {"device": p.name, "memory": p.total_memory, "software": f"torch {torch.__version__}, CUDA {torch.version.cuda}", "units": p.multi_processor_count, "count": torch.cuda.device_count()}
    names = [l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")] if os.path.exists("/proc/cpuinfo") else []
    return {"device": f"{names[0] if names else os.uname().machine}, one core", "memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), "software": f"torch {torch.__version__}", "units": 1,
            "count": len(os.sched_getaffinity(0))}


def sweep(kind, name, low, high):
    """What nccl-tests prints of a sweep, of these ranks."""
    r = Rank(kind)
    hosts = [None] * r.world
    dist.all_gather_object(hosts, (socket.gethostname(), os.getpid(), describe(kind)["device"]))
    say = print if r.rank == 0 else lambda *_, **__: None
    say(f"# {name}_perf by trainspec-profile, {os.environ.get('NCCL_PROTO', 'protocol of the library')}\n# nThread 1 nGpus 1 minBytes {low} maxBytes {high}")
    for i, (host, process, device) in enumerate(hosts):
        say(f"#  Rank {i:2d} Group  0 Pid {process} on {host} device {i:2d} [0x00] {device}")
    say("#       size         count      type   redop    root     time   algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)")
    for size in steps(low, high, 2):
        size = max(1, size // 4 // r.world) * 4 * r.world
        seconds = torch.tensor(statistics.median(r.call_times(collective(r.device, name, size, r.group(r.world), r.world, r.rank), r.group(r.world))), device=r.device.name)
        dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
        rate = size / seconds.item() / 1e9
        say(f"{size:12d} {size // 4:13d}     float     sum      -1 {seconds.item() * 1e6:8.2f} {rate:7.2f} {rate * BUS.get(name, lambda n: 1)(r.world):7.2f}      0", flush=True)
    dist.destroy_process_group()


def main():
    if sys.argv[1:2] == ["--describe"]:
        print(json.dumps({"cuda": torch.cuda.is_available(), **describe(sys.argv[2] if sys.argv[2] != "auto" else "cuda" if torch.cuda.is_available() else "cpu")}))
        return
    if sys.argv[1:2] == ["--sweep"]:
        sweep(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
        return
    out, sys.stdout = sys.stdout, sys.stderr
    rank = Rank(sys.argv[1])
    print("{}", file=out, flush=True)
    for line in sys.stdin:
        out.write(json.dumps(rank.answer(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
