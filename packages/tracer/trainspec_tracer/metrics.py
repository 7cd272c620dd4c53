"""trainspec-trace metrics: rows of slowdowns, as `trainspec fit slowdown --pairs` writes them, with what Nsight Compute measured of their kernels.

Its CSV comes in two forms. `ncu --csv` has a line for each metric of a kernel, `ncu --csv --page raw` a line for each kernel, with units in the line behind the header.
"""
import argparse
import csv
import io
import math
import re
import sys

from . import graph as graphs

SHARES = {  # by the names of both forms
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "compute", "Compute (SM) Throughput": "compute", "SM [%]": "compute",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": "memory", "Memory Throughput": "memory", "Memory [%]": "memory",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "dram", "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dram", "DRAM Throughput": "dram",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy", "Achieved Occupancy": "occupancy",
    "l1tex__t_sector_hit_rate.pct": "l1", "L1/TEX Hit Rate": "l1",
    "lts__t_sector_hit_rate.pct": "l2", "L2 Hit Rate": "l2"}
TIMES = {"gpu__time_duration.sum", "Duration"}
SECONDS = {"ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1, "second": 1}
GPU = "device__attribute_display_name"
FIELDS = ["occupancy", "compute", "memory", "dram", "l1", "l2"]


def number(text):
    """With commas between thousands; None: none."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def take(kernel, name, unit, text):
    """What a metric says of a kernel, as shares and seconds. A name may stand for a rate, too, which has another unit."""
    value = number(text)
    if name == GPU and text:
        kernel["gpu"] = text
    elif value is not None and name in TIMES and unit in SECONDS:
        kernel["time"] = value * SECONDS[unit]
    elif value is not None and name in SHARES and unit == "%":
        kernel[SHARES[name]] = value / 100


def kernels(text, path):
    """Of each launch that was profiled: its name and what was measured."""
    lines = list(csv.reader(io.StringIO(text)))
    head = next((i for i, line in enumerate(lines) if "Kernel Name" in line), None)
    if head is None:
        raise ValueError(f"{path}: no CSV of Nsight Compute: no column `Kernel Name` (ncu --csv, or ncu --csv --page raw)")
    columns, found = lines[head], {}
    raw, units = "Metric Name" not in columns, {}
    if not raw and not {"ID", "Metric Unit", "Metric Value"} <= set(columns):
        raise ValueError(f"{path}: columns `ID`, `Metric Unit` or `Metric Value` are missing")
    for i, line in enumerate(lines[head + 1:]):
        if len(line) != len(columns):
            if not line:
                continue
            raise ValueError(f"{path}: line {head + i + 2} has {len(line)} cells, the header {len(columns)}: the file is cut off, or not of one run")
        row = dict(zip(columns, line))
        if raw and i == 0 and not row["Kernel Name"]:
            units = row
            continue
        kernel = found.setdefault(row.get("ID", i), {"name": row["Kernel Name"]})
        if raw:
            for name in columns:
                take(kernel, name, units.get(name, ""), row[name])
        else:
            take(kernel, row["Metric Name"], row["Metric Unit"], row["Metric Value"])
    return [kernel for kernel in found.values() if any(field in kernel for field in FIELDS)]


def plain(name):
    """A kernel as all profilers call it: without `void`, casts of template arguments, parameters and spaces."""
    name = re.sub(r"\((int|bool|unsigned int|long|char|signed char|unsigned char)\)", "", re.sub(r"^void ", "", name.strip()))
    depth, at = 0, len(name)
    if name.endswith(")"):
        for at in range(len(name) - 1, -1, -1):
            depth += (name[at] == ")") - (name[at] == "(")
            if depth == 0:
                break
    return re.sub(r"\s", "", name[:at] or name)


def nearest(measured, time):
    """Of the launches of a kernel the one that took most nearly as long: sizes differ."""
    known = [kernel for kernel in measured if kernel.get("time", 0) > 0]
    if time and known:
        return min(known, key=lambda kernel: abs(math.log(kernel["time"] / time)))
    return measured[0]


def join(rows, measured, gpu, cuda):
    """How many rows were given metrics. What a row says already is kept."""
    by_name, given = {}, 0
    for kernel in measured:
        by_name.setdefault(plain(kernel["name"]), []).append(kernel)
    for row in rows:
        alike = by_name.get(plain(row.get("kernel") or ""))
        found = nearest(alike, number(row.get("time") or "")) if alike else {}
        given += bool(found)
        for field in FIELDS:
            if field in found and not row.get(field):
                row[field] = f"{found[field]:.6g}"
        row["gpu"] = row.get("gpu") or gpu or found.get("gpu", "")
        row["cuda"] = row.get("cuda") or cuda or ""
    return given


def main(arguments):
    p = argparse.ArgumentParser(prog="trainspec-trace metrics",
                                description="Adds what Nsight Compute measured of kernels to rows of slowdowns (trainspec fit slowdown --pairs ROWS): the launch of the same name that took as long.")
    p.add_argument("rows", metavar="ROWS", help="a table with the columns slowdown and kernel")
    p.add_argument("--ncu", action="append", required=True, metavar="FILE", help="written by `ncu --csv` or `ncu --csv --page raw`, of a run without communication beside")
    p.add_argument("--gpu", help="the GPU, as plans name it (default: as the file does, if it does)")
    p.add_argument("--cuda", help="the version of CUDA")
    p.add_argument("-o", "--output", default="rows.csv", metavar="FILE")
    o = p.parse_args(arguments)
    measured = []
    for path in o.ncu:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            measured += kernels(file.read(), path)
    with open(o.rows, encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        rows, columns = list(table), list(table.fieldnames or [])
    if not {"slowdown", "kernel"} <= set(columns):
        raise ValueError(f"{o.rows}: no columns `slowdown` and `kernel`, as `trainspec fit slowdown --pairs` writes them")
    if any(None in row or None in row.values() for row in rows):
        raise ValueError(f"{o.rows}: a line has fewer or more cells than the header")
    given = join(rows, measured, o.gpu, o.cuda)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns + [field for field in FIELDS + ["gpu", "cuda"] if field not in columns], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    graphs.replace([(o.output, out.getvalue().encode())])
    print(f"trainspec-trace metrics: {given} of {len(rows)} rows have metrics of {len(measured)} launches", file=sys.stderr)
    return 0
