"""trainspec-trace: the command."""
import argparse
import json
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from . import __version__, alike, child, graph as graphs, routing
from .cuda.devices import GPUS
from .packages import TABLE
from .turns import Wait, settle
from .values import decided, said

DONE, FAILED, USAGE, OUT_OF_MEMORY, NO_STEP, DECIDED = range(6)

EPILOG = """Commands:
  trainspec-trace [OPTION]... -- python train.py ARGUMENT...
  trainspec-trace [OPTION]... -- torchrun --nproc-per-node 8 train.py ARGUMENT...
  trainspec-trace compare GRAPH GRAPH    where two graphs first differ
  trainspec-trace snapshots GRAPH [-o rows.csv]
                                         what is held around each module, by category
  trainspec-trace overlap [GRAPH]... -o rows.csv
                                         how kernels and transfers slow each other (needs a GPU)
  trainspec-trace metrics ROWS.csv --ncu NCU.csv -o rows.csv
                                         rows of slowdowns with what Nsight Compute measured of their kernels

Exit codes: 0 done, 1 the script failed or took too long, 2 wrong usage, 3 a rank would run out of memory, 4 the script ended and no step of an optimizer was seen, 5 the script goes by a value
that nobody computed."""


class Wrong(Exception):
    """Wrong usage."""


def size(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:([KMGT]i?)?B?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"a size is written 80GiB or 80GB, not {text!r}")
    unit = found.group(2) or ""
    return int(float(found.group(1)) * (1024 if unit.endswith("i") else 1000) ** (" KMGT".index(unit[0]) if unit else 0))


def distribution(text):
    try:
        routing.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def parser():
    p = argparse.ArgumentParser(prog="trainspec-trace", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EPILOG, usage="trainspec-trace [OPTION]... -- COMMAND...",
                                description="Records what each rank of a distributed PyTorch training step does, on one device.")
    p.add_argument("--world", type=int, metavar="N", help="ranks of the job (default: WORLD_SIZE, or what torchrun is given)")
    p.add_argument("--ranks", metavar="LIST", help="trace these alone: 0,4 or 0-3 (default: all, ranks that are alike once)")
    p.add_argument("--all", action="store_true", help="trace each rank by itself, also those that are alike")
    p.add_argument("--local", type=int, metavar="N", help="ranks of a node, for LOCAL_RANK (default: 8, or what torchrun is given)")
    p.add_argument("--step", type=int, metavar="N", help="write the N-th step, from 1, and go on no further; 0: everything (default: the last)")
    p.add_argument("--compute", action="store_true", default=None, help="really run operators (default where there is a GPU)")
    p.add_argument("--timed", action="store_true", help="run operators and measure each")
    p.add_argument("--routing", type=distribution, default="balanced", metavar="HOW", help="which experts are chosen where scores are not computed: balanced, zipf:S, or none (default: balanced)")
    p.add_argument("--values", choices=("refuse", "take"), default="refuse", help="a script that goes by a value which nobody computed is refused, or takes it as it reads (default: refuse)")
    p.add_argument("--packages", metavar="LIST", default="auto", help="packages to stand in for where they are not there: apex,wandb ... (default: auto, those that the script cannot do without; none)")
    p.add_argument("--device", metavar="GPU", help="stand in for cuda with this GPU: h100_sxm, a100_sxm_80g ... (default: the script finds what is there)")
    p.add_argument("--memory", type=size, metavar="SIZE", help="what a device has, as 80GiB: say where a rank would run out of it")
    p.add_argument("--limit", type=float, default=1800, metavar="SECONDS", help="a rank that is not done by then hangs (1800)")
    p.add_argument("--real", action="store_true", help="this is one of really running processes: record it, act for nobody")
    p.add_argument("-o", "--output", default="graph.{rank}.json", metavar="PATH", help="graphs; {rank} is replaced (graph.{rank}.json; .gz packs)")
    p.add_argument("--play", metavar="F:B:L:T", help="also play the step with trainspec replay: FLOP/s, bytes/s of memory and of a link, latency")
    p.add_argument("-q", "--quiet", action="store_true", help="do not say what is done")
    p.add_argument("--version", action="version", version=f"trainspec-tracer {__version__}")
    return p


