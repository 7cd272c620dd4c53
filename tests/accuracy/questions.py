#!/usr/bin/env python3
"""questions.py TRAINSPEC FOLDER [FILE...]: questions of practitioners, each a plan whose first line says where it was asked and
what was measured. `trainspec compare` ranks causes; questions.csv has what was measured as options, and the cause that
the thread found (empty: it found none). A source that stands not there is compared with what its first line seems to
say, and the list is printed. questions_by_line.csv has further threads, found after the causes were written: the line
of `trainspec import hf` that says the job of each, as far as its thread does. ./dev accuracy questions [FOLDER]"""
import csv
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

FIRST = 3  # causes in which the thread's shall be


HERE = os.path.dirname(os.path.abspath(__file__))


def table(name):
    with open(os.path.join(HERE, name), newline="") as rows:
        return list(csv.DictReader(rows))


def guessed(line):
    """what of a first line reads like a measured step; the slowest"""
    times = [float(n) for n in re.findall(r"(\d+(?:\.\d+)?) s\b", line)]
    rates = [float(n.replace(",", "")) for n in re.findall(r"([\d,.]+) tokens/s", line)]
    flops = [float(n) for n in re.findall(r"(\d+(?:\.\d+)?) TFLOP/s", line)]
    return (f"--step {max(times)}s" if times else f"-m tokens_per_second={min(rates)}" if rates else
            f"-m tflops={min(flops)}" if flops else "")


def compared(trainspec, file, options):
    run = subprocess.run([trainspec, "compare", "--format=json", "--causes", "1000", *shlex.split(options, posix=True), file],
                         capture_output=True, text=True)
    if run.returncode not in (0, 3):
        return None, run.stderr.strip().split("\n")[0]
    report = json.loads(run.stdout)
    return (["as predicted"] if report["as_predicted"] else []) + [c["name"] for c in report["causes"]], ""


def words(options):
    """`-D how="ring"` keeps its quotes through shlex"""
    return re.sub(r'="([^"]*)"', r"""='"\1"'""", options)


def shown(title, names, wrong, cause):
    """prints the ranking; 1 where the thread's cause is among the first, else 0"""
    print(title)
    if names is None:
        print("           " + wrong)
        return 0
    rank = next((i + 1 for i, n in enumerate(names) if cause and n.startswith(cause)), 0)
    for i, name in enumerate(names[:max(FIRST, rank)] if cause is not None else names[:8]):
        print(f"        {'->' if i + 1 == rank else '  '} {i + 1}. {name}")
    return int(0 < rank <= FIRST)


def by_line(trainspec):
    """(asked, met) of the threads whose jobs a line says"""
    with open(os.path.join(HERE, "../../stdlib/import/published.json")) as file:
        published = {n: m["config"] for m in json.load(file)["models"] for n in m["names"].split()}
    asked = met = 0
    for row in table("questions_by_line.csv"):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "config.json"), "w") as config:
                json.dump(published.get(row["model"]) or json.loads(row["model"]), config)
            plan = os.path.join(folder, "plan.ts")
            run = subprocess.run([trainspec, "import", "--gpus", row["gpus"], "--gpu", row["gpu"], "-o", plan, "hf", "config.json",
                                  *shlex.split(row["arguments"])], cwd=folder, capture_output=True, text=True)
            names, wrong = compared(trainspec, plan, row["options"]) if run.returncode == 0 else (None, run.stderr.split("\n")[0])
        found = shown(f"{row['source']}  {row['options']}", names, wrong, row["cause"])
        asked += bool(row["cause"])
        met += found
    return asked, met


def main(trainspec, folder, files):
    rows, asked, met = table("questions.csv"), 0, 0
    for file in files or sorted(glob.glob(os.path.join(folder, "*.ts"))):
        with open(file) as plan:
            line = plan.readline()
        if not re.match(r"// [^:]*[#!]\d+:", line):
            continue
        source = line[3:].split(":")[0].strip()
        cases = [r for r in rows if r["source"] == source] or [{"options": guessed(line), "cause": None}]
        for case in cases:
            names, wrong = compared(trainspec, file, words(case["options"])) if case["options"] else (None, "nothing measured")
            met += shown(f"{os.path.basename(file):10} {source}  {case['options']}", names, wrong, case["cause"])
            asked += names is not None and bool(case["cause"])
    print(f"{met} of {asked}: the thread's cause is among the first {FIRST}")
    if not files:
        asked, met = by_line(os.path.abspath(trainspec))
        print(f"{met} of {asked} found later: the thread's cause is among the first {FIRST}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
