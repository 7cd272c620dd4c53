"""What a change to a file needs: which.py NAME... prints `unit SUITE`, `golden KIND[/NAME]` and `script FILE` lines.

A NAME is a source file, a folder, a kind of golden cases or one case, or a suite of the unit tests. Unit tests belong to the
headers that they include, golden cases to the room of a file, and to the words of its name where a room has too many.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

# Golden cases by room. `{}`: those that have the word, which is the file's name or the subject of a program's folder.
ROOMS = {
    "base": ["errors", "engine"], "lang": ["fmt", "lang", "errors"], "ir": ["lang", "engine"],
    "compiler/replay": ["traces"], "compiler": ["errors", "layouts", "lang", "strategies"],
    "cost": ["strategies", "models", "cli/fit*", "cli/db*"], "calibrate": ["cli/fit*", "cli/calibrate*"],
    "trace": ["traces"], "runtime/report": ["examples", "engine", "cli/*{}*"], "runtime": ["engine", "examples"],
    "library": [], "tools/sweep": ["cli/sweep*"], "tools/lsp": ["cli/lsp*"], "tools": ["cli/*{}*"],
    "stdlib": ["*/*{}*"], "examples": ["examples"], "doc": ["cli/docs", "cli/readme"],
}
SCRIPTS = {"python": "run-python.sh", "library": "run-python.sh", "tracer": "run-tracer.sh", "share/schemas": "run-schemas.sh",
           "share/tree-sitter": "run-grammar.sh", "doc": "run-site.sh", "tests/fuzz": "run-fuzz.sh", "trace/read": "run-fuzz.sh",
           "tests/accuracy": "run-accuracy.sh", "configure.ac": "run-build.sh", "Makefile.am": "run-build.sh"}


def suites():
    """{header: suites whose file includes it}, and all suites."""
    by_header, everything = {}, set()
    for file in sorted((TESTS / "unit").glob("test_*.c")):
        text = file.read_text()
        names = set(re.findall(r"^(?:Test|ParameterizedTest)\((?:[^,()]*\*[^,]*, )?(\w+),", text, re.M))
        everything |= names
        for header in re.findall(r'^#include "([^"]+)"', text, re.M):
            by_header.setdefault(header, set()).update(names)
        by_header.setdefault(str(file.relative_to(ROOT)), set()).update(names)
    return by_header, everything


def cases():
    return {f"{f.parent.relative_to(TESTS)}/{f.stem}" for kind in TESTS.iterdir() if kind.is_dir()
            for f in kind.glob("*.*") if f.suffix in (".ts", ".tsir", ".cmd", ".args") and not f.name.startswith("_")} \
        | {f"examples/{f.stem}" for f in (ROOT / "examples").glob("*.ts")}


def mentions(case, word):
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    folder = ROOT if case.startswith("examples/") else TESTS
    return any(pattern.search(f.read_text(errors="replace"))
               for f in (folder / f"{case}{ending}" for ending in (".ts", ".cmd", ".tsir")) if f.exists())


def of_room(path, known):
    room = next((r for r in sorted(ROOMS, key=len, reverse=True) if path == r or path.startswith(r + "/")), None)
    word = re.sub(r"_main$", "", pathlib.PurePath(path).stem)
    for pattern in ROOMS.get(room, []):
        if "{}" not in pattern:
            yield from {pattern} if "*" not in pattern else {c for c in known if pathlib.PurePath(c).match(pattern)}
        else:
            place = pattern.split("*")[0]
            yield from {c for c in known if c.startswith(place) and mentions(c, word)}


def needs(name, known, by_header, every_suite):
    path = str(pathlib.PurePath(name))
    found = set()
    stem = re.sub(r"\.\w+$", "", path)
    case = stem.removeprefix("tests/")
    if case in known or (TESTS / case).is_dir() and any(k.startswith(case + "/") for k in known):
        found.add(("golden", case))
    if path in every_suite:
        found.add(("unit", path))
    if (ROOT / path).exists() and ("golden", case) not in found:
        own = f"tests/unit/test_{pathlib.PurePath(stem).name}.c"
        headers = [h for h in by_header if h in (stem + ".h", path, own) or h.startswith(path + "/")]
        found |= {("unit", s) for h in headers for s in by_header[h]}
        found |= {("golden", c) for c in of_room(path, known)}
        found |= {("script", f"tests/{s}") for at, s in SCRIPTS.items() if path == at or path.startswith(at + "/")}
        found.add(("script", "tests/run-tree.sh"))
    return found


def main(names):
    known, (by_header, every_suite) = cases(), suites()
    found = set()
    for name in names:
        of_name = needs(name, known, by_header, every_suite)
        if not of_name:
            sys.exit(f"which.py: no file, kind, case or suite `{name}`")
        found |= of_name
    kinds = {of for what, of in found if what == "golden" and "/" not in of}
    for what, of in sorted(found):
        if what != "golden" or "/" not in of or of.split("/")[0] not in kinds:
            print(what, of)


main(sys.argv[1:])
