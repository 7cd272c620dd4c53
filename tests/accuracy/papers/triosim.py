"""TrioSim: its closed forms, the order of its figures, and what its pictures do not say."""
import time

from table import Row, Table

FOLDER = "papers/triosim/"
EXACT = 1e-4  # per cent: times are whole picoseconds

IMAGES = {f"vgg{n}": f"vgg{n}()" for n in (13, 16, 19)} | {"vgg11": "vgg([1, 1, 2, 2, 2])"} | \
         {f"resnet{n}": f"resnet{n}()" for n in (18, 34, 50, 101, 152)} | {f"densenet{n}": f"densenet{n}()" for n in (121, 161, 169, 201)}
TRANSFORMERS = {"gpt2": "gpt2_padded()", "bert_base_uncased": "bert_padded()", "t5_small": "t5_small()", "llama3.2_1b": "llama_1b()"}
NETWORKS = IMAGES | TRANSFORMERS
OF_A_LAYER, LAYERS, WORK = 100e6, 4, 100.0  # bytes of gradients, and microseconds of a forward and of each half of a backward
RATE = 50e9


def forms(context, **how):
    return 1e6 * context.play(context.plan("triosim_forms"), how).step_time


def chain(stages=1):
    """Of all layers: forward and backward. The first layer's input needs no gradient."""
    return LAYERS * stages * 3 * WORK - WORK


def closed_forms(context):
    def rows():
        for n in (2, 4, 8):
            yield f"ring all-reduce over {n}: 2 (N-1) S/N / b", forms(context, n=n), chain() + 2 * (n - 1) / n * LAYERS * OF_A_LAYER / RATE * 1e6
        yield ("... with 1 us a link: 2 (N-1) (S/N / b + l)", forms(context, n=4, latency="1 us"),
               chain() + 6 * (LAYERS * OF_A_LAYER / 4 / RATE * 1e6 + 1))
        for slow in (2, 10):
            yield (f"... one link {slow} times as slow: the ring's pace", forms(context, n=4, slow=slow),
                   chain() + 1.5 * LAYERS * OF_A_LAYER * slow / RATE * 1e6)
        for chunks in (1, 2, 4, 8):
            yield (f"GPipe, 4 stages, {chunks} chunk{'s' * (chunks > 1)}: (m + p - 1) of a stage", forms(context, n=1, pp=4, chunks=chunks),
                   (chunks + 3) * 3 * WORK - WORK)
        yield ("GPipe, 1 chunk, outputs of 4 MB: a chain of stages and messages", forms(context, n=1, pp=4, words=1_000_000),
               4 * 3 * WORK - WORK + 6 * 4e6 / RATE * 1e6)
        yield "two replicas: the step of one, and the ring", forms(context, n=2), forms(context, n=1) + LAYERS * OF_A_LAYER / RATE * 1e6
        shared = context.play(context.plan("triosim_shared"), contention=True)
        for rank, due, what in ((2, 3000, "figure 5: first of two messages over a link (T3)"), (3, 4000, "figure 5: second, alone at the end (T4)")):
            yield what, 1e6 * shared.timeline(rank)[0].end, due

    yield Table("TrioSim: closed forms", "sections 4.3 and 4.5", "us",
                "latency counts once a step of a ring, which the public code leaves out; equal shares of a link are max-min shares where all flows use one link",
                EXACT, (Row(name, "given", ours, due) for name, ours, due in rows()))


def step(context, net, **how):
    return context.play(context.plan("triosim"), {"net": NETWORKS[net], **how})


def batch(net):
    return 16 if net.startswith("llama") else 128


ASSUMED = ("fp32 as PyTorch has it, Adam, operators by a roofline (no table of A40 or A100 is public), links as the plan says; "
           "GPT-2 of 1,024 tokens, BERT and T5 512, Llama 512 with batch 16")


