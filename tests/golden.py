"""Golden files, reported as TAP: golden.py [--update] [KIND[/NAME]...]; tests/README.md says how a case is laid out.

Cases run on as many threads as there are processors (TS_TEST_WORKERS sets another number), each in a scratch folder of
its own. One process runs them all: around a program of 14 ms, a shell with sed, cmp and cat took 110.
"""
import concurrent.futures
import difflib
import itertools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import tap

ROOT = pathlib.Path(os.environ.get("top_srcdir") or pathlib.Path(__file__).parent.parent).resolve()
BUILD = pathlib.Path(os.environ.get("top_builddir") or ROOT / "build").resolve()
TIMEOUT = float(os.environ.get("TS_TEST_TIMEOUT", 180))
LINES, WIDTH = 400, 400  # of a difference: a case that goes wrong may print megabytes
ALL = "TS_TEST_ALL" in os.environ  # also cases whose command begins with `# Long`, which `./dev test` leaves to .ci/run
WORKERS = int(os.environ.get("TS_TEST_WORKERS", 0)) or os.cpu_count() or 1
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("NO_COLOR", "CLICOLOR_FORCE", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
ENVIRONMENT.update(LC_ALL="C", PATH=f"{BUILD}:{os.environ['PATH']}")


def built(program):
    return os.access(BUILD / program, os.X_OK)


def run(command, folder, scratch, given=subprocess.DEVNULL):
    """(exit code, standard output, standard error) of a command line, or of a list of words."""
    words = ["bash", "-c", command] if isinstance(command, str) else command
    with open(scratch / "out", "wb+") as out, open(scratch / "err", "wb+") as err:
        process = subprocess.Popen(words, cwd=folder, env={**ENVIRONMENT, "scratch": str(scratch), "shared": str(scratch.parent)}, stdin=given,
                                   stdout=out, stderr=err, start_new_session=True)
        try:
            status = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # whatever it does with signals
            process.wait()
            status = 124
            err.write(f"no answer within {TIMEOUT:g} s\n".encode())
        out.seek(0)
        err.seek(0)
        return status if status >= 0 else 128 - status, out.read(), err.read()


def outcome(status, out, err, scratch):
    """A run that should work shows what it printed; one that did not, also why.

    Digests of the whole standard library and of what a compiler built differ with every change of these, which is none
    of a golden's business.
    """
    out = re.sub(rb"(?m)(files of std, together|\.so) [0-9a-f]{8}", rb"\1 DIGEST", out)
    return out + err + f"exit {status}\n".encode() if status else out


def refusal(status, out, err, scratch):
    """A run that should be refused shows the message and the exit code, and that nothing was left behind."""
    if out:
        err += b"printed:\n" + out
    if status and (scratch / "plan.ir").exists():
        err += b"left an output file\n"
    return err + f"exit {status}\n".encode()


def text(data):
    return data.decode("utf-8", "surrogateescape")


def difference(expected, got, names=("expected", "got")):
    rows = difflib.unified_diff(text(expected).split("\n"), text(got).split("\n"), *names, lineterm="")
    shown = [f"# {row[:WIDTH]}" for row in itertools.islice(rows, LINES + 1)]
    return shown if len(shown) <= LINES else shown[:LINES] + ["# ... and more"]


class Golden:
    """A case with a golden file: NAME.SUFFIX beside its input or its command."""

    def __init__(self, kind, folder, name, suffix, default, result):
        self.kind, self.folder, self.name, self.suffix, self.default, self.result = kind, folder, name, suffix, default, result
        self.id = f"{kind}/{name}"
        self.place = f"{folder.relative_to(ROOT / 'tests')}/{name}"

    def command(self):
        folder = self.folder
        stated = folder / f"{self.name}.cmd"
        if stated.exists():
            return stated.read_text(encoding="utf-8", errors="surrogateescape")
        source = f"{self.name}.ts"
        if self.kind == "examples":
            source = f"examples/{source}"
        elif not (folder / source).exists():
            source = f"{self.name}.tsir"
        options = folder / f"{self.name}.args"
        options = options.read_text(encoding="utf-8").rstrip("\n") if options.exists() else ""
        return self.default.replace("@", source).replace("%", options)

    def is_long(self):
        stated = self.folder / f"{self.name}.cmd"
        return stated.exists() and stated.read_bytes().startswith(b"# Long")

    def absent(self):
        """The file that the first line of its command, `# Needs FILE`, names and that is not here; or None."""
        stated = self.folder / f"{self.name}.cmd"
        first = stated.read_text(encoding="utf-8").split("\n", 1)[0] if stated.exists() else ""
        file = first.removeprefix("# Needs ")
        return file if file != first and not (ROOT / file).exists() else None

    def play(self, scratch, update):
        folder = self.folder
        got = self.result(*run(self.command(), ROOT if self.kind == "examples" else folder, scratch), scratch)
        golden = folder / f"{self.name}.{self.suffix}"
        expected = golden.read_bytes() if golden.exists() else None
        if got == expected:
            return []
        if update:
            golden.write_bytes(got)
            return [f"# updated {self.id}"]
        if expected is None:
            return [f"# no {golden.name}; make it with tests/run-golden.sh --update {self.id}",
                    *(f"# {line}" for line in text(got).splitlines()), "not ok"]
        return [*difference(expected, got), "not ok"]


class Stays:
    """Formatting twice changes nothing, on every file of the language that we own."""

    def __init__(self, file):
        self.file, self.id = file, f"stays/{file}"

    def play(self, scratch, update):
        once = twice = b""
        with open(ROOT / self.file, "rb") as source:
            status, once, err = run(["tsfmt", "-"], ROOT, scratch, source)
        if not status:
            (scratch / "once").write_bytes(once)
            with open(scratch / "once", "rb") as source:
                status, twice, err = run(["tsfmt", "-"], ROOT, scratch, source)
        if not status and once == twice:
            return []
        return [*(f"# {line}" for line in text(err).splitlines()), *difference(once, twice, ("once", "twice")), "not ok"]


class Narrow:
    """No line of a program's --help is wider than 80 columns. That it agrees with the manual: cli/manual."""

    def __init__(self, program):
        self.program, self.id = program, f"narrow/{program}"

    def play(self, scratch, update):
        status, out, _ = run([self.program, "--help"], ROOT, scratch)
        wide = [f"# wider than 80 columns: {text(line)}" for line in out.splitlines() if len(line) > 80]
        return [*wide, "not ok"] if wide or status else []


def goldens(kind, suffix, program, default, result):
    """The cases of tests/KIND: every NAME.* with a golden .SUFFIX, a NAME.cmd or an input, there or in a folder of a subject.

    In the default command @ stands for the input and % for the options in NAME.args. Examples are run from the root.
    """
    folder = ROOT / "tests" / kind
    if not folder.is_dir() or not built(program):
        return []
    ends = (".ts", ".tsir", ".cmd", f".{suffix}")
    places = [folder, *(sub for sub in folder.iterdir() if kind == "errors" and sub.is_dir() and sub.name[0] != "_")]
    found = {(file.name[:file.name.rindex(".")], place) for place in places for file in place.iterdir() if file.name.endswith(ends)}
    return [Golden(kind, place, name, suffix, default, result) for name, place in sorted(found) if not name.startswith("_")]


def formatted():
    """Files that tsfmt formats: no golden of a command, and no golden of a refusal."""
    files = [file for folder in ("stdlib", "examples", "tests/fmt") for file in (ROOT / folder).rglob("*")
             if file.suffix in (".ts", ".fmt")]
    for file in sorted(str(file.relative_to(ROOT)) for file in files):
        stem = ROOT / os.path.splitext(file)[0]
        golden = stem.with_name(stem.name + ".fmt")
        refused = golden.exists() and re.search(rb"(?m)^exit [1-9]", golden.read_bytes())
        if not stem.with_name(stem.name + ".cmd").exists() and not refused:
            yield Stays(file)


def all_cases():
    yield from goldens("errors", "err", "tsc", "tsc --stdlib=../_std -o $scratch/plan.ir % @", refusal)
    yield from goldens("layouts", "err", "tsc", "tsc -o $scratch/plan.ir % @", refusal)
    yield from goldens("cli", "out", "tsc", "false", outcome)
    yield from goldens("fmt", "fmt", "tsfmt", "tsfmt - % <@", outcome)
    yield from goldens("lang", "ir", "tsc", "tsc -S -o - % @", outcome)
    yield from goldens("engine", "out", "tsrun", "tsrun % @", outcome)
    with tempfile.TemporaryDirectory() as scratch:  # what ns-3 plays, or what is said where it is not
        packets = built("tsrun") and b"ns-3" in run(["tsrun", "--version"], ROOT, pathlib.Path(scratch))[1]
    yield from goldens("packet" if packets else "packet/without", "out", "tsrun", "tsrun % @", outcome)
    yield from goldens("examples", "out", "tsrun", "tsrun % @", outcome)
    yield from goldens("models", "out", "tsc", "false", outcome)
    yield from goldens("traces", "out", "trainspec", "false", outcome)
    yield from goldens("strategies", "out", "tsrun", "false", outcome)
    if built("tsfmt"):
        yield from formatted()
    yield from (Narrow(program) for program in ("tsc", "tsrun", "tsfmt", "trainspec") if built(program))


def left_to_ci(case, wanted):
    """Whoever names a case gets it; whoever names its kind or nothing gets the quick ones."""
    return not ALL and case.id not in wanted and isinstance(case, Golden) and case.is_long()


def chosen(case, wanted):
    return not wanted or any(name == w or name.startswith(w + "/") for w in wanted for name in (case.id, getattr(case, "place", case.id)))


def play(case, update, wanted, shared):
    if not update and left_to_ci(case, wanted):
        return ["long: .ci/run and whoever names it runs it", "skip"]
    if isinstance(case, Golden) and case.absent():
        return [f"no {case.absent()}", "skip"]
    with tempfile.TemporaryDirectory(dir=shared) as scratch:
        return case.play(pathlib.Path(scratch), update)


def main():
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # begun behind a shell's `&`: programs would ignore it, too
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    wanted = arguments[update:]
    sys.stdout.reconfigure(errors="surrogateescape")
    cases = [case for case in all_cases() if chosen(case, wanted)]
    with tempfile.TemporaryDirectory(prefix="golden-") as shared, concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
        for case, lines in zip(cases, workers.map(lambda case: play(case, update, wanted, shared), cases)):
            failed, skipped = lines[-1:] == ["not ok"], lines[-1:] == ["skip"]
            for line in [] if skipped else lines[:-1] if failed else lines:
                print(line)
            tap.report(not failed, case.id, lines[0] if skipped else "")
    tap.summary("no program built or no case chosen")


main()
