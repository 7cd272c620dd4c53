#!/usr/bin/env python3
"""mechanisms.py [--build DIR] [--check]: the table of mechanisms in doc/papers.md from mechanisms.csv.

A row is a mechanism of a paper: where it stands ("works", "in part", "not"), the page that describes it, and a command. Places and commands must
exist: a program's options stand in its help, a table of ./dev accuracy papers in its module. --check writes nothing, and fails where the page is another.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
PAGE = SOURCE / "doc/papers.md"
BEGIN, END = "<!-- mechanisms -->\n", "<!-- end of mechanisms -->\n"
STATES = ("works", "in part", "not")


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def place_lacks(where):
    file, _, section = where.partition("#")
    if not (SOURCE / file).is_file():
        return f"no {file}"
    titles = {anchor(line.lstrip("#")) for line in (SOURCE / file).read_text(encoding="utf-8").splitlines() if line.startswith("#")}
    return f"no section {section} in {file}" if section and section not in titles else None


def options_of(program, words, build):
    """The help that names the options of a command; of the tracer, which needs PyTorch, its source."""
    if program == "trainspec-trace":
        return (SOURCE / "packages/tracer/trainspec_tracer/cli.py").read_text(encoding="utf-8")
    sub = [w for w in words if not w.startswith("-")]
    return subprocess.run([str(build / program), *sub, "--help"], capture_output=True, text=True).stdout


def command_lacks(command, build):
    program, *words = command.split()
    if command.startswith("./dev accuracy papers"):
        paper, _, table = words[-1].partition(".")
        module = HERE / f"{paper}.py"
        return None if module.is_file() and f"def {table}(" in module.read_text(encoding="utf-8") else f"no table {words[-1]}"
    if program == "./dev":
        return None if re.search(rf"^  {words[0]}\)", (SOURCE / "dev").read_text(encoding="utf-8"), re.M) else f"./dev has no {words[0]}"
    if program not in ("tsc", "tsrun", "trainspec", "trainspec-trace"):
        return f"no program {program}"
    said = options_of(program, words, build)
    missing = [w for w in words if w.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(w)}(?![\w-])", said)]
    return "; ".join(f"{program} has no {w}" for w in missing) or (None if said else f"{command}: no help")


def lacks(row, build):
    if row["state"] not in STATES:
        return f"no state {row['state']}"
    return place_lacks(row["where"]) or (command_lacks(row["command"], build) if row["command"] else None)


def tables(rows):
    for paper in dict.fromkeys(r["paper"] for r in rows):
        of = [r for r in rows if r["paper"] == paper]
        counts = ", ".join(f"{sum(r['state'] == state for r in of)} {state if state != 'not' else 'not done'}" for state in STATES)
        yield f"### {paper}\n\n{len(of)} mechanisms: {counts}.\n\n| section | mechanism | state | page | command |\n|---|---|---|---|---|\n"
        for r in of:
            file = r["where"].removeprefix("doc/")
            command = f"`{r['command']}`" if r["command"] else ""
            yield f"| {r['section']} | {r['mechanism']} | {r['state']} | [{file.partition('#')[0].removesuffix('.md')}]({file}) | {command} |\n"
        yield "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    p.add_argument("--check", action="store_true")
    chosen = p.parse_args()
    with open(HERE / "mechanisms.csv", newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    wrong = [f"{r['mechanism']}: {why}" for r in rows if (why := lacks(r, chosen.build))]
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    made = head + BEGIN + "\n" + "".join(tables(rows)) + END + rest.split(END)[1]
    if made != text and chosen.check:
        wrong.append("doc/papers.md: tests/accuracy/papers/mechanisms.py writes another table")
    elif made != text:
        PAGE.write_text(made, encoding="utf-8")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