def figure12(context):
    def order(net):
        b = batch(net)
        plays = {"DP": step(context, net, dp=4, batch=b // 4), "TP": step(context, net, tp=4, batch=b), "PP": step(context, net, pp=4, chunks=2, batch=b)}
        return sorted(plays, key=lambda name: plays[name].step_time)

    def rows():
        for net in NETWORKS:
            found = order(net)
            yield Row(f"{net}: data parallel first", "given", found[0] == "DP", True, note=" < ".join(found))
            last = "TP" if net in IMAGES else "PP"
            yield Row(f"{net}: {last} last", "given", found[-1] == last, True)

    yield Table("TrioSim figure 12: order of DP, TP and PP, total batch 128 on four A100", "section 6, figure 12", "statements", ASSUMED, 0, rows(),
                kind="holds")


def figure13(context):
    def share(net, **how):
        r = step(context, net, p=1, overlap=False, **how)
        return r.time.exposed_communication / (r.time.exposed_communication + r.time.compute)

    def rows():
        for net in NETWORKS:
            b = batch(net)
            yield Row(f"{net}: TP sends more than DP", "given", share(net, tp=2, batch=b) > share(net, dp=2, batch=b), True)

    yield Table("TrioSim figure 13: share of communication on two A40", "section 6, figure 13", "statements", ASSUMED, 0, rows(), kind="holds")


def figure14(context):
    def rows():
        for net in NETWORKS:
            began = time.process_time()
            context.trainspec.loads(context.plan("triosim"), {"net": NETWORKS[net], "dp": 4, "batch": 32}, path="plan.ts").run(threads=1)
            spent = time.process_time() - began
            yield Row(f"{net}: within seconds", "given", spent < 5, True, note=f"{1e3 * spent:.0f} ms of processor time, compiled and played")

    yield Table("TrioSim figure 14: time of a simulation of DDP on four A100", "section 6, figure 14", "statements", "this machine", 0, rows(), kind="holds")


def wafer(context):
    plan = context.plan("triosim_wafer")
    mesh, light = (context.play(plan, {"light": light}) for light in (False, True))

    def share(r):
        return 100 * r.time.exposed_communication / r.step_time

    def rows(texts):
        for r in texts:
            if r["key"] == "wafer share":
                yield Row(r["quantity"], r["half"], share(mesh), float(r["value"]))
            elif r["key"].startswith("wafer") and r["half"] != "given":
                yield Row(r["quantity"], r["half"], None, None, note=f"printed as a word ({r['value']}); ours: {mesh.step_time / light.step_time:.2f} times as fast")

    assumed = "128 samples in all, two a GPU; links of the mesh 32 GB/s (unsaid), the ring in the order of ranks; nothing overlaps; circuits stand"
    yield Table("TrioSim figure 15: VGG-19 on a wafer of 84 A100", "text_numbers.csv", "%", assumed, None, rows(context.table(FOLDER + "text_numbers.csv")),
                kind="points")
    saved = mesh.time.exposed_communication > light.time.exposed_communication
    yield Table("TrioSim figure 15: its statements", "section 7.1", "statements", assumed, 0,
                [Row("circuits of light send faster than the mesh", "given", bool(saved), True),
                 Row("they do not suffice: communication still leads", "given", share(light) > 50, True, note=f"{share(light):.0f} % of the step")],
                kind="holds")


def errors(context):
    """Figures 6 to 11 are ratios to measured times that are printed nowhere."""
    rows = [Row(f"figure {r['figure']}, {r['gpus']} {r['gpu']}, {r['parallelism']}{' of ' + r['chunks'] + ' chunks' if r['chunks'] else ''}",
                r["half"], None, None, float(r["error_pct_mean"])) for r in context.table(FOLDER + "errors_by_figure.csv")]
    yield Table("TrioSim figures 6 to 11: their mean errors", "errors_by_figure.csv", "%",
                "no measured time is printed, so there is nothing to compare with; closed forms and orders stand in", None, rows)


def tables(context):
    yield from context.each([closed_forms, figure12, figure13, figure14, wafer, errors])
