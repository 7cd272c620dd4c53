"""trainspec profile: the command."""
import argparse
import os
import signal
import statistics
import sys
import time

from . import jobs, machine, nccl_tests, pool
from .choose import choose
from .points import Plan, flops, held
from .tables import Folder, Full, Refused

DONE, REFUSED, USAGE, GONE, SYSTEM = range(5)


def numbers(text):
    try:
        found = [int(n) for n in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"numbers from 1 with commas between, not {text!r}")
    return found


def minutes(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e5:
        raise argparse.ArgumentTypeError(f"minutes above 0, not {text!r}")
    return value


def words(known):
    def of(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"no {word!r}: {', '.join(known)}")
        return text.split(",")
    return of


def parser():
    p = argparse.ArgumentParser(prog="trainspec profile", description="Measures this machine into tables of a folder; run again, it goes on.")
    p.add_argument("folder", metavar="DIR")
    p.add_argument("--minutes", type=minutes, default=10.0, metavar="N")
    p.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    p.add_argument("--ranks", type=numbers, metavar="LIST")
    p.add_argument("--dtypes", type=words(("fp32", "bf16", "fp16")), metavar="LIST")
    p.add_argument("--only", type=words(("kernels", "collectives", "pairs")), default=["kernels", "collectives", "pairs"], metavar="LIST")
    p.add_argument("--jobs", choices=("slurm", "torchrun"))
    p.add_argument("--nodes", type=numbers, default=[1, 2, 4, 8], metavar="LIST")
    p.add_argument("--per-node", type=int, default=8, metavar="N")
    p.add_argument("--protocols", type=words(("any", "LL", "LL128", "Simple")), default=["any", "LL", "LL128", "Simple"], metavar="LIST")
    p.add_argument("--read", action="append", metavar="LOG")
    p.add_argument("--machine", metavar="NAME")
    for common in ("--color", "--diagnostics", "--max-memory"):
        p.add_argument(common, help=argparse.SUPPRESS)
    return p


def say(text):
    print(f"trainspec profile: {text}", file=sys.stderr, flush=True)


def slowest(answers):
    """The times of the slowest rank, for all wait for it."""
    return sorted(max((a["times"] for a in answers if a["times"]), key=statistics.median))


def rows_of(point, answers, source):
    """(table, row) of a point that was measured; None: too short to be seen beside a collective."""
    times = slowest(answers)
    middle = statistics.median(times)
    if "collective" in point:
        return "collectives", dict(point, time_us=round(middle * 1e6, 3))
    if "transfer" not in point:
        quarter = len(times) // 4
        return "kernels", dict(point, time_us=round(middle * 1e6, 3), low_us=round(times[quarter] * 1e6, 3), high_us=round(times[-1 - quarter] * 1e6, 3), repeats=len(times))
    beside = [t for a in answers for t in a.get("beside", ())]
    if len(beside) < 3:
        return None
    return "overlap", dict(point, source=source, time=round(middle, 9), flops=flops(point), bytes=held(point), transfer_time=round(max(a.get("transfer", 0) for a in answers), 9),
                           slowdown=round(statistics.median(beside) / middle, 4))


class Run:
    def __init__(self, o):
        self.o = o
        self.there = pool.describe(o.device)
        kind = "cuda" if self.there["cuda"] and o.device != "cpu" else "cpu"
        most = self.there["count"]
        worlds = o.ranks or [n for n in (2, 4, 8) if n <= most]
        if max(worlds, default=1) > most:
            raise Refused(f"--ranks {max(worlds)}: there are {most} {'GPUs' if kind == 'cuda' else 'cores'}")
        self.worlds = [n for n in worlds if n > 1]
        self.folder = Folder(o.folder, self.there["device"], f"trainspec profile, {self.there['software']}")
        memory = self.there["memory"] // (4 if kind == "cuda" else 64 * max(self.worlds, default=1))
        self.plan = Plan(o.dtypes or (["bf16", "fp32"] if kind == "cuda" else ["fp32"]), self.worlds if {"collectives", "pairs"} & set(o.only) else [], memory,
                         1 << (32 if kind == "cuda" else 28))
        wanted = {"collective": "collectives", "pair": "pairs"}
        self.plan.series = [s for s in self.plan.series if wanted.get(self.plan.group[s.name], "kernels") in o.only]
        self.kind, self.longest = kind, 0.1  # s of a call

    def left(self):
        """Seconds."""
        return self.o.minutes * 60 - (time.monotonic() - self.began)

    def point(self, ranks, series, place):
        """Whether one more point was measured."""
        point = self.plan.point[series.name, place]
        answers = ranks.measure(point)
        if any("memory" in a for a in answers):
            say(f"{series.name}: no memory for {sizes(point)}: nothing larger is tried")
            series.close_from(series.work[place])
            return False
        lacks = next((a["lacks"] for a in answers if "lacks" in a), None)
        if lacks:
            say(f"{series.name} is left out: {lacks}")
            series.open.clear()
            return False
        found = rows_of(point, answers, self.folder.source)
        if not found:
            series.open.discard(place)
            return False
        self.folder.add(found[0], found[1])
        if "time_us" in found[1] and found[1]["time_us"] > 2e6 * self.longest:
            series.close_from(series.work[place])
        series.take(place, found[1]["slowdown"] if "slowdown" in found[1] else found[1]["time_us"] * 1e-6)
        return True

    def measure(self):
        before = self.folder.count()
        taken = self.plan.take_up([row for rows in self.folder.rows.values() for row in rows])
        say(f"{self.there['device']} ({self.kind}), {self.o.minutes:g} minutes" + (f", {taken} points are there already" if taken else ""))
        ranks = pool.Pool(pool.command(self.kind), max(self.worlds, default=1), 300)
        try:
            ranks.ready()
            self.began = time.monotonic()  # what it takes to start PyTorch does not count
            while self.left() > 0:
                chosen = choose(self.plan.series, min(self.longest, self.left() / 20))
                if not chosen:
                    say("all points are measured")
                    break
                self.point(ranks, *chosen)
        finally:
            ranks.end()
            say(f"{self.folder.count() - before} points measured, {self.folder.count()} in {self.o.folder}")
        return DONE


def sizes(point):
    return ", ".join(f"{k} {v}" for k, v in point.items() if isinstance(v, int))


def read_logs(o):
    folder = Folder(o.folder)
    new = []
    for path in o.read:
        with open(path, encoding="utf-8", errors="replace") as file:
            new += nccl_tests.read(file.read(), path)
    known = {tuple(sorted((k, str(v)) for k, v in row.items() if v != "")) for row in folder.rows["collectives"]}
    fresh = [row for row in new if tuple(sorted((k, str(v)) for k, v in row.items() if v != "")) not in known]
    folder.source = "nccl-tests"
    folder.add("collectives", *fresh)
    say(f"{len(fresh)} rows of {len(o.read)} logs, {len(new) - len(fresh)} were there; {folder.file('collectives')}")
    return DONE


def run(o):
    if o.jobs:
        for path in jobs.write(o.folder, o.jobs, o.nodes, o.per_node, o.protocols, round(o.minutes)):
            print(path)
        return DONE
    if o.read:
        return read_logs(o)
    if o.machine:
        return machine.write(Folder(o.folder), o.machine, say)
    return Run(o).measure()


def stop(*_):
    raise KeyboardInterrupt


def main(arguments=None):
    o = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, stop)
    try:
        return run(o)
    except (Refused, ValueError) as error:
        say(error)
        return REFUSED
    except pool.Gone as error:
        say(f"{error}\nwhat was measured stays in {o.folder}: run the same command again and it goes on")
        return GONE
    except (Full, OSError) as error:
        say(f"{error}\nwhat was measured before stays in {o.folder}: run the same command again and it goes on")
        return SYSTEM
    except KeyboardInterrupt:
        say(f"interrupted; what was measured stays in {o.folder}: run the same command again and it goes on")
        return 128 + signal.SIGINT
