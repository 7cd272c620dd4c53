"""Every JSON output of the programs, against its schema in share/schemas.

The check is strict: a member that the schema does not name is an error, so that a new one is
described when it is added. (Readers take unknown members: the schemas leave objects open.)
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "share" / "schemas"
ENGINE, CLI, TRACES, EXAMPLES = (ROOT / name for name in ("tests/engine", "tests/cli", "tests/traces", "examples"))
MACHINE = "--machine 400T:3T:450G:5us"

# (schema, exit code, command); {OUT} is an empty folder, and a command that names a file there is judged by the file.
COMMANDS = [
    ("report", 0, f"tsrun --format=json {EXAMPLES}/gpt3_175b.ts"),
    ("report", 0, f"tsrun --format=json {EXAMPLES}/gpt2_large.ts"),
    ("report", 3, f"tsrun --format=json -o {{OUT}}/ways.json {CLI}/_crowded.ts"),
    ("report", 3, f"tsrun --format=json -o {{OUT}}/none.json -D 'memory=0.7 GiB' {CLI}/_crowded.ts"),
    *[("report", 0, f"tsrun --format=json {options} {ENGINE}/{name}.tsir") for options, name in (
        ("--ignore-memory", "report_out_of_memory"),
        ("--by module --blame --steps 3", "report_pipeline"),
        ("--by layer", "report_pipeline"),
        ("--overlap constant:2:1.25", "semantics_overlap"),
        ("--fail-at 17h,3h --restart 10min --checkpoint 30s --checkpoint-every 100000", "straggler"),
        ("--repeat 20 --jitter lognormal:2% --mtbf 20d --restart 5min --checkpoint 30s --blame", "straggler"),
        ("--allocator caching:streams:channels=8", "allocator"),
        ("--what-if 'wire.bandwidth*2' --sensitivity", "what_if"),
        (f"--diff {ENGINE}/straggler.tsir", "two_stages"),
        ("--contention", "contention"),
        ("--assert 'step_time < 1 s' --assert 'devices >= 1'", "two_stages"),
        ("", "network_use"))],
    ("diff", 0, f"trainspec diff --format=json {CLI}/_plan.ts {CLI}/_plan.ts"),
    ("diff", 1, f"trainspec diff --format=json {EXAMPLES}/gpt2_large.ts {CLI}/_plan.ts"),
    ("lock", 0, f"trainspec lock -o {{OUT}}/plan.lock -D dp=1 {CLI}/_plan.ts"),
    ("sweep", 0, f"trainspec sweep --format=json --search all {CLI}/_sweep.ts"),
    ("sweep", 0, f"trainspec sweep --format=json --vary 'tp=[1, 2, 16]' --set 'dp=1' --set 'pp=4' {CLI}/_sweep.ts"),
    ("journal", 0, f"trainspec sweep --search all --journal {{OUT}}/j.db {CLI}/_sweep.ts >sweep.txt && "
                   "trainspec sweep status --format=json {OUT}/j.db"),
    ("live", 0, "trainspec sweep status --serve 0 {OUT}/j.db >url & "
                "until [ -s url ]; do sleep 0.1; done; "
                "python3 -c 'import sys, urllib.request as u; "
                "print(u.build_opener(u.ProxyHandler({})).open(sys.stdin.read().strip() + \"status.json\").read().decode())' <url; kill $!"),
    ("live", 0, f"tsrun --serve 0 --threads 1 --overlap=physical -D pp=16 -D global=24576 {EXAMPLES}/gpt3_175b.ts 2>url >/dev/null & "
                "until [ -s url ]; do sleep 0.1; done; "
                "python3 -c 'import json, sys, urllib.request as u\n"
                "at = sys.stdin.read().split()[1] + \"status.json\"\nseen = {}\n"
                "while not seen.get(\"lanes\"): seen = json.load(u.build_opener(u.ProxyHandler({})).open(at))\n"
                "print(json.dumps(seen))' <url; kill $!"),
    ("schedule", 0, f"trainspec schedule --format=json --budget=500 {EXAMPLES}/my_schedule.ts"),
    ("schedule", 0, f"trainspec schedule --format=json --budget=500 --memory=own {EXAMPLES}/schedule_lab.ts"),
    ("compare", 3, f"trainspec compare --format=json --step 1ms --memory '600 MiB' {CLI}/_plan.ts"),
    ("compare", 3, f"trainspec compare --format=json {CLI}/_plan.ts {TRACES}/_small.json"),
    ("log", 0, "for i in 1 2 3; do echo \"completed step: $i, seconds: 0.5$i, loss: nan\"; done >train.log && "
               "trainspec log --format=json train.log"),
    ("calibrate", 0, f"trainspec calibrate --format=json {CLI}/_calibrate.ts {{OUT}}/measured.csv"),
    ("calibration", 0, f"trainspec calibrate -o {{OUT}}/fitted.json {CLI}/_calibrate.ts {{OUT}}/measured.csv"),
    ("report", 0, f"sed 's|^  host = |  calibration = calibrated(\"fitted.json\")\\n&|' {CLI}/_calibrate.ts >plan.ts && "
                  "tsrun --format=json plan.ts"),
    ("trace", 0, f"trainspec trace --format=json {TRACES}/_small.json {TRACES}/_execution.json"),
    ("trace", 0, f"trainspec trace --format=json {TRACES}/_small.json {TRACES}/_small_1.json"),
    ("trace", 0, f"trainspec trace --format=json --diff {TRACES}/_small.json {TRACES}/_small_1.json"),
    ("trace", 0, f"trainspec trace --format=json --against {ENGINE}/two_stages.tsir {TRACES}/_snapshot.json"),
    ("trace", 0, f"trainspec trace --format=json --by=module {TRACES}/_layers.json {TRACES}/_timed.json.gz"),
    ("trace", 0, f"trainspec trace --format=json {TRACES}/_graph_0.json {TRACES}/_graph_1.json"),
    ("replay", 0, f"trainspec replay --format=json {TRACES}/_small.json"),
    ("replay", 0, f"trainspec replay --format=json {MACHINE} {TRACES}/_graph_0.json {TRACES}/_graph_1.json"),
    ("replay", 0, f"trainspec replay --format=json {MACHINE} {TRACES}/_schedule.goal"),
    ("replay", 0, f"trainspec replay --format=json --step 1 {MACHINE} {TRACES}/_aicb_stages.csv"),
    ("topology", 0, f"trainspec topo --format=json -D 'cluster=dgx_h100(nodes: 1)' {CLI}/_topology.ts"),
    ("list", 0, f"trainspec list schedules --format=json {CLI}/_discover.ts"),
    ("diagnostics", 1, f"tsc --check --diagnostics=json -D tp=3 {EXAMPLES}/gpt3_175b.ts"),
    ("diagnostics", 1, f"tsc --check --diagnostics=json {ROOT}/tests/errors/name/name-unknown-argument.ts"),
    ("diagnostics", 3, f"tsrun --diagnostics=json {ENGINE}/report_out_of_memory.tsir"),
    ("fit", 0, f"trainspec fit ops {{OUT}}/rows.csv --family grouped_gemm --model gemm --device a --units 108 --keep 0.5 -o {{OUT}}/a.fit.json"),
    ("network", 0, "trainspec fit network --hardware std/networks/nccl_hopper.json --intra 450 -o {OUT}/net.json "
                   f"{CLI}/_all_reduce.log"),
    ("graph", 0, f"trainspec export --format=graph -o {{OUT}}/g {TRACES}/_graph_0.json {TRACES}/_graph_1.json"),
]
WRITES = {"calibration": "fitted.json", "fit": "a.fit.json", "network": "net.json", "graph": "g.0.json", "lock": "plan.lock"}
MEASURED = ("tp,dp,pp,micro,seq,hidden,step_s,memory,group\n1,1,1,1,512,1024,0.02,9e9,a\n"
            "2,2,1,1,512,1024,0.03,9e9,a\n1,2,1,4,1024,4096,0.5,2e10,b\n2,1,1,8,1024,8192,1.5,3e10,b\n")
ROWS = "family,dtype,count,k,n,m,time_us\n" + "".join(
    f"grouped_gemm,bf16,{c},1024,{n},{m},{5 + 2 * c * m * n * 1024 / 4e8:.2f}\n"
    for c in (2, 4, 8) for m in (64, 128, 256, 512, 1024) for n in (512, 1024, 2048))

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_a(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and (
            name == "number" or value == int(value))
    return isinstance(value, TYPES[name])


def wrong(value, schema, root, at="$", strict=True):
    """What is wrong with a value, by the keywords that our schemas use; None: nothing."""
    unknown = set(schema) - {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum",
                             "properties", "required", "additionalProperties", "items", "oneOf", "minimum",
                             "maximum", "pattern"}
    assert not unknown, f"the check does not know {unknown}"
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "oneOf" in schema:
        found = [wrong(value, one, root, at, strict) for one in schema["oneOf"]]
        if found.count(None) != 1:
            return f"{at}: {found.count(None)} of oneOf fit: {[f for f in found if f]}"
        return None
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(value, kind) for kind in kinds):
        return f"{at}: {value!r} is no {' or '.join(kinds)}"
    if "const" in schema and value != schema["const"]:
        return f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is none of {schema['enum']}"
    if is_a(value, "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            return f"{at}: {value} is out of range"
    if isinstance(value, list):
        for i, element in enumerate(value):
            found = wrong(element, schema.get("items", {}), root, f"{at}[{i}]", strict)
            if found:
                return found
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                return f"{at}: there is no {name}"
        for name, member in value.items():
            of = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if of is None:
                if strict and "properties" in schema:
                    return f"{at}.{name} is not in the schema"
                continue
            found = wrong(member, of, root, f"{at}.{name}", strict)
            if found:
                return found
    return None


def outputs(folder):
    """(schema, command, documents) of all commands."""
    (pathlib.Path(folder) / "measured.csv").write_text(MEASURED)
    (pathlib.Path(folder) / "rows.csv").write_text(ROWS)
    for schema, code, command in COMMANDS:
        command = command.replace("{OUT}", folder)
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
        assert done.returncode == code, f"{command}: exit {done.returncode}\n{done.stderr}"
        if schema == "diagnostics":
            text, documents = done.stderr, [json.loads(line) for line in done.stderr.splitlines()]
        else:
            name = WRITES.get(schema) or (command.split("-o ")[1].split()[0] if " -o " in command else None)
            text = (pathlib.Path(folder) / name).read_text() if name else done.stdout
            documents = [json.loads(text)]
        assert text.strip(), command
        yield schema, command, documents


class Schemas(unittest.TestCase):
    def test_outputs(self):
        seen = set()
        schemas = {path.stem: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
        with tempfile.TemporaryDirectory() as folder:
            for name, command, documents in outputs(folder):
                seen.add(name)
                for document in documents:
                    self.assertIsNone(wrong(document, schemas[name], schemas[name]), command)
        self.assertEqual(seen, set(schemas), "each schema is tested")

    def test_schemas(self):
        """Each says what it is of, describes all members, and can fail."""
        for path in sorted(SCHEMAS.glob("*.json")):
            schema = json.loads(path.read_text())
            self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
            self.assertTrue(schema["title"] and schema["description"], path)
            self.assertIsNotNone(wrong({}, schema, schema), path)
            self.assertIn(f"schemas/{path.name}", (ROOT / "doc" / "json.md").read_text())
            try:
                import jsonschema
            except ImportError:
                continue
            jsonschema.Draft202012Validator.check_schema(schema)


if __name__ == "__main__":
    unittest.main()
