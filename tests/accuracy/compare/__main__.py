"""./dev accuracy: predicted against measured training steps.

    compare --data DIR --build DIR [--source ROOT] [-v] [--write PAGE] [SET...]
    compare --data DIR --build DIR [--source ROOT] --fit SET[/GROUP] PARAMETERS
    compare --data DIR --build DIR [--source ROOT] --fit between_nodes FOLDER
    compare --data DIR --build DIR [--source ROOT] --errors
"""
from __future__ import annotations

import argparse
import os
import pathlib
import sys
from collections.abc import Callable
from dataclasses import dataclass


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="accuracy", description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    p.add_argument("-v", dest="verbose", action="store_true", help="each row")
    p.add_argument("--data", required=True, type=pathlib.Path, metavar="DIR")
    p.add_argument("--source", default=".", type=pathlib.Path, metavar="ROOT", help="of the tree")
    p.add_argument("--build", required=True, type=pathlib.Path, metavar="DIR", help="of the programs and the library")
    p.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="also write a page, and its pictures")
    p.add_argument("--fit", nargs=2, metavar=("SET[/GROUP]", "PARAMETERS"))
    p.add_argument("--errors", action="store_true", help="write stdlib/accuracy/errors.ts anew")
    p.add_argument("set", nargs="*")
    return p.parse_args()


given = _arguments()
os.environ.setdefault("TRAINSPEC_LIBRARY", str(given.build.resolve() / "libtrainspec.so"))
sys.path.insert(0, str(given.source.resolve() / "packages" / "python"))

import elsewhere  # noqa: E402  (the library is found above)
import errors  # noqa: E402
import fit  # noqa: E402
import megatron  # noqa: E402
import memory  # noqa: E402
import page  # noqa: E402
import power  # noqa: E402
import report  # noqa: E402
import workers  # noqa: E402
from coverage import Coverage  # noqa: E402
from predict import predict  # noqa: E402
from sets import SETS  # noqa: E402
from step import Context, Set  # noqa: E402

coverage = Coverage()
Report = Callable[[Context], None]


@dataclass(frozen=True)
class Entry:
    """What a name of the command runs; those not `usual` run when they are named."""
    title: str
    report: Report
    usual: bool = True


def _steps(a: Set) -> Report:
    def run(c: Context) -> None:
        steps = a.read(c)
        if steps is None:
            return
        asked = [s for s in steps if not s.missing]
        for step, answer in zip(asked, workers.each(asked, lambda s: predict(c, a, s))):
            step.take(answer)
        for step in steps:
            coverage.row(a, step)
        report.report(c, a, steps)
    return run


def _elsewhere(name: str, title: str = "", usual: bool = True) -> "dict[str, Entry]":
    return {name: Entry(title or elsewhere.ALL[name].title, lambda c: elsewhere.report(c, coverage, name), usual)}


def _all_steps(c: Context) -> None:
    for a in SETS:
        if not a.figure:
            TABLE[a.name].report(c)


TABLE = {
    **{a.name: Entry(a.title, _steps(a)) for a in SETS},
    **_elsewhere("gemm"),
    **_elsewhere("attention"),
    "memory": Entry("what devices hold, against published figures", memory.report),
    "megatron_memory": Entry("memory of runs from their command lines", lambda c: megatron.report(c, coverage)),
    **_elsewhere("collectives", "white boxes of collective libraries against measured calls"),
    **_elsewhere("collectives_thin", "the same from every third row of each table", False),
    **_elsewhere("between_nodes", "white boxes of fabrics between nodes against published sweeps"),
    **_elsewhere("operators"),
    "power": Entry("power of nodes at the wall in MLPerf's runs, against the model of energy", power.report),
    **_elsewhere("calibrated"),
    **_elsewhere("learnt"),
    "coverage": Entry("all sets of steps, for how many of them the intervals hold", _all_steps, False),
}
KERNELS = ("gemm", "attention")


def _unknown(name: str) -> int:
    print(f"accuracy: no set `{name}`; there are:", file=sys.stderr)
    for known, entry in TABLE.items():
        print(f"  {known:<20} {entry.title}", file=sys.stderr)
    return 2


def _write(path: pathlib.Path, put: Callable[[], None]) -> int:
    try:
        put()
    except OSError as e:
        print(f"accuracy: {e.filename or path}: {e.strerror}", file=sys.stderr)
        return 4
    return 0


def _fit(c: Context, name: str, parameters: str) -> int:
    if name == "between_nodes":
        return elsewhere.fit(c, parameters)
    name, _, group = name.partition("/")
    a = next((a for a in SETS if a.name == name), None)
    return fit.fit(c, a, group, parameters) if a else _unknown(name)


def _errors(c: Context) -> int:
    """Errors of runs are in spreads, so figures come first: the runs are predicted with what they say."""
    path = c.source / "stdlib" / "accuracy" / "errors.ts"
    for name in (*KERNELS, "collectives", "between_nodes"):
        TABLE[name].report(c)
    status = _write(path, lambda: page.put_file(path, errors.text(coverage)))
    if status:
        return 1
    for name in (*(a.name for a in SETS), "megatron_memory"):
        TABLE[name].report(c)
    coverage.report(c.results)
    return int(_write(path, lambda: page.put_file(path, errors.text(coverage))) != 0)


def main() -> int:
    c = Context(given.data, given.source, given.build, given.verbose)
    if given.fit:
        return _fit(c, *given.fit)
    if given.errors:
        return _errors(c)
    for name in given.set or [name for name, entry in TABLE.items() if entry.usual]:
        if name not in TABLE:
            return _unknown(name)
        TABLE[name].report(c)
        sys.stdout.flush()
    coverage.report(c.results)
    return _write(given.write, lambda: page.write(c.results, given.write)) if given.write else 0


if __name__ == "__main__":
    sys.exit(main())