def split(arguments):
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1:]


def take_torchrun(words, o):
    """torchrun starts processes; we act them. Its numbers say how many."""
    counts, rest = {"nproc": 1, "nnodes": 1}, list(words[1:])
    while rest and rest[0].startswith("-"):
        word, _, value = rest.pop(0).partition("=")
        name = word.lstrip("-").replace("_", "-")
        if name in ("m", "module"):
            rest.insert(0, "-m")
            break
        if name in ("standalone", "no-python", "run-path"):
            continue
        value = value or (rest.pop(0) if rest else "")
        if name in ("nproc-per-node", "nnodes"):
            if not value.isdigit():
                raise Wrong(f"`{word}` is given a number to be acted, not `{value}`")
            counts["nproc" if name == "nproc-per-node" else name] = int(value)
    o.launched = True
    o.world = o.world or counts["nproc"] * counts["nnodes"]
    o.local = o.local or counts["nproc"]
    return [sys.executable] + rest


def child_command(words, o):
    if words[1:3] == ["-m", "torch.distributed.run"]:
        words = ["torchrun"] + words[3:]
    if os.path.basename(words[0]) == "torchrun":
        words = take_torchrun(words, o)
    if not re.match(r"python[\d.]*$", os.path.basename(words[0])):
        raise Wrong(f"the command begins with python or torchrun, not `{words[0]}`")
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] != "-m":
        at += 2 if words[at] in ("-X", "-W") else 1
    if at >= len(words):
        raise Wrong("the command names no script")
    return words[:at] + ["-m", "trainspec_tracer.child"] + words[at:]


def ranks_of(text, world):
    out = set()
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not found or int(found.group(2) or found.group(1)) < int(found.group(1)):
            raise Wrong(f"ranks are written 0,4 or 0-3, not `{part}`")
        out.update(range(int(found.group(1)), int(found.group(2) or found.group(1)) + 1))
    if max(out) >= world:
        raise Wrong(f"there are ranks 0 to {world - 1}, not {max(out)}")
    return sorted(out)


class Failed(Exception):
    """Said as it is; exit 1."""


def ended(status):
    """How a process ended that left no word: by a signal, or by an exit of its own."""
    if status > 0:
        return f"exit {status} before it began, or by os._exit"
    name = signal.Signals(-status).name
    return name + (", as the system does where memory runs out" if name == "SIGKILL" else "")


class NoStep(Exception):
    def __init__(self, rank, processes):
        why = f"it started {processes} process{'' if processes == 1 else 'es'} of its own, which are not recorded: start ranks by torchrun or torch.multiprocessing.spawn." if processes else "did it end early?"
        super().__init__(f"rank {rank}: the script ended and no step of an optimizer was seen: {why} --step 0 writes everything")


class Decided(Exception):
    def __init__(self, rank, places):
        super().__init__("\n".join([f"rank {rank}: the script goes by values that nobody computed, and may do something else on GPUs:", *map(said, places),
                                    "--compute works values out; --values take takes them as they read, mostly as 0, and says so in the graph"]))


