"""SimAI: trends of its figures 10 and 11 beside what we predict."""
import json
import pathlib
import re
import tempfile

import analytical
from context import text_of
from table import Row, Table

FOLDER = "papers/simai/"
BATCH = 192  # sequences a step of figure 10, set on the gain of the H100 from 200 to 400 Gb/s (development)
RATES = (100, 200, 400)


def numbers(context, figure):
    return [r for r in context.table(FOLDER + "text_numbers.csv") if r["figure"] == figure]


def figure10(context):
    plan = context.plan("simai_rate")

    def step(gpu, rate):
        return float(context.play(plan, {"nic": f"{rate} Gb/s", "h20": gpu == "h20", "global": BATCH}).step_time)

    def gain(r):
        rates = re.search(r"(\d+) to (\d+) Gb/s", r["quantity"])
        if not rates or r["gpu"] not in ("h100", "h20"):
            return Row(r["key"], r["half"], None, float(r["value"]), note=f"not understood: {r['quantity']}")
        slow, fast = map(int, rates.groups())
        return Row(f"{r['gpu']} {slow} to {fast} Gb/s", r["half"], 100 * (step(r["gpu"], slow) / step(r["gpu"], fast) - 1), float(r["value"]))

    def trends():
        for gpu in ("h100", "h20"):
            steps = [step(gpu, rate) for rate in RATES]
            yield Row(f"{gpu}: the second doubling gains less", "development", steps[0] / steps[1] > steps[1] / steps[2] > 1, True)
        for slow, fast in zip(RATES, RATES[1:]):
            h100, h20 = (step(gpu, slow) / step(gpu, fast) for gpu in ("h100", "h20"))
            yield Row(f"{slow} to {fast} Gb/s: H20 gains less than H100", "development", h100 > h20, True)

    assumed = (f"TP 8, PP 8, DP 16; {BATCH} sequences a step, which give the H100's gain from 200 to 400 Gb/s; gain: old time over new, less 1; "
               "gradients sent behind the step; H20 by its published rates")
    yield Table("SimAI figure 10: gain of GPT-3 175B from faster NICs, 1,024 GPUs", "text_numbers.csv", "%", assumed, 3, map(gain, numbers(context, "10")),
                kind="points")
    yield Table("SimAI figure 10: its trends", "section 5.1", "statements", assumed, 0, trends(), kind="holds")


# PP of table 3, and the least TP that the paper's memory allows ("larger than 2" and 4).
HOSTS = (8, 16, 32, 64)
MODELS = {"gpt3_13b": (0, 4), "llama_65b": (1, 8), "gpt3_175b": (2, 8)}


def figure11(context):
    plan = context.plan("simai_hosts")

    def steps(model, host, least=None):
        """Steps by TP, from the paper's least to the host's size; TP must divide heads and GPUs."""
        which, allowed = MODELS[model]
        heads = (40, 64, 96)[which]
        degrees = [tp for tp in (2, 4, 8, 16, 32, 64) if (least or allowed) <= tp <= host and heads % tp == 0]
        return {tp: float(context.play(plan, {"which": which, "host": host, "tp": tp}).step_time) for tp in degrees}

    def best(r):
        host = re.search(r"hosts of (\d+)", r["quantity"])
        if not host or r["model"] not in MODELS:
            return Row(r["key"], r["half"], None, float(r["value"]), note=f"not understood: {r['quantity']}")
        times = steps(r["model"], int(host[1]))
        return Row(f"{r['model']}, hosts of {host[1]}", r["half"], min(times, key=times.get), float(r["value"]))

    def trends():
        for model in MODELS:
            by_host = {host: steps(model, host) for host in HOSTS}
            for small, large in zip(HOSTS, HOSTS[1:]):
                both = by_host[small].keys() & by_host[large].keys()
                yield Row(f"{model}: hosts of {large} no slower than of {small} at each TP", "development",
                          all(by_host[large][tp] <= by_host[small][tp] * 1.001 for tp in both), True)
            largest = by_host[HOSTS[-1]]
            degrees = sorted(largest)
            yield Row(f"{model}: TP {degrees[-1]} slower than {degrees[0]} in hosts of {HOSTS[-1]}", "development",
                      largest[degrees[-1]] > largest[degrees[0]], True)

    assumed = ("1,024 H100 of 400 Gb/s, PP of table 3, 1,024 sequences a step; the smallest TP is the one that the paper's memory allows (4, 8, 8); "
               "TP divides heads")
    yield Table("SimAI figure 11: best tensor parallel size", "text_numbers.csv", "ranks", assumed, 0, map(best, numbers(context, "11")))
    yield Table("SimAI figure 11: its trends", "section 5.2", "statements", assumed, 0, trends(), kind="holds")


def figure8(context):
    """SimAI-CP-Model: kernels of a GPU that cannot be had, from those of a known one."""
    plan = context.plan("simai_kernels")

    def time_of(how):
        return float(context.play(plan, {"how": how}).time.compute)

    scaled, own = time_of(1), time_of(0)
    yield Table("SimAI figure 8: kernels of GPT-3 175B on H100 by those of the A100", "section 4.3", "s",
                "TP 8, PP 8, DP 16, 256 sequences; our A100's fits scaled by both rooflines, beside our H100's fits (the bars are not printed)", None,
                [Row("sum of a rank's kernels, H100", "given", scaled, own)])
    rows = [Row(f"{r['quantity']}, {r['system']}, {r['gpu'] or 'all'}", r["half"], None, None, float(r["value"])) for r in numbers(context, "8")]
    yield Table("SimAI figure 8: deviations of the sum of kernels", "text_numbers.csv", "%",
                "no time of the figure is printed, so only the paper's own errors stand here", None, rows)


