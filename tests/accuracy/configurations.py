#!/usr/bin/env python3
"""configurations.py TSC DATA: parameters of real config.json files as std.import.hf counts them, beside
what is published (DATA/configs/huggingface, DATA/configs/index.csv). 1 where a count that is exact is not
met, or a total that is rounded is not within its rounding; published rounded counts of active ones are only
shown. Files that are refused are listed with the reason. ./dev accuracy configurations"""
import csv
import json
import os
import re
import subprocess
import sys

PLAN = '''import std.import.hf, std.clusters.dgx
plan counted(file: String, met: Bool = false, text: Bool = false) {
  model = hf(file, seq: 256, met: met, text: text)
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
}
'''


def parameters(tsc, file, met, text=False):
    """(count, what was said); no count where the file is refused"""
    run = subprocess.run([tsc, "-S", "-o", "-", "-D", "file=" + json.dumps(file), "-D", f"met={met}",
                          "-D", f"text={str(text).lower()}", "-"],
                         input=PLAN, capture_output=True, text=True)
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


def main():
    tsc, data = sys.argv[1], os.path.join(sys.argv[2], "configs")
    if not os.path.isdir(os.path.join(data, "huggingface")):
        print(f"configurations: skipped, there is no {data}/huggingface")
        return 0
    with open(os.path.join(data, "index.csv"), newline="") as index:
        rows = {r["file"]: r for r in csv.DictReader(index) if r["framework"] == "huggingface"}
    counts, off = {}, False
    print(f"{'configuration':44} {'parameters':>17} {'':22} {'active':>15}")
    for name in sorted(os.listdir(os.path.join(data, "huggingface"))):
        row = rows.get("huggingface/" + name, {})
        file = os.path.abspath(os.path.join(data, "huggingface", name))
        with open(file) as config:
            text = "text_config" in json.load(config)  # towers are refused: the model of words alone
        total, said = parameters(tsc, file, "false", text)
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
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
