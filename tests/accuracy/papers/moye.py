"""Echo and Moye: their tables beside what we predict. What the text leaves open is set as `assumed` of each table says."""
import json
import math
import pathlib
import tempfile
import time

from context import text_of
from table import Row, Table

FOLDER = "papers/echo_moye/"

# Samples a GPU, chosen on the steps over 100 Gb/s (development rows of table 12): what the text leaves open, one number a model.
# 64 for both networks of convolutions, whose products then reach 0.8 of the A100's fp32 peak; BERT with 384 tokens, GPT-2 with 1,024.
DDP = {
    "bert_large": {"micro": 6, "seq": 384},
    "gpt2": {"micro": 2},
    "vgg19": {"micro": 64},
    "resnet152": {"micro": 64},
}
GPUS_OF_A_NODE = 8


def table12(context):
    rows = context.table(FOLDER + "moye_table12_ddp_network.csv")
    plan = context.plan("moye_ddp")

    def row(r):
        rate = float(r["network_gb_per_s_per_node"]) * 8 / GPUS_OF_A_NODE
        ours = context.play(plan, {"net": text_of(r["model"]), "nic": f"{rate} Gb/s", "dp": r["gpus"], **DDP[r["model"]]}, overlap="physical")
        return Row(f"{r['model']}, {r['network_as_printed']}", r["half"], 1e3 * ours.step_time, float(r["profiled_ms"]),
                   100 * (float(r["predicted_ms"]) / float(r["profiled_ms"]) - 1))

    yield Table("Moye table 12: DDP steps on 128 A100 over two networks", "moye_table12_ddp_network.csv", "ms",
                "fp32 without TF32; samples a GPU: BERT 6 of 384 tokens, GPT-2 2 of 1,024, VGG-19 and ResNet-152 64, set on the rows over 100 Gb; "
                "100 Gb is of a node of 8; buckets of 25 MiB; Adam", 5, map(row, rows))


