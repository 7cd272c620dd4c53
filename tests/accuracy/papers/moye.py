"""Echo and Moye: their tables beside what we predict. What the text leaves open is set as `assumed` of each table says."""
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


def tables(context):
    yield from context.each([table12, table08])
