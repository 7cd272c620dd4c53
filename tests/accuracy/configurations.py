#!/usr/bin/env python3
"""configurations.py TSC DATA [--meta PYTHON]: parameters of real config.json files as std.import.hf counts them, beside
what is published (DATA/configs/huggingface, DATA/configs/index.csv). 1 where a count that is exact is not
met, or a total that is rounded is not within its rounding; published rounded counts of active ones are only
shown. Files that are refused are listed with the reason. Before: how many configurations of std.import.hf_names were
checked. ./dev accuracy configurations
With a PYTHON that has transformers, its own models on the meta device (meta_models.py) are a second reference: of
these files, and of what the class of each type that std.import.hf knows has where a file says nothing. Parameters
must be the same; products of weights in a forward are compared where the model runs on that device."""
import csv
import decimal
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

PLAN = '''import std.import.hf, std.clusters.dgx
plan counted(file: String, met: Bool = false, text: Bool = false, seq: Int = 256) {
  model = hf(file, seq: seq, met: met, text: text)
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
}
'''

PICTURES = ("clip", "dinov2", "dinov2_with_registers", "vit")

HERE = os.path.dirname(os.path.abspath(__file__))


def compiled(tsc, file, met, text, seq=0):
    with open(file) as opened:
        config = json.load(opened)
    pictures = config.get("model_type", "") in PICTURES  # as many words as patches
    seq = seq or (0 if pictures else 16384 if "text_config" in config and not text else 256)  # pictures are many words
    return subprocess.run([tsc, "-S", "-o", "-", "-D", "file=" + json.dumps(file), "-D", f"met={met}",
                           "-D", f"text={str(text).lower()}", "-D", f"seq={seq}", "-"],
                          input=PLAN, capture_output=True, text=True)


def parameters(tsc, file, met, text=False):
    """(count, what was said); no count where the file is refused"""
    run = compiled(tsc, file, met, text)
    found = re.search(r"^ *parameters +(\d+)", run.stdout, re.M)
    reasons = re.findall(r"\^+ (.*)", run.stderr) + re.findall(r"note: `unknown` is (.*)", run.stderr)
    said = "; ".join(r.split("; known are")[0] for r in reasons if r != "with these arguments")
    return (int(found[1]) if found and run.returncode == 0 else None), said or run.stderr[:200]


def published(text):
    """total and active of "230B, 10B active", each (number, half a unit of its last digit)"""
    total = active = None
    for part in text.split(","):
        for digits, unit in re.findall(r"([\d.]+) ?([BTM])\b", part):
            scale = {"M": 1e6, "B": 1e9, "T": 1e12}[unit]
            step = 10 ** -len(digits.partition(".")[2]) if "." in digits else 10 ** (len(digits) - len(digits.rstrip("0")))
            figure = float(digits) * scale, step * scale / 2
            if "active" in part:
                active = active or figure
            else:
                total = total or figure
            break
    return total, active


def verdict(found, exact, rounded):
    if found is None:
        return "refused"
    if exact:
        return "exact" if found == exact else f"OFF by {found - exact:+,}"
    if rounded:
        return "rounded" if abs(found - rounded[0]) <= rounded[1] * 1.0001 else f"OFF: published {rounded[0]:.4g}"
    return "no figure"


