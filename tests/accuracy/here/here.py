"""Predicts training steps of this machine's processors, then runs them: `./dev accuracy here`.

A processor is a device. Operators are measured on one process (of each rank in turn, without the other ranks, while a second process does the same, as it will in
the step), gloo's collectives between two processes, what Python takes around operators on one process that really trains. Each step of two processes is then
predicted from these by `tsrun`, and run; predicted and measured runs alternate. Nothing is fitted to a step of two processes.

    here.py --build BUILD [--repeats N] [--out FILE.csv] [CASE]...      # a case: gpt.tensor, cnn.ddp.2
"""
import argparse
import csv
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER.parents[2]
CASES = ["gpt.ddp.1", "gpt.ddp.4", "gpt.zero.1", "gpt.tensor.1", "gpt.tensor.2", "gpt.pipeline.4", "gpt.sharded.1",
         "llama.ddp.1", "llama.tensor.2", "llama.pipeline.4", "llama.sharded.2",
         "cnn.ddp.1", "cnn.ddp.2", "cnn.pipeline.4", "cnn.sharded.1"]
BATCH = {"gpt": 2, "llama": 2, "cnn": 8}
WORLD, STEPS = 2, 6
PLAN = """language 1
// Two processors of this machine. Times of operators stand in the graphs, those of collectives in the table; rates are for what neither holds.
gpu core {{ memory = {memory} MiB, bandwidth = 8 GB/s, peak = {{ fp32: 50 GFLOP/s }} }}
cluster machine(processes: Int) {{
  device core[processes]: core
  switch bus[1]
  link core[*] <-> bus[0] {{ bandwidth = 8 GB/s, latency = 10 us }}
}}
plan step {{
  model = graph("graph.{{rank}}.json")
  cluster = machine(processes: {world})
  costs = [roofline(core)]
  {network}
}}
"""


class Failed(Exception):
    pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def environment(rank, world, port):
    e = dict(os.environ, USE_LIBUV="0", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world))
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        e[threads] = "1"
    e["PYTHONPATH"] = os.pathsep.join([str(SOURCE / "packages/tracer")] + ([e["PYTHONPATH"]] if "PYTHONPATH" in e else []))
    return e


