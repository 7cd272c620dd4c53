"""Sets that ask fits by row, which no program offers: tests/accuracy/*.c fills them, and they are reported here."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

import between
from coverage import Coverage, origin
from figures import Point
from result import MEAN, MEDIAN, Ask, Part
from sets import SETS
from step import Context, Set, Step

_NEIGHBOURS = ("the table is rough: a line between the neighbours in k is {} % off ({}), with all rows known; {}")
# How rough a table is by itself: each product against the line between the next smaller and the next larger k of its m
# and n, in the same table, where a fit has a tenth of the rows.
_GEMM = (
    Ask("*", "b200_sxm", MEAN, 5, _NEIGHBOURS.format("4.0", "n of 32 and 64: 5.6 %", "two libraries differ by 5.3 %")),
    Ask("*", "b300_sxm", MEAN, 5,
        _NEIGHBOURS.format("4.3", "n of 32 and 64: 6.6 %", "no second library was measured on it")),
    Ask("*", "gb200", MEAN, 5, _NEIGHBOURS.format(
        "4.3", "n of 32 and 64: 6.2 %", "two libraries differ by 7.8 %, by 4.9 % after what is smooth")),
    Ask("*", "h100_sxm", MEAN, 5,
        _NEIGHBOURS.format("3.8", "beyond 300 us: 4.9 %", "two libraries differ by 4.4 %")),
    Ask("*", "l40s", MEAN, 5, "the table is rougher than what is asked: a line between the neighbours in k is 6.9 % "
        "off, with all rows known (9.4 % from 30 to 300 us)"),
    *(Ask("*", device, MEAN, 5) for device in ("a100_sxm", "h200_sxm", "gb300")))
_COLLECTIVES = (
    Ask("white box", "all within a node", MEAN, 8),
    Ask("white box", "all across nodes", MEAN, 12),
    Ask("other node counts", "*", MEAN, 15, "the one public table of all-gathers grows unevenly with nodes; a single "
        "run of its rows is 43 % off the middle of its own runs"),
    Ask("constants alone*", "all within a node", MEAN, 25))
_BETWEEN = (
    Ask("as they ship, clusters that no fit had, >= 16 MiB", "all", MEAN, 12),
    Ask("fabric seen, >= 16 MiB", "all", MEAN, 12),
    Ask("fabric not seen, >= 16 MiB", "all", MEAN, 25),
    Ask("fabric*seen, < 1 MiB", "all", MEAN, 30,
        "latencies of a fabric do not follow from its links: they spread by ten between fabrics"),
    Ask("one sweep, other sizes, *", "all", MEAN, 10, "algorithms, protocols and the best setting change between these "
        "sizes: a line between the next smaller and the next larger size of the same sweep, both known, is 9.6 % off "
        "(Alps 11.4 %), where it is 6.5 % below 1 MiB and 6.3 % from 16 MiB"),
    Ask("one sweep, other nodes, *", "all", MEAN, 10, "Alps and Polaris alone have several node counts: their times "
        "grow unevenly with nodes, and settings alone spread them by three"))
_OPERATORS = (
    Ask("H100 from A100 and V100, fp32", "all", MEDIAN, 12),
    Ask("H100 from A100 and V100, whole models", "all", MEAN, 9),
    Ask("batch from batch*: whole models", "all", MEAN, 4, "one table alone does not say how small kernels of the "
        "device grow; with the device's other models it does"))
_WHITE_BOXES = ("white boxes calibrated on every second size of each group, asked for the others; both halves in turn",
                "NVIDIA AIConfigurator (github.com/ai-dynamo/aiconfigurator), NCCL by nccl-tests; vTrain "
                "(github.com/VIA-Research/vTrain), all-reduce; the Ultra-Scale Playbook (Hugging Face), busbw",
                _COLLECTIVES)
_TABLES = "NVIDIA AIConfigurator (github.com/ai-dynamo/aiconfigurator): the tables that the fits name"


@dataclass(frozen=True)
class Elsewhere:
    title: str
    sources: str = ""
    asks: "tuple[Ask, ...]" = ()
    rows_of: "tuple[str, ...]" = ()  # sets whose rows it asks for, by clusters


ALL = {
    "gemm": Elsewhere("matrix products, bf16: the fits that ship against all rows they do not keep", _TABLES, _GEMM),
    "attention": Elsewhere("attention forward, bf16: the same", _TABLES, (Ask("*", "*", MEAN, 5),)),
    "collectives": Elsewhere(*_WHITE_BOXES),
    "collectives_thin": Elsewhere(*_WHITE_BOXES),
    "between_nodes": Elsewhere(
        "white boxes of fabrics between nodes (std.networks) against published sweeps; the best time of each call over "
        "the settings tried",
        "boeschf/nccl-benchmark-on-alps-2025, argonne-lcf/alcf-nccl-tests, coreweave/nccl-tests, "
        "awslabs/awsome-distributed-ai, GoogleCloudPlatform/cluster-toolkit, dstackai/dstack, oracle-quickstart/oci-*, "
        "lessizzmore/create-a3mega-ztan-fork (github.com)", _BETWEEN),
    "operators": Elsewhere(
        "operators of other devices and other batches, from measured tables",
        "NeuSight (Lee et al., ASPLOS 2025, github.com/sitar-lab/NeuSight); NVIDIA AIConfigurator "
        "(github.com/ai-dynamo/aiconfigurator)", _OPERATORS),
    "calibrated": Elsewhere(
        "steps of a cluster that is calibrated to three others of its steps",
        rows_of=("nanotron", "published_dense", "published_moe", "mlperf", "vtrain_multi", "korthikanti")),
    "learnt": Elsewhere("runs of a program without a profile, learnt from three other runs",
                        rows_of=("unseen", "prime_rl")),
}


def _cluster(a: Set, step: Step) -> str:
    """One machine, framework, release and number format; of programs without a profile the program, and what it does:
    prime-rl's losses of reinforcement and of tuning are not the same."""
    if a.plan == "unseen.ts":
        return f"{step.group}, sft" if "-sft-" in step.name else step.group
    return " ".join([a.name, *filter(None, (step.given.get(p) for p in ("machine", "framework", "recipe", "release")))])