def deviations(context):
    """Figures 6, 7 and 9: no bandwidth and no time is printed."""
    rows = [Row(f"figure {r['figure']}, {r['quantity']}, {r['system']}, {r['gpu']} {r['collective']} {r['size']}".strip(), r["half"], None, None,
                float(r["value"])) for figure in ("6", "7", "9") for r in numbers(context, figure)]
    yield Table("SimAI figures 6, 7 and 9: deviations", "text_numbers.csv", "% (36.1 is a ratio)",
                "no bandwidth and no time of these figures is printed; `trainspec collective PLAN --sweep` draws such curves under every model of a plan", None,
                rows)


def suite(context):
    def parameters(job):
        return context.parameters("examples/simai_suite.ts", {"job": job}) / 1e9

    rows = [Row(f"{r['model']}, {r['framework']}", r["half"], parameters(int(r["row"])), float(r["params"].rstrip("B")))
            for r in context.table(FOLDER + "table03_suite.csv")]
    yield Table("SimAI table 3: sizes of the suite's models", "table03_suite.csv", "10^9 parameters",
                "examples/simai_suite.ts; LLaMA 65B with its own FFN of 22016, since 28672 makes 78.4 B", None, rows)


def kernel_times(context):
    rows = [Row(f"{r['kernel']}, {r['parameters']}", r["half"], None, float(r["time_us"])) for r in context.table(FOLDER + "table04_kernel_times.csv")]
    yield Table("SimAI table 4: kernel times", "table04_kernel_times.csv", "us",
                "shapes are not stated (milliseconds for a layer norm: examples of the format); `trainspec db` keeps such a table", None, rows)


VALUES = {"NCCL_ALGO": "ring", "NCCL_PROTO": "simple", "NCCL_BUFFSIZE": "4194304", "NCCL_P2P_LEVEL": "NVL", "NCCL_NET_GDR_LEVEL": "PHB"}


def variables(context):
    """Table 6: which of NCCL's variables have an effect, there and here."""
    def row(r):
        name = r["variable"]
        said = context.run("trainspec", "collective", "std/networks/nccl_hopper.json", "--ranks", 16, "--islands", 2, "--bytes", 1 << 20,
                           "-v", f"{name}={VALUES.get(name, '1')}")
        passed = "passed over" in said.stdout + said.stderr
        ours = "unknown" if said.returncode else "though" in said.stdout + said.stderr and "known, not followed" or passed and "no time" or "followed"
        return Row(name, r["half"], (ours == "followed") == (r["in_simccl"] == "yes"), True, note=f"here: {ours}; SimCCL: {r['in_simccl']}")

    yield Table("SimAI table 6: NCCL's variables with an effect", "table06_nccl_variables.csv", "statements",
                "the same answer is: followed by both, or by neither", None, map(row, context.table(FOLDER + "table06_nccl_variables.csv")), kind="holds")


def lines_of_code(context):
    rows = [Row(r["file"], r["half"], None, None, note=f"{r['lines']} lines of NCCL changed there; none here: NCCL's choice is modelled from its tuning and from measurements")
            for r in context.table(FOLDER + "table05_lines_of_code.csv")]
    yield Table("SimAI tables 2 and 5: shares of jobs, lines of code", "table02_tasks.csv, table05_lines_of_code.csv", "", "nothing to predict", None, rows)


def closed_forms(context):
    """SimAI-Analytical on workloads in its own form: those of `--workloads`, or the suite's as `trainspec export` writes them."""
    with tempfile.TemporaryDirectory() as folder:
        given = sorted(pathlib.Path(context.workloads).glob("*.txt")) if context.workloads else []
        files = given or [exported(context, folder, job) for job in (1, 2, 3, 4)]
        rows = [analytical_row(context, file) for file in files]
    yield Table("SimAI-Analytical: its closed forms on workloads in its form", "astra-sim-alibabacloud: calbusbw.cc, Layer.cc", "ms",
                "A100, 360 GB/s of NVLink and 48.5 GB/s a NIC (the README's example), 128 GPUs unless the text says; bus bandwidth of the call whatever its "
                "size; nothing overlaps in the form, so hidden time is counted; the form's messages of a pipeline are all exposed", 3, rows)


def exported(context, folder, job):
    file = pathlib.Path(folder) / f"suite_job{job}.txt"
    done = context.run("trainspec", "export", "--format=simai", "-D", f"job={job}", "-o", file, "examples/simai_suite.ts")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return file


def analytical_row(context, file):
    work = analytical.Workload(file.read_text(encoding="utf-8"), gpus=128)
    mesh = [] if work.stated else ["--mesh", f"dp={work.dp}"]
    nodes = ["-D", f"nodes={-(-work.gpus // analytical.HOST)}"]
    played = context.run("trainspec", "replay", "--format=json", "--plan", context.plan_file("simai_analytical"), *nodes, *mesh, file)
    due = work.total_ms(nvlink=360, nic=48.5)
    if played.returncode:
        return Row(file.stem, "given", None, due, note=played.stderr.splitlines()[0])
    return Row(file.stem, "given", analytical.played_ms(json.loads(played.stdout)), due)


def tables(context):
    yield from context.each([suite, kernel_times, lines_of_code, variables, deviations, figure8, closed_forms, figure10, figure11])