def products(tsc, file):
    """forward FLOPs of 256 words whose work does not grow with the square of the words: those of weights. A step does
    them three times."""
    def flops(seq):
        found = re.search(r"^ *model_flops ([\d.]+) ([kMGTPE]?)FLOP", compiled(tsc, file, "false", False, seq).stdout, re.M)
        return int(decimal.Decimal(found[1]) * 1000 ** " kMGTPE".index(found[2] or " ")) // 3

    one, two = flops(1), flops(2)
    return 256 * (one - (two - 2 * one) // 2)


def seen(file):
    with open(file) as config:
        return "vision_config" in json.load(config)


def known_types():
    """every `model_type` of std.import.hf"""
    text = "".join(open(f).read() for f in sorted(glob.glob("stdlib/import/hf*.ts")))
    return sorted({word for names in re.findall(r'types: "([^"]*)"', text) for word in names.split()})


def same_as_meta(tsc, python, files, folder):
    """lists what differs from transformers' own models; whether nothing does"""
    here = os.path.join(HERE, "meta_models.py")
    asked = [a for kind in known_types() for a in ("--default", kind, folder)]
    kinds, good = {}, True
    for arguments in (asked, files):
        run = subprocess.run([python, here, *arguments], capture_output=True, text=True)
        for record in map(json.loads, run.stdout.splitlines()):
            file, theirs = record.get("file"), record.get("parameters")
            if not theirs:
                kind, said = "not built", record["reason"]
            else:
                (ours, said), words = parameters(tsc, file, "false"), False
                if record["words"] and not seen(file):  # transformers gives it a tower, of which the file says nothing
                    words, theirs = True, record["words"]
                if ours is None and record["words"]:
                    (ours, said), words, theirs = parameters(tsc, file, "false", True), True, record["words"]
                if ours is None:
                    kind = "refused"
                elif ours != theirs:
                    kind, said, good = "OFF", f"{ours - theirs:+,} of {theirs:,}", False
                elif record["products"] and products(tsc, file) != record["products"]:
                    kind, said = "parameters alone", f"products {products(tsc, file) / record['products'] - 1:+.3%}"
                else:
                    kind = "same, words alone" if words else "same" if record["products"] else "same parameters"
            kinds[kind] = kinds.get(kind, 0) + 1
            print(f"{os.path.basename(record['name'])[:43]:44} {theirs or '-':>17} {kind:17} {said}", flush=True)
        if run.returncode:
            print(f"meta_models.py ended with {run.returncode}: {run.stderr[-400:]}")
            good = False
    print("on the meta device:", ", ".join(f"{n} {what}" for what, n in sorted(kinds.items())))
    return good


def checked():
    """how many configurations of std.import.hf_names are as a public copy has them"""
    with open(os.path.join(HERE, "../../stdlib/import/published.json")) as file:
        models = json.load(file)["models"]
    sources = sorted(m["from"] for m in models if m["from"] != "memory")
    print(f"std/import/published.json: {len(sources)} of {len(models)} as a public copy has them, the others from memory")
    for source in sorted(set(sources)):
        print(f"    {sources.count(source):3} {source}")


def main():
    checked()
    tsc, data = sys.argv[1], os.path.join(sys.argv[2], "configs")
    if not os.path.isdir(os.path.join(data, "huggingface")):
        print(f"configurations: skipped, there is no {data}/huggingface")
        return 0
    with open(os.path.join(data, "index.csv"), newline="") as index:
        rows = {r["file"]: r for r in csv.DictReader(index) if r["framework"] == "huggingface"}
    python = sys.argv[sys.argv.index("--meta") + 1] if "--meta" in sys.argv[:-1] else None
    counts, off = {}, False
    print(f"{'configuration':44} {'parameters':>17} {'':22} {'active':>15}")
    for name in sorted(os.listdir(os.path.join(data, "huggingface"))):
        row = rows.get("huggingface/" + name, {})
        file = os.path.abspath(os.path.join(data, "huggingface", name))
        with open(file) as config:
            text = "text_config" in json.load(config)
        total, said = parameters(tsc, file, "false")
        if text and total is None:  # its tower is refused: the model of words alone
            total, said = parameters(tsc, file, "false", True)
        else:
            text = False
        active = parameters(tsc, file, "true", text)[0] if total else None
        said = said or ("of words alone" if text and total else "")
        rounded = published(row.get("params_public") or "")
        judged = verdict(total, int(row.get("params_counted") or 0), rounded[0])
        judged_active = verdict(active, int(row.get("active_counted") or 0), rounded[1])
        kind = ("off" if "OFF" in judged else judged) + (", of words alone" if text and total else "")
        counts[kind] = counts.get(kind, 0) + 1
        off = off or "OFF" in judged or (row.get("active_counted") and "OFF" in judged_active)
        print(f"{name[:-5]:44} {total or '-':>17} {judged:22} {active or '-':>15} {'' if total is None else judged_active}")
        if said:
            print(f"    {said}")
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())), f"of {sum(counts.values())}")
    if python and subprocess.run([python, "-c", "import torch, transformers"], capture_output=True).returncode:
        print(f"the meta device: skipped, {python} has no torch with transformers")
    elif python:
        files = [os.path.join(data, "huggingface", n) for n in sorted(os.listdir(os.path.join(data, "huggingface")))]
        with tempfile.TemporaryDirectory() as folder:
            off = not same_as_meta(tsc, python, files, folder) or off
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
