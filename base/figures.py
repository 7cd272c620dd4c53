#!/usr/bin/env python3
"""Writes what schemas, manuals and docs say of the figures of a step, from figures.def. --check: says which are out of date instead."""
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
UNITS = {"COUNT": "", "SHARE": "0 to 1"}  # in docs, where the symbol does not say it


def rows(file, macro):
    for line in (ROOT / "base" / file).read_text().splitlines():
        if line.startswith(f"{macro}("):
            yield [word.strip('"') for word in re.findall(r'"[^"]*"|\{[^}]*\}|[^ ,"{}][^,"{}]*', line[len(macro) + 1:-1])]


unit_of = {id: (symbol, ending) for id, symbol, ending, *_ in rows("figure_units.def", "FIGURE_UNIT")}
figures = []
for _, name, unit, _better, _title, what, *_, places in rows("figures.def", "FIGURE"):
    symbol, ending = unit_of[unit]
    per_step = "per_step" in places
    member = name + ending + ("_per_step" if per_step else "")
    members = [member, ("energy_mwh" if unit == "ENERGY" else name + ending) + "_per_trillion_tokens"] if per_step else [member]
    figures.append({"name": name, "column": name + ending, "unit": UNITS.get(unit, symbol), "is": what,
                    "type": "integer" if unit == "COUNT" else "number",
                    "members": members if re.search(r"^.1|json", places) else []})

status = 0


def put(file, start, end, lines):
    """`lines` stand behind the first line that begins with `start`, before the next that begins with `end`."""
    global status
    path = ROOT / file
    text = path.read_text()
    old = text.splitlines()
    at = next(i for i, line in enumerate(old) if line.lstrip().startswith(start)) + 1
    till = next(i for i in range(at, len(old)) if old[i].lstrip().startswith(end) and (end or not old[i]))
    new = "\n".join(old[:at] + lines + old[till:]) + "\n"
    if "--check" not in sys.argv:
        path.write_text(new)
    elif new != text:
        print(f"{file} is out of date: base/figures.py writes it")
        status = 1


def schema(indent, members, unknown):
    return [f'{indent}{json.dumps(m)}: {json.dumps({"type": [kind, "null"], "minimum": 0, "description": text + unknown}, ensure_ascii=False)},'
            for m, kind, text in members]


put("share/schemas/report.json", '"step_time_ps"', '"samples_per_second"',
    schema("    ", [(m, f["type"], f["is"].replace("of a step", "of 10^12 tokens") if i else f["is"])
                    for f in figures for i, m in enumerate(f["members"])], "; null: unknown"))
put("share/schemas/report.json", '"change": {"type": "string"}', '"not_changed"',
    ['        "step_time_ps": {"$ref": "#/$defs/count"},'] +
    [f'        "{f["members"][0]}": {{"type": "number", "minimum": 0}},' for f in figures if len(f["members"]) > 1])
put("share/schemas/sweep.json", '"state"', '"lacks_bytes"',
    schema("          ", [(f["column"], f["type"], f["is"]) for f in figures], "; null: unknown, or not played"))
put("doc/reports.md", "| figure |", "", ["|---|---|---|---|"] + [
    f'| `{f["name"]}` | {f["unit"]} | {f["is"]} | `{f["column"]}` |' for f in figures])
names = [f["name"] for f in figures]
for page in "trainspec", "tsrun":
    put(f"doc/man/{page}.1", r".\" base/figures.py writes", ".", textwrap.wrap(", ".join(names[:-1]) + f" and {names[-1]}.", 98))
sys.exit(status)