def together(commands):
    """Runs commands at the same time: (command, environment) each."""
    running = [subprocess.Popen(command, env=e, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for command, e in commands]
    said = [p.communicate(timeout=900)[0] for p in running]
    for p, text, (command, _) in zip(running, said, commands):
        if p.returncode:
            raise Failed(f"{' '.join(command)} ended with {p.returncode}:\n{text[-2000:]}")


def distributed(world, script, *arguments):
    port = free_port()
    command = [sys.executable, str(FOLDER / script), *arguments]
    together([(command, environment(rank, world, port)) for rank in range(world)])


def training(case):
    model, how, accumulate = case.split(".")
    return ["--model", model, "--how", how, "--accumulate", accumulate, "--batch", str(BATCH[model])]


def run(case, world, folder):
    """Seconds of a step that two processes (or one) really take: the median, without the first two."""
    times = folder / "times.json"
    distributed(world, "train.py", *training(case), "--steps", str(STEPS), "--times", str(times))
    return statistics.median(json.loads(times.read_text())[2:])


def measure_operators(case, world, folder, repeats):
    """The graphs of all ranks, whose operators have the median of their times. Two processes measure at the same time."""
    names = [f"timed{i}" for i in range(2 * repeats)]
    command = [sys.executable, "-m", "trainspec_tracer", "--world", str(world), "--compute", "--timed", "--all"]
    script = ["--", sys.executable, str(FOLDER / "train.py"), *training(case), "--steps", "3"]
    for pair in range(0, len(names), 2):
        together([(command + ["-o", str(folder / (name + ".{rank}.json"))] + script, environment(0, 1, 0)) for name in names[pair:pair + 2]])
    graphs = []
    for rank in range(world):
        timed = [json.loads((folder / f"{name}.{rank}.json").read_text()) for name in names]
        if len({tuple(n["op"] for n in g["nodes"]) for g in timed}) != 1:
            raise Failed(f"{case}: two traces of rank {rank} differ")
        for number, node in enumerate(timed[0]["nodes"]):
            if "ns" in node:
                node["ns"] = round(statistics.median(g["nodes"][number]["ns"] for g in timed))
        graphs.append(timed[0])
    return graphs


def add_overhead(graphs, overhead):
    """A processor does what Python and autograd do between operators itself."""
    for graph in graphs:
        for node in graph["nodes"]:
            if "ns" in node:
                node["ns"] += round(overhead)


def play(build, graphs, folder, network, options=()):
    for rank, graph in enumerate(graphs):
        (folder / f"graph.{rank}.json").write_text(json.dumps(graph))
    plan = folder / "step.trainspec"
    plan.write_text(PLAN.format(memory=8192, world=len(graphs), network='network = measured(table "gloo.csv")' if network else ""))
    done = subprocess.run([str(build / "tsrun"), "--format=json", *options, str(plan)], capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr)
    return json.loads(done.stdout)


def operators(graph):
    return [n for n in graph["nodes"] if "ns" in n]


def overhead_of(model, folder, repeats):
    """Nanoseconds an operator that one process takes besides its operators."""
    case = f"{model}.single.1"
    graph = measure_operators(case, 1, folder, repeats)[0]
    timed = operators(graph)
    # Both processors are busy, as they are while operators are measured.
    files = [folder / f"single{i}.json" for i in range(2)]
    together([([sys.executable, str(FOLDER / "train.py"), *training(case), "--steps", str(STEPS), "--times", str(file)], environment(0, 1, free_port()))
              for file in files])
    seconds = statistics.median(t for file in files for t in json.loads(file.read_text())[2:])
    return max(0.0, (seconds * 1e9 - sum(n["ns"] for n in timed)) / len(timed))


def spread(values):
    return max(values) / min(values) - 1


def compare(case, build, folder, overheads, repeats):
    model = case.split(".")[0]
    predicted, measured, exposed = [], [], 0.0
    for _ in range(repeats):
        graphs = measure_operators(case, WORLD, folder, 1)
        add_overhead(graphs, overheads[model])
        report = play(build, graphs, folder, True)
        predicted.append(report["step_time_ps"] * 1e-12)
        exposed = sum(c["exposed_communication_ps"] for c in report["classes"]) / len(report["classes"]) / report["step_time_ps"]
        measured.append(run(case, WORLD, folder))
    p, m = statistics.median(predicted), statistics.median(measured)
    return {"case": case, "predicted_s": p, "measured_s": m, "error": p / m - 1, "exposed": exposed, "predicted_spread": spread(predicted), "measured_spread": spread(measured)}


def orders_kept(rows):
    """Pairs of ways to train one model with as many micro-batches whose order is right, and all such pairs that differ by more than their runs do."""
    right = told = 0
    for i, a in enumerate(rows):
        for b in rows[:i]:
            (model, _, parts), (other, _, others) = a["case"].split("."), b["case"].split(".")
            apart = abs(a["measured_s"] / b["measured_s"] - 1)
            if model == other and parts == others and apart > max(a["measured_spread"], b["measured_spread"]):
                told += 1
                right += (a["predicted_s"] < b["predicted_s"]) == (a["measured_s"] < b["measured_s"])
    return right, told


def report(rows, overheads):
    print(f"{'step of two processes':24}{'predicted':>12}{'measured':>12}{'error':>9}{'exposed':>9}{'runs apart by':>22}")
    for r in rows:
        print(f"{r['case']:24}{r['predicted_s'] * 1e3:9.1f} ms{r['measured_s'] * 1e3:9.1f} ms{r['error'] * 100:+7.1f} %{r['exposed'] * 100:7.1f} %"
              f"{r['predicted_spread'] * 100:9.1f} %,{r['measured_spread'] * 100:7.1f} %")
    errors = [abs(r["error"]) for r in rows]
    right, told = orders_kept(rows)
    print(f"{len(rows)} steps: mean {statistics.mean(errors) * 100:.1f} %, median {statistics.median(errors) * 100:.1f} %, worst {max(errors) * 100:.1f} %; "
          f"order of ways to train a model: {right} of {told} pairs right")
    print("around an operator: " + ", ".join(f"{model} {overhead / 1e3:.1f} us" for model, overhead in overheads.items()))


def main():
    p = argparse.ArgumentParser(description="Predicts training steps of this machine's processors, then runs them.")
    p.add_argument("--build", type=pathlib.Path, required=True, help="where tsrun was built")
    p.add_argument("--repeats", type=int, default=3, help="predicted and measured runs of each case (3)")
    p.add_argument("--out", type=pathlib.Path, help="also write a table")
    p.add_argument("--small", action="store_true", help="tiny models, whose figures say nothing: for tests of this command")
    p.add_argument("case", nargs="*", help="MODEL.HOW.MICRO_BATCHES (all)")
    o = p.parse_args()
    unknown = [case for case in o.case if case not in CASES]
    if unknown or o.repeats < 1:
        p.error(f"no such case: {', '.join(unknown)}; there are {', '.join(CASES)}" if unknown else "--repeats is 1 or more")
    if o.small:
        os.environ["HERE_SMALL"] = "1"
    folder, cases = pathlib.Path(tempfile.mkdtemp(prefix="trainspec-here.")), o.case or CASES
    try:
        distributed(WORLD, "network.py", "--out", str(folder / "gloo.csv"))
        overheads = {model: overhead_of(model, folder, o.repeats) for model in BATCH if any(case.startswith(model + ".") for case in cases)}
        rows = []
        for case in cases:
            rows.append(compare(case, o.build, folder, overheads, o.repeats))
            print(f"{case}: {rows[-1]['error'] * 100:+.1f} %", file=sys.stderr, flush=True)
    except Failed as e:
        print(f"here: {e}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder)
    report(rows, overheads)
    if o.out:
        beside = o.out.with_name(o.out.name + ".new")
        with open(beside, "w", newline="") as out:
            table = csv.DictWriter(out, rows[0].keys())
            table.writeheader()
            table.writerows(rows)
        beside.replace(o.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
