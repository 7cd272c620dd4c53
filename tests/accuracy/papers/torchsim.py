"""TorchSim: its tables beside what we predict. What the text leaves open is set as `assumed` of each table says.

Models, and which of their modules are checkpointed, are those of the authors' public experiments (exp_utils.py of mem-run-estimator): gemma-2b,
gpt2-large, Llama-3.2-1B, t5-large, CLIP ViT-L/14 at 336, timm's ViT-H/14 and ConvNeXt V2 huge; half precision is fp16.
"""
from context import text_of
from table import Row, Table

FOLDER = "papers/torchsim/"
GIB = 2**30

# Model of the plan, and the modules that are computed again: norms and MLPs alone in some, so that attention keeps all that it kept.
DECODER = ["*.ln1", "*.ln2", "*.mlp", "norm"]
MODELS = {
    "llama": ("llama", DECODER),
    "gemma": ("gemma", DECODER),
    "hf_gpt2": ("gpt2", ["layer[*]"]),
    "hf_clip": ("clip", ["image[*]", "text[*]"]),
    "timm_vit": ("vit", ["layer[*]"]),
    "hf_t5": ("t5", ["*.ln", "*.ff"]),
    "convnext": ("convnext", ["*.mlp"]),
}
TIMM = ("vit", "convnext")  # timm's Adam has no decay by default


def list_of(texts):
    return "[" + ", ".join(text_of(t) for t in texts) + "]"


def one_gpu(context, r):
    """A step of a row of tables 16 and 19; None where we have no such model."""
    known = next((m for name, m in MODELS.items() if r["model"].startswith(name)), None)
    if known is None:
        return None
    name, modules = known
    return context.play(context.plan("torchsim_one_gpu"), {
        "name": text_of(name), "micro": r["batch"], "seq": r["seq_or_image"].split("/")[-1], "kind": text_of(r["precision"]),
        "modules": list_of(modules if r["ac"] == "true" else []), "decay": "false" if name in TIMM else "true"})


def name_of(r):
    again = "" if r["ac"] == "false" else ", ac" if r["ac"] == "true" else f", ac {r['ac']}"
    return f"{r['model']} {r['batch']} x {r.get('seq_or_image') or r['seq']}{', ' + r['precision'] if 'precision' in r else ''}{again}"


def off(predicted, measured):
    return 100 * (float(predicted) / float(measured) - 1)


def table16(context):
    rows = [r for r in context.table(FOLDER + "table16_step_time_one_gpu.csv") if r["estimator"] == "learned"]

    def row(r):
        ours = one_gpu(context, r)
        return Row(name_of(r), r["half"], ours and 1e3 * ours.step_time, float(r["actual_ms"]), off(r["pred_ms"], r["actual_ms"]))

    yield Table("TorchSim table 16: steps on one H100", "table16_step_time_one_gpu.csv", "ms",
                "H100 SXM; fp32 without TF32; eager models, checkpointing as in the authors' experiments; Adam by foreach", 3.5, map(row, rows))


def table19(context):
    def rows(without=None):
        for r in context.table(FOLDER + "table19_memory_one_gpu.csv"):
            if r["model"] != without:
                ours = one_gpu(context, r)
                yield Row(name_of(r), r["half"], ours and ours.rank(0).peak_memory / GIB, float(r["actual_gib"]), off(r["est_gib"], r["actual_gib"]))

    yield Table("TorchSim table 19: peak memory on one H100", "table19_memory_one_gpu.csv", "GiB",
                "as in table 16; transformers 4.46, timm 1.0, fp16; tensors, the temporaries of Adam by foreach, and 64 MiB of cuBLAS (two handles)",
                3, rows())


def titan(context, r, gpus, tp, nic="400 Gb/s"):
    """A step of Llama 3.1 70B in torchtitan. Beside tensor parallelism every second layer's or op's recomputation is the same by name."""
    again = "ops_eager" if r["ac"] == "selective" else r["ac"]
    return context.play(context.plan("torchsim_llama70b"), {
        "gpus": gpus, "tp": tp, "micro": r["batch"], "seq": r["seq"], "ac": text_of(again), "nic": nic})


def memory(context, file, title, tp, ask):
    def row(r):
        ours = titan(context, r, r["gpus"], tp)
        return Row(name_of(r), r["half"], ours.rank(0).peak_memory / GIB, float(r["actual_gib"]), off(r["est_gib"], r["actual_gib"]))

    return Table(title, file, "GiB", "torchtitan of 2024 (FSDP2, fp32 shards gathered in bf16, its loss not compiled), "
                 f"tensor parallelism of {tp}; 64 MiB of cuBLAS", ask, map(row, context.table(FOLDER + file)))


def table20(context):
    yield memory(context, "table20_memory_fsdp.csv", "TorchSim table 20: peak memory of Llama 3.1 70B, FSDP on 64 H100", 1, 2.5)


def table04(context):
    yield memory(context, "table04_memory_fsdp_tp.csv", "TorchSim table 4: peak memory of Llama 3.1 70B, FSDP and TP on 128 H100", 4, 2.5)


def table21(context):
    table = memory(context, "table21_memory_fsdp_tp.csv", "TorchSim table 21: the runs of table 4 printed once more", 4, None)
    table.notes.append("its estimates are table 4's actual figures in rows 1 to 4: use table 4")
    yield table


def rate_of(context, rows, tp):
    """The network's rate for each GPU that the first row implies, in Gb/s: bisected, since a step shortens with it."""
    low, high = 25, 800
    while high - low > 1:
        middle = (low + high) // 2
        if 1e3 * titan(context, rows[0], 128, tp, f"{middle} Gb/s").step_time > float(rows[0]["actual_ms"]):
            low = middle
        else:
            high = middle
    return high


def times(context, file, title, tp):
    rows = context.table(FOLDER + file)
    rate = rate_of(context, rows, tp)

    def row(r):
        ours = titan(context, r, 128, tp, f"{rate} Gb/s")
        half = "given" if r is rows[0] else r["half"]
        return Row(name_of(r), half, 1e3 * ours.step_time, float(r["actual_ms"]), off(r["est_ms"], r["actual_ms"]))

    return Table(title, file, "ms", f"{rate} Gb/s a GPU, set on the first row; tensor parallelism of {tp}, inside a node of 4", 4, map(row, rows),
                 notes=["weigh it low: most printed figures are an estimate over a two-digit accuracy"])


def table17(context):
    yield times(context, "table17_step_time_fsdp.csv", "TorchSim table 17: steps of Llama 3.1 70B, FSDP on 128 H100", 1)


def table18(context):
    yield times(context, "table18_step_time_fsdp_tp.csv", "TorchSim table 18: steps of Llama 3.1 70B, FSDP and TP on 128 H100", 4)


def tables(context):
    yield from context.each([table16, table17, table18, table19, table20, table21, table04])
