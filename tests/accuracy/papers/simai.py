"""SimAI: trends of its figures 10 and 11 beside what we predict."""
import re

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


def tables(context):
    yield from context.each([figure10, figure11])
