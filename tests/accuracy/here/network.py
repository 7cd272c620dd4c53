"""Times of gloo's collectives and messages between processes of this machine, as the table that measured(table "...") reads.

    network.py --out gloo.csv        # as one of the processes that RANK and WORLD_SIZE name
"""
import argparse
import os
import statistics
import time

import torch
import torch.distributed as dist

SIZES = [4 << n for n in range(8, 17 if "HERE_SMALL" in os.environ else 25, 2)]  # bytes of fp32: 1 KiB to 64 MiB


def shares(numbers, world):
    return [torch.zeros(numbers // world + 1) for _ in range(world)]


def run(kind, data, parts, rank, world):
    if kind == "all_reduce":
        dist.all_reduce(data)
    elif kind == "all_gather":
        dist.all_gather(parts, parts[rank].clone())
    elif kind == "broadcast":
        dist.broadcast(data, 0)
    elif rank == 0:
        dist.send(data, 1)
    else:
        dist.recv(data, 0)


def measure(kind, size):
    """Seconds of one call: the median, of the slowest rank."""
    rank, world = dist.get_rank(), dist.get_world_size()
    data, parts = torch.zeros(size // 4), shares(size // 4, world)
    times = []
    for turn in range(4 + max(5, min(40, (64 << 20) // size))):
        dist.barrier()
        begin = time.perf_counter()
        run(kind, data, parts, rank, world)
        times.append(time.perf_counter() - begin)
    slowest = torch.tensor(statistics.median(times[4:]))
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    return slowest.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--out", required=True)
    o = p.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rows = [(kind, size, measure(kind, size)) for kind in ("all_reduce", "all_gather", "broadcast", "message") for size in SIZES]
    if dist.get_rank() == 0:
        with open(o.out, "w") as out:
            out.write("# source: gloo between two processes of this machine\ncollective,ranks,islands,bytes,time_us\n")
            for kind, size, seconds in sorted(rows):
                out.write(f"{kind},{dist.get_world_size()},1,{size},{seconds * 1e6:.3f}\n")


if __name__ == "__main__":
    main()
