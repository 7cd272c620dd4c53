"""The tests nearest to a change: which.py NAME... prints `unit SUITE`, `golden KIND[/NAME]` and `script FILE` lines.

A NAME is a source file, a folder, a kind of golden cases or one case, a suite of the unit tests, or a script (run-tree). Unit tests belong to the
headers that they include, golden cases to the room of a file, and to the words of its name where a room has too many. All that
a change can reach is what ./dev test runs. which.py --check holds the tables below against the tree: a rule of run-tree.sh.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

# Golden cases by room, a folder or a file; the longest that fits. `{}`: those that have the word, which is the file's name; all, for a folder or
# where none has it.
ROOMS = {
    "base": ["errors", "engine"], "lang": ["fmt", "lang", "errors"], "ir": ["lang", "engine"],
    "compiler/replay": ["traces"], "compiler": ["errors", "layouts", "lang", "strategies"],
    "cost": ["strategies", "models", "cli/fit*", "cli/db*"], "calibrate": ["cli/fit*", "cli/calibrate*"],
    "trace/log": ["cli/log"], "trace": ["traces"], "runtime/report": ["examples", "engine", "cli/*{}*"], "runtime/collective": ["engine", "examples", "packet"],
    "runtime": ["engine", "examples"], "library": [], "tools/sweep": ["cli/sweep*"], "tools/lsp": ["cli/lsp*"], "tools/cli": ["cli"],
    "tools": ["cli/*{}*"], "stdlib": ["*/*{}*"], "examples": ["examples"], "doc": ["cli/docs*", "cli/readme", "cli/recipes*"],
    "README.md": ["cli/readme"], "share": ["cli/completion", "cli/github-check", "cli/hooks-names", "cli/manual", "cli/vscode-settings"],
}
SCRIPTS = {"packages/python": "run-python.sh", "library": "run-python.sh", "packages/tracer": "run-tracer.sh", "packages/tracer/trainspec_profile": "run-profile.sh", "share/schemas": "run-schemas.sh",
           "share/tree-sitter": "run-grammar.sh", "doc": "run-site.sh", "tests/fuzz": "run-fuzz.sh", "trace/read": "run-fuzz.sh",
           "tests/accuracy": "run-accuracy.sh", "README.md": "run-accuracy.sh", "configure.ac": "run-build.sh", "Makefile.am": "run-build.sh",
           "compiler": "run-scaling.sh", "runtime/play": "run-scaling.sh", "runtime/play/node.h": "run-mutants.sh"}


def included(text):
    """Also by headers of the unit tests' own."""
    for header in re.findall(r'^#include "([^"]+)"', text, re.M):
        yield header
        if (TESTS / "unit" / pathlib.PurePath(header).name).exists():
            yield from included((TESTS / "unit" / pathlib.PurePath(header).name).read_text())


def suites():
    """{header: suites whose file includes it}, and all suites."""
    by_header, everything = {}, set()
    for file in sorted((TESTS / "unit").glob("test_*.c")):
        text = file.read_text()
        names = set(re.findall(r"^(?:Test|ParameterizedTest)\((?:[^,()]*\*[^,]*, )?(\w+),", text, re.M))
        everything |= names
        for header in included(text):
            by_header.setdefault(header, set()).update(names)
        by_header.setdefault(str(file.relative_to(ROOT)), set()).update(names)
    return by_header, everything


def cases():
    return {f"{f.parent.relative_to(TESTS)}/{f.stem}" for kind in (*TESTS.iterdir(), *(TESTS / "errors").iterdir()) if kind.is_dir()
            for f in kind.glob("*.*") if f.suffix in (".ts", ".tsir", ".cmd", ".args") and not f.name.startswith("_")} \
        | {f"examples/{f.stem}" for f in (ROOT / "examples").glob("*.ts")}


