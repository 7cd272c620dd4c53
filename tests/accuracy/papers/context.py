"""Where tables of papers, plans and the programs are, and how plans are played."""
from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

PLANS = pathlib.Path(__file__).parent / "plans"


def text_of(value) -> str:
    """A text as an expression of the language."""
    return json.dumps(value)


class Missing(Exception):
    """A file of the data that is not there."""


class Context:
    """`data`: the folder that has papers/; `source`: the tree; `build`: where its programs are; `workloads`: a folder of SimAI's texts."""

    def __init__(self, data, source, build, workloads=None):
        self.workloads = workloads
        self.data, self.source, self.build = (pathlib.Path(p).resolve() for p in (data, source, build))
        os.environ["TRAINSPEC_LIBRARY"] = str(self.build / "libtrainspec.so")
        sys.path.insert(0, str(self.source / "packages/python"))
        import trainspec
        self.trainspec = trainspec
        self.wanted = set()
        self._played = {}

    def each(self, makers):
        """The tables of functions that yield them: of `wanted`, or all. A file that is absent ends one function alone."""
        for make in makers:
            if self.wanted and make.__name__ not in self.wanted:
                continue
            try:
                for table in make(self):
                    table.rows = list(table.rows)
                    yield table
            except Missing as e:
                print(f"{make.__name__}: skipped, there is no {e}")

    def file(self, path) -> pathlib.Path:
        """A file of the data."""
        if not (self.data / path).is_file():
            raise Missing(str(path))
        return self.data / path

    def table(self, path) -> "list[dict]":
        """The rows of a CSV file of the data."""
        with open(self.file(path), newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def plan_file(self, name) -> pathlib.Path:
        """A plan of papers/plans."""
        return PLANS / f"{name}.ts"

    def plan(self, name) -> str:
        """The text of a plan."""
        return self.plan_file(name).read_text(encoding="utf-8")

    def play(self, text, parameters=None, *, plan=None, overlap=None, network=None, contention=False, fold=True, read_dirs=()):
        """A step of a plan, by the Python package: its Result. Values of parameters are those of the language, as after -D."""
        key = text, plan, tuple(sorted((parameters or {}).items())), overlap, network, contention, fold, tuple(read_dirs)
        if key not in self._played:
            opened = self.trainspec.loads(text, parameters or {}, path=str(PLANS / "plan.ts"), plan=plan, read_dirs=read_dirs)
            self._played[key] = opened.run(overlap=overlap, network=network, contention=contention, fold=fold)
        return self._played[key]

    def refused(self, text, parameters=None, **options):
        """What the package says of a plan that cannot be played; None where it plays."""
        try:
            self.play(text, parameters, **options)
        except self.trainspec.Error as e:
            return str(e)
        return None

    def run(self, program, *arguments, **options) -> subprocess.CompletedProcess:
        """A program of the build."""
        return subprocess.run([str(self.build / program), *map(str, arguments)], capture_output=True, text=True, cwd=self.source, **options)

    def parameters(self, plan, defines):
        """The number of parameters of a plan's model, from the text form of its IR."""
        said = self.run("tsc", "-S", "-o", "-", *(x for name, value in defines.items() for x in ("-D", f"{name}={value}")), plan)
        return int(re.search(r"^parameters (\d+)$", said.stdout, re.M)[1])