def layers_that_fit(layers, stages):
    """What the printed memory implies where stages do not divide layers: as many as a stage has at least, in each."""
    return max(1, layers // stages) * stages


def table08(context):
    rows = context.table(FOLDER + "moye_table08_485b.csv")
    plan = context.plan("moye_gpt")

    def play(r, **how):
        pp = int(r["pp"])
        return context.play(plan, {"layers": layers_that_fit(96, pp), "hidden": 20480, "heads": 160, "pp": pp, "tp": r["tp"], "dp": r["dp"],
                                   "m": r["batch"], **how})

    def name(r):
        return f"PP {r['pp']} TP {r['tp']} DP {r['dp']}"

    def memory(r):
        ours = play(r, half=True)
        return Row(name(r), r["half"], ours.rank(ours.ranks - 1).peak_memory / 1e9, float(r["peak_memory_gb"]))

    def rate(r):
        ours = play(r, tensor_cores=True)
        return Row(name(r), r["half"], ours.json["model_flop_per_second_per_device"] / 1e12, float(r["tflops"]))

    where = "moye_table08_485b.csv"
    yield Table("Moye table 8: peak memory of GPT-3 485 B on 8,192 H800 (simulated there)", where, "GB",
                "18 bytes a parameter, no ZeRO, full recomputation; a rank of the last stage, since nothing grows with micro-batches in flight; "
                "where stages do not divide 96 layers, each has 96 / PP rounded down", 10, map(memory, rows))
    yield Table("Moye table 8: throughput of GPT-3 485 B on 8,192 H800 (simulated there)", where, "TFLOP/s a GPU",
                "fp32 with products in TF32 at 0.6 of the peak (152 exceeds the fp32 peak; with bf16 it is 276); batch is of micro-batches", None,
                map(rate, rows))


# Moye's parameters of 32 H800 (table 5), fitted to the development rows: what a chunk takes inside and between nodes on its way through the
# call, by its 10^3 bytes, and what adding up takes, by the bytes. Rows are totals of a call. The setup of 352.5 us was measured on other machines.
INSIDE_US = (14.68, 14.52)   # and so much more for each e-fold of the chunk
BETWEEN_US = (40.63, 0.8754)  # and so much more for 10^3 bytes of the chunk
ADDING_US, ADDING_PS_A_BYTE = 22.1, 6.122
STEPS_INSIDE, STEPS_BETWEEN = 56, 6  # of a ring over 32 ranks in four nodes


def own_parameters(chunk):
    """A network file of one method with Moye's parameters for a chunk of so many 10^3 bytes."""
    inside, between = INSIDE_US[0] + INSIDE_US[1] * math.log(chunk), BETWEEN_US[0] + BETWEEN_US[1] * chunk
    return {"trainspec-network": 1, "device": "h800_sxm", "library": "NCCL 2.22.3, parameters of Moye's table 5", "methods": [
        {"collective": "all_reduce", "algorithm": "ring", "protocol": "simple", "channels": 8, "threads": 512, "connection_us": ADDING_US,
         "intra_hop_us": inside / STEPS_INSIDE, "inter_hop_us": between / STEPS_BETWEEN, "reduction_ps_per_byte": ADDING_PS_A_BYTE}]}


def call_parts(context, file, size, *more):
    """Microseconds of the parts and of the whole of an all-reduce over 32 H800, as `trainspec collective` has them."""
    said = context.run("trainspec", "collective", file, "--ranks", 32, "--islands", 4, "--intra", 200, "--inter", 400, "--bytes", size, *more)
    columns = said.stdout.splitlines()[-1].split()
    return dict(zip(("connection", "inside", "between", "adding", "whole"), map(float, columns[7:12])))


def table05(context):
    rows = context.table(FOLDER + "allreduce_parts.csv")

    def size(r):
        return int(float(r["size_mb"]) * 1e6)

    def printed(r):
        return {"inside": float(r["intra_round_trip_us"]), "between": float(r["inter_round_trip_us"]), "adding": float(r["reduce_us"])}

    def parts():
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "moye.json"
            for r in rows:
                file.write_text(json.dumps(own_parameters(float(r["chunk_1e3_bytes"]))), encoding="utf-8")
                ours = call_parts(context, file, size(r))
                ours["adding"] += ours["connection"]
                for part, us in printed(r).items():
                    yield Row(f"{r['size_mb']} MB, {part}", r["half"], ours[part], us)

    def wholes():
        for r in rows:
            ours = call_parts(context, "std/networks/nccl_hopper.json", size(r), "--between", "std/networks/infiniband.json")
            yield Row(f"{r['size_mb']} MB", r["half"], ours["whole"], sum(printed(r).values()),
                      note=f"adding up {ours['adding']:.0f} us of {ours['whole']:.0f}, printed {float(r['reduce_us']):.0f}")

    yield Table("Moye table 5: parts of an all-reduce over 32 H800, from its own parameters", "allreduce_parts.csv", "us",
                "rows are totals of a call; a chunk's time inside grows with its logarithm, between nodes with its size, adding up with the bytes: three "
                "lines through the development rows; chunks as printed", None, parts())
    yield Table("Moye table 5: an all-reduce over 32 H800 by our white box", "allreduce_parts.csv", "us",
                "printed: the sum of the three parts, without setup; algorithm and protocol as the library chooses (switches inside, which the paper's parts "
                "do not have); Echo's own mean error over four nodes is 12.59 %", None, wholes())


PHYSICAL = "compute slowed by the physical model, which knows neither occupancy nor caches of a kernel; shapes are those of a whole step"
NODE = "dgx_a800(nodes: 1)"
# What each program of table 2 trains: plan, parameters. Batches and degrees are unsaid.
TRAINED = {
    "vgg19": ("moye_ddp", {"net": text_of("vgg19"), "dp": 8, "micro": 32, "tensor_cores": True, "machine": NODE}),
    "gpt2": ("moye_ddp", {"net": text_of("gpt2"), "dp": 8, "micro": 2, "machine": NODE}),
    "llama3_8b": ("moye_llama", {"m": 1}),
    "mixtral_8x7b": ("moye_experts", {"layers": 4}),
}


def beside(context, plan, parameters):
    """(family, factor) of the kernels of rank 0 that have a transfer beside them all the time, the share of kernels with any, both plays."""
    alone, slowed = (context.play(context.plan(plan), parameters, overlap=overlap) for overlap in (None, "physical"))
    events = slowed.timeline(0)
    transfers = [e for e in events if e.kind in ("collective", "send", "receive")]
    pairs, kernels, touched = [], 0, 0
    for before, after in zip(alone.timeline(0), events):
        if after.kind != "compute" or not after.duration:
            continue
        kernels += 1
        covered = sum(max(0, min(after.end, t.end) - max(after.start, t.start)) for t in transfers) / after.duration
        touched += covered > 0
        if covered > 0.99:
            pairs.append((after.what, after.duration / before.duration))
    return pairs, 100 * touched / kernels, alone, slowed


def table02(context):
    def steps(column, measure):
        for r in context.table(FOLDER + "moye_table02_models.csv"):
            if r["model"] not in TRAINED:
                yield Row(r["model"], r["half"], None, float(r[column]), note="no plan of it here")
            else:
                yield Row(r["model"], r["half"], measure(beside(context, *TRAINED[r["model"]])), float(r[column]))

    assumed = ("eight A800; VGG-19 32 images a GPU with TF32, GPT-2 2 sequences, Llama-3 8B TP 4 and DP 2 of one micro-batch, Mixtral 4 layers with EP 8; "
               "Flux's fused kernels are none of ours; " + PHYSICAL)
    yield Table("Moye table 2: share of operators with a transfer beside them", "moye_table02_models.csv", "%", assumed, None,
                steps("overlapped_ops_pct", lambda b: b[1]), kind="points")
    yield Table("Moye table 2: slowdown of a step by overlap", "moye_table02_models.csv", "%", assumed, None,
                steps("slowdown_pct", lambda b: 100 * (b[3].step_time / b[2].step_time - 1)), kind="points")

    # Sum and gradients are elementwise; a grouped product is a product of as many rows.
    families = {"gemm": ("moye_llama", {"m": 1}, "gemm"), "grouped_gemm": ("moye_llama", {"m": 1}, "gemm")}
    other = ("moye_ddp", TRAINED["vgg19"][1], "elementwise")

    def kernels():
        for r in context.table(FOLDER + "moye_table02_kernels.csv"):
            plan, parameters, family = families.get(r["kernel"].lower(), other)
            factors = [f for what, f in beside(context, plan, parameters)[0] if what == family]
            yield Row(f"{r['kernel']} beside {r['message_mb']} MB, {r['gpu']}", r["half"], 100 * (sum(factors) / len(factors) - 1), float(r["slowdown_pct"]),
                      note=f"mean of {len(factors)} kernels of family {family}")

    yield Table("Moye table 2: slowdown of kernels beside an all-reduce", "moye_table02_kernels.csv", "%", assumed, None, kernels(), kind="points")


def table03(context):
    def rows():
        factors = [f for what, f in beside(context, "moye_llama", {"m": 1})[0] if what == "gemm"]
        gemm = 100 * (sum(factors) / len(factors) - 1)
        norms = [f for what, f in beside(context, "moye_ddp", TRAINED["vgg19"][1])[0] if what == "elementwise"]
        norm = 100 * (sum(norms) / len(norms) - 1)
        for r in context.table(FOLDER + "moye_table03_cuda.csv"):
            ours = None if r["gpu"] == "rtx3090" else gemm if r["kernel"] == "gemm" else norm
            yield Row(f"{r['kernel']}, {r['gpu']}, CUDA {r['cuda']}", r["half"], ours, float(r["slowdown_pct"]),
                      note="" if ours is not None else "no costs of this GPU ship")

    yield Table("Moye table 3: slowdown of kernels by GPU and CUDA version", "moye_table03_cuda.csv", "%",
                "shapes and messages unsaid; the CUDA version is a feature of learned models alone (`trainspec fit slowdown`); " + PHYSICAL, None, rows(),
                kind="points")


def slowdown_distribution(context):
    """Echo's figure 3: a distribution without numbers but its mean and its largest."""
    factors = sorted(f for what, f in beside(context, *TRAINED["gpt2"])[0])
    texts = [r for r in context.table(FOLDER + "text_numbers.csv") if r["key"] == "slowdown gpt2"]
    ours = {"slowdown factor of a kernel, largest": factors[-1], "slowdown factor of a kernel, mean": sum(factors) / len(factors)}
    shown = ", ".join(f"{p} % of kernels {factors[max(0, p * len(factors) // 100 - 1)]:.2f}" for p in (10, 25, 50, 75, 90, 100))
    yield Table("Echo figure 3: slowdown factors of GPT-2's kernels", "text_numbers.csv", "x", PHYSICAL, None,
                [Row(r["quantity"], r["half"], ours.get(r["quantity"]), float(r["value"])) for r in texts], notes=["CDF of factors: " + shown])


def slowdown_accuracy(context):
    """Tables 6 and 11, Echo's figure 18: scores of a model trained on data that is not public."""
    why = "the data set is not public; `trainspec fit slowdown` prints the same shares, RMSE and features of a data set of one's own"
    for file, column, title in (("slowdown_accuracy.csv", "within_5_pct", "Moye table 6: kernels whose slowdown is predicted within 5 %"),
                                ("feature_importance.csv", "importance_pct", "Moye figure 11: shares of features")):
        yield Table(title, file, "%", why, None, [Row(f"{r['gpu']}, {r.get('estimator') or r['feature']}", r["half"], None, float(r[column]))
                                                 for r in context.table(FOLDER + file)])


def models(context):
    """Tables 9 and 10: our models of their sizes."""
    def dense():
        for r in context.table(FOLDER + "models_dense.csv"):
            ours = context.parameters(context.plan_file("moye_gpt"), {"layers": r["layers"], "hidden": r["hidden"], "heads": r["heads"], "seq": r["seq"], "pp": 1})
            yield Row(r["model"], r["half"], ours / 1e9, float(r["params_billion"]))

    yield Table("Moye table 9: sizes of dense models", "models_dense.csv", "10^9 parameters",
                "a vocabulary of 51,200; the printed sizes are rounded", None, dense())


def memory(context):
    """Figures 7 and 8 of Moye: what fits, and the one peak that the text allows to work out."""
    peaks = {f"EP {ep} PP {pp}": context.play(context.plan("moye_experts"), {"ep": ep, "pp": pp}).peak_memory / 1e9
             for ep, pp in ((8, 1), (4, 2), (2, 4), (1, 8))}
    yield Table("Moye figure 8: peak memory of Mixtral 8x1.75B on eight A800", "section 8.2 (2.58 x, a gap of 51 GB)", "GB",
                "estimate / truth = 2.58 and estimate - truth = 51 GB give 32.3 GB, of a rank and degrees unsaid; one sequence of 4,096 a micro-batch and "
                "rank, as many micro-batches as stages, no recomputation", None,
                [Row(name, "given", peak, 32.3) for name, peak in peaks.items()])

    def fits(pp):
        r = context.play(context.plan("moye_gpt"), {"layers": 40, "hidden": 5120, "heads": 32, "pp": pp, "tp": 1, "dp": 8 // pp, "m": pp, "nodes": 1})
        return Row(f"PP {pp}", "given", bool(r.fits), pp != 2, note=f"{r.peak_memory / 2**30:.1f} GiB")

    yield Table("Moye figure 7: GPT-13B in fp32 fits on eight A800", "section 8.2", "statements",
                "full recomputation, as many micro-batches as stages (16 of them fit nowhere without)", 0, map(fits, (8, 4, 2)), kind="holds")


def library_memory(context):
    """What NCCL takes of a device: Moye counts it, and prints no figure of it. aiconfigurator has some."""
    def rows():
        found = {}
        for r in context.table("ops/hardware_aic.csv"):
            if r["key"].startswith("nccl_mem."):
                found.setdefault((int(r["key"].partition(".")[2]), float(r["value"])), r["gpu"])
        for (ranks, printed), gpu in sorted(found.items()):
            ours = context.play(context.plan("library_memory"), {"dp": ranks})
            held = float(ours.rank(0).at_peak.get("buffers", 0))
            if printed:
                yield Row(f"{ranks} ranks ({gpu} and others)", "given", held / 2**20, printed / 2**20)
            else:
                yield Row(f"{ranks} rank", "given", held / 2**20, 0.0)

    yield Table("Memory of NCCL's communicator by ranks (aiconfigurator's nccl_mem)", "ops/hardware_aic.csv", "MiB",
                "`nccl_memory` of std.networks: 32 channels of 9.19 MiB of buffers; 48 MiB for kernels, from the row of two ranks", None, rows())


GRIDS = {16: (2, 8, 1), 32: (4, 8, 1), 64: (8, 8, 1), 96: (12, 8, 1), 128: (8, 8, 2), 256: (8, 8, 4), 512: (8, 8, 8), 1024: (16, 8, 8), 2048: (16, 8, 16),
         4096: (16, 8, 32), 8192: (16, 8, 64)}


def simulation_cost(context):
    """Tables 7 and 8: seconds of the simulator, tracing not counted. Every rank is played, as there."""
    def rows():
        for r in context.table(FOLDER + "simulation_cost.csv"):
            gpus = int(r["gpus"])
            pp, tp, dp = GRIDS.get(gpus, (0, 8, 1))
            if r["training"] == "ddp":
                plan, parameters = "moye_ddp", {"net": text_of("vgg19"), "dp": gpus, "micro": 32, "nic": "200 Gb/s"}
            elif not pp:
                yield Row(f"{r['training']}, {gpus} GPUs", r["half"], None, float(r["total_s"]), note="no degrees for so many GPUs here")
                continue
            else:
                plan, parameters = "moye_gpt", {"pp": pp, "tp": tp, "dp": dp, "m": 2 * pp}
            began = time.process_time()
            context.trainspec.loads(context.plan(plan), parameters).run(fold=False, threads=1)
            yield Row(f"{r['training']}, {gpus} GPUs", r["half"], time.process_time() - began, float(r["total_s"]))

    yield Table("Echo table 8, Moye table 7: seconds of a simulation", "simulation_cost.csv", "s of processor time",
                "VGG-19 by DDP; GPT 175B on TP 8, PP 2 to 16 and 2 PP micro-batches (unsaid); this machine; compiled, and each rank played (`--no-fold`)",
                None, rows(), kind="cost")


def scaling(context):
    """Appendix A.1: DDP steps grow with GPUs."""
    def step(net, dp):
        return float(context.play(context.plan("moye_ddp"), {"net": text_of(net), "dp": dp, "nic": "200 Gb/s", **DDP[net]}, overlap="physical").step_time)

    def rows():
        for r in context.table(FOLDER + "text_numbers.csv"):
            if r["key"] == "scaling" and r["unit"] == "%" and "linear" in r["quantity"]:
                worst = max(DDP, key=lambda net: step(net, 256) / step(net, 8))
                yield Row(f"{r['quantity']} ({worst}, 8 to 256 GPUs)", r["half"], 100 * (step(worst, 256) / step(worst, 8) - 1), float(r["value"]),
                          note=f"printed: {r['bound']}")

    yield Table("Moye figure 14: DDP beyond linear speedup", "text_numbers.csv", "%", "networks and batches of table 12; which ones the figure has is unsaid", None,
                rows(), kind="points")


def tables(context):
    yield from context.each([table05, table02, slowdown_distribution, table03, slowdown_accuracy, simulation_cost, table08, models, memory, library_memory, table12, scaling])