def mentions(case, word):
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    folder = ROOT if case.startswith("examples/") else TESTS
    return any(pattern.search(f.read_text(errors="replace"))
               for f in (folder / f"{case}{ending}" for ending in (".ts", ".cmd", ".tsir")) if f.exists())


def matching(pattern, known):
    return {pattern} if "*" not in pattern else {c for c in known if pathlib.PurePath(c).match(pattern)}


def of_room(path, known):
    room = next((r for r in sorted(ROOMS, key=len, reverse=True) if path == r or path.startswith(r + "/")), None)
    word = re.sub(r"_main$", "", pathlib.PurePath(path).stem)
    for pattern in ROOMS.get(room, []):
        if "{}" not in pattern:
            yield from matching(pattern, known)
        else:
            all_of = matching(pattern.replace("{}", ""), known)
            yield from not (ROOT / path).is_dir() and {c for c in all_of if mentions(c, word)} or all_of


def needs(name, known, by_header, every_suite):
    path = str(pathlib.PurePath(name))
    found = set()
    stem = re.sub(r"\.\w+$", "", path)
    case = stem.removeprefix("tests/")
    if case.startswith("errors/") and case not in known:  # its name without its folder
        case = next((k for k in known if k.startswith("errors/") and k.endswith(case.removeprefix("errors"))), case)
    if case in known or (TESTS / case).is_dir() and any(k.startswith(case + "/") for k in known):
        found.add(("golden", case))
    if path in every_suite:
        found.add(("unit", path))
    if path.startswith("run-") and (TESTS / f"{path}.sh").exists():
        found.add(("script", f"tests/{path}.sh"))
    if (ROOT / path).exists():
        own = f"tests/unit/test_{pathlib.PurePath(stem).name}.c"
        headers = [h for h in by_header if h in (stem + ".h", path, own) or h.startswith(path + "/")]
        if not headers and path.endswith((".c", ".h")):  # that no test includes: what tests its room
            headers = [h for h in by_header if str(pathlib.PurePath(h).parent) == str(pathlib.PurePath(path).parent)]
        found |= {("unit", s) for h in headers for s in by_header[h]}
        found |= {("golden", c) for c in of_room(path, known)}
        found |= {("script", f"tests/{s}") for at, s in SCRIPTS.items() if path == at or path.startswith(at + "/")}
        found.add(("script", "tests/run-tree.sh"))
    return found


def check():
    """What the tables say of things that are not there, and what of the tree they do not say."""
    known = cases()
    rooms = re.findall(r"^\| `([a-z/]+)/` \|", (ROOT / "doc/architecture.md").read_text(), re.M)
    scripts = set(re.findall(r"tests/(run-[a-z]+\.sh)", "".join(re.findall(r"^TESTS \+= .*", (TESTS / "tests.mk").read_text(), re.M))))
    names = sorted(k.rpartition("/")[2] for k in known if k.startswith("errors/"))
    yield from (f"two cases of tests/errors are called {name}" for name, after in zip(names, names[1:]) if name == after)
    yield from (f"no row of ROOMS has the room {room}" for room in rooms if not any(f"{room}/".startswith(f"{at}/") for at in ROOMS))
    yield from (f"there is no {at}" for at in {*ROOMS, *SCRIPTS} if not (ROOT / at).exists())
    yield from (f"no case is {pattern}, of {at}" for at, of in ROOMS.items() for pattern in of
                if not any(c in known or (TESTS / c).is_dir() for c in matching(pattern.replace("{}", ""), known)))
    yield from (f"no row of SCRIPTS has {script}" for script in sorted(scripts - {*SCRIPTS.values(), "run-unit.sh", "run-golden.sh", "run-tree.sh"}))
    yield from (f"./dev test does not run {script}, of SCRIPTS" for script in sorted({*SCRIPTS.values()} - scripts))


def main(names):
    if names == ["--check"]:
        print("".join(f"tests/which.py: {line}\n" for line in check()), end="")
        return
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
