"""Steps of a model from operator tables of one GPU: its own, of other batches, or of other GPUs."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional

from step import Context, Step
from table import Row


@dataclass(frozen=True)
class Device:
    """As the measurements call it, whose table stands for it, in the stdlib, and the table's device there."""
    name: str
    table: str
    kind: str
    of: str


H100 = Device("NVIDIA_H100_80GB_HBM3", "NVIDIA_H100_80GB_HBM3", "h100_sxm", "h100_sxm")
A100 = Device("NVIDIA_A100_80GB_PCIe", "NVIDIA_A100_80GB_PCIe", "a100_pcie_80g", "a100_pcie_80g")
DEVICES = (H100, A100,
           # no table of its own
           Device("NVIDIA_A100-SXM4-40GB", "NVIDIA_A100_80GB_PCIe", "a100_sxm_40g", "a100_pcie_80g"),
           Device("Tesla_V100-PCIE-32GB", "Tesla_V100-PCIE-32GB", "v100_pcie_32g", "v100_pcie_32g"),
           Device("NVIDIA_L4", "NVIDIA_L4", "l4", "l4"))
TRACES = (("bert_large", "512", 2), ("bert_large", "512", 8), ("gpt2_large", "1024", 1), ("gpt2_large", "1024", 4),
          ("opt_13", "2048", 1), ("opt_13", "2048", 2))
BOARDS = (("h100_sxm", "h100_sxm"), ("a100_pcie_80", "a100_pcie_80g"), ("a100_pcie_40", "a100_pcie_40g"),
          ("v100_pcie_32", "v100_pcie_32g"), ("l4", "l4"), ("p100_pcie", "p100_pcie"), ("t4", "t4"), ("p4", "p4"))

Make = Callable[[Context, Row], Optional[Step]]


def _device(t: Row) -> Optional[Device]:
    return next((d for d in DEVICES if t["gpu"] == d.name), None)


def _layers(t: Row) -> str:
    return next((r["layers"] for r in t.table if r["model"] == t["model"] and r.has("layers")), "")


def _name(device: str, model: str, seq: str, batch: int) -> str:
    return f"ops/optable_{device}_{model}_s{seq}_b{batch}.csv.gz"


def _table(c: Context, device: str, t: Row, batch: int, other: bool) -> Optional[str]:
    """The table of this batch; where it is missing, or not wanted (`other`), of the nearest one that is there: times
    are scaled then."""
    for step in range(1 if other else 0, 14):
        near = batch >> ((step + 1) // 2) if step % 2 else batch << (step // 2)
        name = _name(device, t["model"], t["seq"], near)
        if near > 0 and not (other and near == batch) and (c.data / name).exists():
            return name
    return None if other else _name(device, t["model"], t["seq"], batch)


def _parallel(text: str, batch: float) -> "dict[str, str]":
    """Empty, or a kind and a degree: dp4, tp4, pp4_1 (stages, micro-batches)."""
    m = re.match(r"([a-z]{1,2})(\d+)(?:_(\d+))?", text)
    if not m:
        return {}
    return {m[1]: m[2], **({"micro": str(int(batch) // int(m[3] or 1))} if m[1] == "pp" else {})}


def _traced(c: Context, t: Row, of: "Optional[Device]" = None, other: bool = False) -> Optional[Step]:
    """A training step played from a table of `of`; None: of the row's own device."""
    d = _device(t)
    if not d or t["mode"] != "train" or t["parallel"] == "fusion":
        return None
    batch, source = int(t.number("batch")), of or d
    if t["parallel"].startswith("dp"):
        batch //= int(re.match(r"\d*", t["parallel"][2:])[0] or 1)  # type: ignore[index]
    table = _table(c, source.table, t, batch, other)
    if not table or (source is not d and not (c.data / table).exists()):
        return None
    step = Step(t, f"{d.kind} {t['model']} batch {t['batch']} {t['parallel'] or 'one GPU'}", d.name,
                t.number("e2e_ms") / 1e3)
    step.give(table=f'"{table}"', model=f'"{t["model"]}"', kind=d.kind, layers=_layers(t),
              **{"from": source.of}, **_parallel(t["parallel"], t.number("batch")))
    if not _layers(t):
        step.missing = "no row names the layers of its model"
    return step


def _beside(c: Context, t: Row, own: bool, step: Step) -> None:
    """Tables to learn from beside the one of the row: the device's own of other models, or all of other devices."""
    found = []
    for d in DEVICES:
        for model, seq, batch in TRACES:
            table = _name(d.table, model, seq, batch)
            wanted = d is _device(t) and model != t["model"] if own else d is not _device(t)
            if wanted and d.name == d.table and (c.data / table).exists():
                found.append(f'{{ table: "{table}", model: "{model}", from: {d.of} }}')
    step.give(beside=f"[{', '.join(found)}]")


def _singles(c: Context, t: Row, own: bool, step: Step) -> None:
    """Tables of single products to learn from: of boards of the list but the target, or of it alone."""
    found, target = [], _device(t)
    for file, gpu in BOARDS:
        for kind, family in (("linear", "linear alone"), ("bmm", "batched_matmul alone")):
            table = f"ops/neusight_{kind}_{file}.csv.gz"
            if target and (gpu == target.of) == own and (c.data / table).exists():
                found.append(f'{{ table: "{table}", family: "{family}", from: {gpu} }}')
    step.give(singles=f"[{', '.join(found)}]")


# ---- sets ----

def h100(c: Context, t: Row) -> Optional[Step]:
    return _traced(c, t) if not t["parallel"] and _device(t) is H100 else None


def other(c: Context, t: Row) -> Optional[Step]:
    return _traced(c, t) if not t["parallel"] and _device(t) is not H100 else None


def four(c: Context, t: Row) -> Optional[Step]:
    return _traced(c, t) if t["parallel"] else None


def gpu(c: Context, t: Row) -> Optional[Step]:
    """One GPU from the A100's table of the same batch (the A100 from the H100's); no row of its own table is learned
    from."""
    step = _traced(c, t, H100 if _device(t) is A100 else A100) if not t["parallel"] else None
    if step:
        _beside(c, t, False, step)
    return step


def _gpu_and_singles(own: bool) -> Make:
    def make(c: Context, t: Row) -> Optional[Step]:
        step = gpu(c, t)
        if step:
            _singles(c, t, own, step)
        return step
    return make


boards, products = _gpu_and_singles(False), _gpu_and_singles(True)


def batch(c: Context, t: Row) -> Optional[Step]:
    """One GPU from its table of another batch."""
    return _traced(c, t, other=True) if not t["parallel"] else None


def models(c: Context, t: Row) -> Optional[Step]:
    """From the table of another batch, and the device's tables of other models."""
    step = batch(c, t)
    if step:
        _beside(c, t, True, step)
    return step


def _with_step(make: Make) -> Make:
    """Where the step of the table's own batch was measured, too."""
    def made(c: Context, t: Row) -> Optional[Step]:
        step = make(c, t)
        if not step:
            return None
        of_table = re.search(r"_b(\d+)\.csv\.gz", step.given["table"])
        for r in t.table:
            if (of_table and r["gpu"] == t["gpu"] and r["mode"] == "train" and not r["parallel"]
                    and r["model"] == t["model"] and r["seq"] == t["seq"] and r.number("batch") == int(of_table[1])):
                step.give(step_s="%.9g" % (r.number("e2e_ms") / 1e3))
                return step
        step.missing = "the step of its table's batch is not among the rows"
        return step
    return made


batch_step, models_step = _with_step(batch), _with_step(models)