class Tracer:
    def __init__(self, o, command):
        self.o, self.command, self.short, self.done, self.told = o, command, [], {}, set()
        self.packages = [name for name in o.packages.split(",") if name not in ("auto", "none")]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="trainspec-trace."))

    def say(self, text):
        if not self.o.quiet:
            print(f"trainspec-trace: {text}", file=sys.stderr, flush=True)

    def trace(self, rank):
        if rank not in self.done:
            self.done.update(settle(rank, self.act))
        graph = self.done[rank]
        collectives = sum("comm" in node for node in graph["nodes"])
        self.say(f"rank {rank}: {len(graph['nodes']) - collectives} operators, {collectives} collectives and messages")
        if "routing" in graph:
            made = ", ".join(f"{count} {name}" for name, count in graph["routing"]["choices"].items())
            self.say(f"rank {rank}: choices of scores that were not computed ({made}) are made up: {graph['routing']['distribution']}")
        if self.o.device and not graph["nodes"] and "out_of_memory" not in graph:
            raise Failed(f"rank {rank}: nothing ran on the device: the script asks for no cuda")
        self.report_values(graph)
        if "out_of_memory" in graph:
            self.report_short(graph)
        return graph

    def report_values(self, graph):
        places = decided(graph)
        if places and self.o.values == "refuse":
            raise Decided(graph["rank"], places)
        for say, what in ((places, "went by"), ([at for at in graph.get("values", ()) if at not in places], "took")):
            new = [at for at in say if (at["file"], at["line"], at["what"]) not in self.told]
            self.told.update((at["file"], at["line"], at["what"]) for at in new)
            if new:
                self.say("\n".join([f"rank {graph['rank']}: the script {what} values that nobody computed:", *map(said, new)]))

    def act(self, rank, patient):
        """A graph, or where the rank waits for another."""
        if rank in self.done:
            return self.done[rank]
        o = self.o
        settings = {"output": str(self.folder / "graph.{rank}.json"), "folder": str(self.folder), "timed": o.timed, "memory": o.memory, "routing": o.routing, "patient": patient, "values": "take",
                    "packages": self.packages, "stand_in": o.packages != "none"}
        if o.step is not None:
            settings["step"] = o.step
        if o.compute:
            settings["compute"] = True
        if o.device:
            settings["device"] = o.device
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        path = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH")) if p)
        settings.update(rank=rank, world=o.world, local=o.local)
        environment = dict(os.environ, PYTHONPATH=path, TRAINSPEC_TRACE=json.dumps(settings))
        if o.world > 1 or o.launched:  # a script that python starts alone is told of no ranks
            environment.update(RANK=str(rank), LOCAL_RANK=str(rank % o.local), WORLD_SIZE=str(o.world), LOCAL_WORLD_SIZE=str(min(o.local, o.world)),
                               GROUP_RANK=str(rank // o.local), MASTER_ADDR="127.0.0.1", MASTER_PORT="29500")
        left = self.folder / "graph.left.json"
        left.unlink(missing_ok=True)
        status = self.wait(rank, subprocess.Popen(self.command, env=environment))
        if not left.exists():
            raise Failed(f"rank {rank}: the script was ended by {ended(status)}" if status else f"rank {rank}: the script ended its process itself (os._exit), and no graph was written")
        how = json.loads(left.read_text())
        if how["outcome"] == child.WAITS:
            with open(self.folder / "graph.waits.json", "rb") as file:
                return Wait(*pickle.load(file))
        if how["outcome"] == child.WANTS:
            self.stand_in(rank, how["package"])
            return self.act(rank, patient)
        if how["outcome"] == child.NO_STEP:
            raise NoStep(rank, how["processes"])
        if how["outcome"] == child.FAILED:
            raise Failed(f"rank {rank}: the script failed, exit {how['exit']}" if how["exit"] else f"rank {rank}: no graph was written")
        return graphs.read(str(self.folder / f"graph.{rank}.json"))

    def stand_in(self, rank, package):
        """For a package that a rank wants, in this rank and all others."""
        if self.o.packages == "none" or package not in TABLE or package in self.packages:
            raise Failed(f"rank {rank}: the script needs the package `{package}`, which is not there" + ("" if package in TABLE else ", and for which there is no stand-in"))
        self.packages.append(package)
        self.say(f"the package {package} is not there: a stand-in has {TABLE[package][2]}")

    def wait(self, rank, process):
        try:
            return process.wait(self.o.limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGUSR1)  # it says where it is
            time.sleep(1)
            raise Failed(f"rank {rank}: not done after {self.o.limit:g} s, above where it was; --limit gives it more") from None
        finally:
            process.kill()

    def report_short(self, graph):
        short = graph["out_of_memory"]
        self.short.append(graph["rank"])
        where = f" of {short['module']}" if short["module"] else ""
        print(f"trainspec-trace: rank {graph['rank']} runs out of memory in {short['op']}{where}, {short['phase']}, node {short['node']}: {short['message']}", file=sys.stderr)
        for name, held in short["held"].items():
            unit, per = ("GiB", 2**30) if held >= 2**30 else ("MiB", 2**20)
            print(f"  {name:<12} {held / per:10.3f} {unit}", file=sys.stderr)

    def run(self):
        o = self.o
        if o.ranks or o.all:
            out = [self.trace(r) for r in (ranks_of(o.ranks, o.world) if o.ranks else range(o.world))]
        else:
            out = alike.trace_all(o.world, self.trace, self.say)
        def path(graph):
            return o.output.replace("{rank}", str(graph["rank"]))

        graphs.write(out, path)
        made = sum("like" not in graph for graph in out)
        self.say(f"{len(out)} graphs written, {made} traced, {len(out) - made} alike")
        if self.short:
            return OUT_OF_MEMORY
        return self.play([path(graph) for graph in out]) if o.play else DONE

    def play(self, paths):
        program = os.environ.get("TRAINSPEC") or shutil.which("trainspec")
        if not program:
            raise Wrong("--play needs the program trainspec in the PATH, or named by TRAINSPEC")
        return subprocess.run([program, "replay", "--machine", self.o.play, *paths]).returncode


def record(o, command):
    """One of really running processes: becomes it."""
    settings = {"real": True, "output": os.path.abspath(o.output), "timed": o.timed}
    if o.step is not None:
        settings["step"] = o.step
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = dict(os.environ, TRAINSPEC_TRACE=json.dumps(settings), PYTHONPATH=os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH")) if p))
    os.execvpe(command[0], command, environment)


def run(arguments):
    given, words = split(arguments)
    p = parser()
    o = p.parse_args(given)
    o.launched = False  # by torchrun
    if not words:
        raise Wrong("no command: trainspec-trace [OPTION]... -- python train.py")
    if o.device and o.device not in GPUS:
        raise Wrong(f"no GPU `{o.device}`: {', '.join(GPUS)}")
    unknown = [name for name in o.packages.split(",") if name not in (*TABLE, "auto", "none")]
    if unknown:
        raise Wrong(f"there is no stand-in for the package `{unknown[0]}`: {', '.join(TABLE)}")
    if o.step is not None and o.step < 0:
        raise Wrong("--step takes a number from 1, or 0 for everything")
    if o.play and o.ranks:
        raise Wrong("--play needs all ranks, not --ranks")
    command = child_command(words, o)
    if o.real:
        return record(o, command)
    o.world = o.world or int(os.environ.get("WORLD_SIZE", 0))
    o.local = o.local or 8
    if o.world < 1 or o.local < 1:
        raise Wrong("how many ranks? --world N")
    if "{rank}" not in o.output and (o.world > 1 and not (o.ranks or "").isdigit()):
        raise Wrong("the output of several ranks needs {rank} in its name")
    tracer = Tracer(o, command)
    try:
        return tracer.run()
    finally:
        shutil.rmtree(tracer.folder, ignore_errors=True)


def compare(paths):
    if len(paths) != 2:
        raise Wrong("compare takes two graphs")
    found = graphs.difference(*(graphs.read(p) for p in paths))
    print(found or "equal, op by op")
    return FAILED if found else DONE


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments[:1] == ["compare"]:
            return compare(arguments[1:])
        if arguments[:1] == ["overlap"]:
            from . import overlap
            return overlap.main(arguments[1:])
        if arguments[:1] == ["metrics"]:
            from . import metrics
            return metrics.main(arguments[1:])
        if arguments[:1] == ["snapshots"]:
            from . import snapshots
            return snapshots.main(arguments[1:])
        return run(arguments)
    except Wrong as error:
        print(f"trainspec-trace: {error}\ntry trainspec-trace --help", file=sys.stderr)
        return USAGE
    except NoStep as error:
        print(f"trainspec-trace: {error}", file=sys.stderr)
        return NO_STEP
    except Decided as error:
        print(f"trainspec-trace: {error}", file=sys.stderr)
        return DECIDED
    except (Failed, OSError, ValueError) as error:
        print(f"trainspec-trace: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("trainspec-trace: interrupted, no graph was written", file=sys.stderr)
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