def _clusters(c: Context, names: "tuple[str, ...]") -> "list[dict[str, Any]]":
    found: "dict[str, dict[str, Any]]" = {}
    by_name = {a.name: a for a in SETS}
    for a in map(by_name.__getitem__, names):
        for step in a.read(c) or []:  # what is tried until it fits is no plan of a calibration
            if not step.missing and not step.ladder:
                k = found.setdefault(_cluster(a, step), {"name": _cluster(a, step), "plan": a.plan, "rows": []})
                k["rows"].append({"name": step.name, "row": step.cells.index, "measured": step.measured,
                                  "given": step.given})
    return list(found.values())


def _program(c: Context, rows: object, *words: str) -> "tuple[int, str]":
    """What the program for a set ended with and wrote; `rows` are its measurements where these are read here."""
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="accuracy-") as folder:
        given, out = pathlib.Path(folder) / "rows.json", pathlib.Path(folder) / "out.json"
        given.write_text(json.dumps(rows), encoding="utf-8")
        program = c.build / "tests" / "accuracy" / "accuracy"
        of = ["--data", c.data, "--source", c.source, "--rows", given, "--out", out]
        status = subprocess.run([program, *of, *words], check=False).returncode
        return status, out.read_text(encoding="utf-8") if out.is_file() else ""


def fit(c: Context, folder: str) -> int:
    sweeps = between.read(c)
    return _program(c, _sweeps(sweeps), "--fit", folder)[0] if sweeps else 1


def _sweeps(s: between.Sweeps) -> "dict[str, Any]":
    return {"clusters": [dataclasses.asdict(x) for x in s.clusters], "rows": s.rows}


def report(c: Context, coverage: Coverage, name: str) -> None:
    of = ALL[name]
    print(f"{name}: {of.title}")
    sweeps = between.read(c) if name == "between_nodes" else None
    if name == "between_nodes" and not sweeps:
        return
    rows = _sweeps(sweeps) if sweeps else _clusters(c, of.rows_of)
    status, text = _program(c, rows, *(["-v"] if c.verbose else []), name)
    if status == 3:
        return
    if status:
        raise SystemExit(f"accuracy: {name}: the program for it ended with {status}")
    found, result = json.loads(text), c.result(name, of.title, of.sources, of.asks)
    for part in found["parts"]:
        result.parts.append(Part(part["title"], drawn=part["drawn"]))
        for line in part["lines"]:
            result.parts[-1].add(line["name"], [Point(*point) for point in line["points"]])
    result.notes += [(label, text) for label, text in found["notes"]]
    result.notes += sweeps.notes() if sweeps else []
    for of_figure, group, predicted, measured in found["seen"]:
        coverage.figure(name, origin(**of_figure), group, predicted, measured)
    result.show()
    print()
