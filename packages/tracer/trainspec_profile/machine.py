"""Fits curves to what was measured and writes the machine as a file of the language, by the commands that are there for it: trainspec fit ops, fit network, fit slowdown."""
import os
import re
import shutil
import subprocess

from .points import flops
from .tables import Refused, replace

MODELS = {"gemm": "gemm", "attention": "attention", "elementwise": "stream"}
LEAST = 6  # rows of a family, fewer say too little for a curve
TEXT = """language 1
// {device}, measured by `trainspec profile`: {rows} rows. {rates}
import std.costs.sources

gpu {name} source "trainspec profile" {{ called = ["{called}"], memory = {memory} MiB, bandwidth = {bandwidth:.4g} GB/s, peak = {{ {peak} }} }}
cluster cluster_{name}(devices: Int) {{
  device device[devices]: {name}
  switch bus[1]
  link device[*] <-> bus[0] {{ bandwidth = {link:.4g} GB/s, latency = {latency:.3g} us }}
}}
let costs_{name} = [{costs}, roofline({name})]
let network_{name} = [{network}]
"""


def fitted(folder, arguments, out, say):
    """Whether trainspec made the file; it says why not."""
    program = os.environ.get("TRAINSPEC") or shutil.which("trainspec")
    if not program:
        raise Refused("no program `trainspec` on the PATH, which makes the fits")
    done = subprocess.run([program, "fit", *arguments, "-o", out], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        say(f"no {out}: {(done.stderr.strip().split(chr(10)) or [''])[0]}")
    elif done.stdout.strip():
        print(done.stdout.rstrip())
    return done.returncode == 0


def rates(rows):
    """(FLOP/s by format, bytes/s): the greatest of products, and that of the largest tensors, which no cache holds."""
    peak = {}
    for row in rows:
        if row["family"] == "gemm":
            peak[row["dtype"]] = max(peak.get(row["dtype"], 0), flops(row) / row["time_us"] * 1e6)
    streams = sorted((r for r in rows if r["family"] == "elementwise" and r.get("operator") == "add"), key=lambda r: r["bytes"]) or [r for r in rows if r["family"] == "elementwise"]
    return peak, streams[-1]["bytes"] / streams[-1]["time_us"] * 1e6 if streams else 0


def write(folder, name, say):
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise Refused(f"`{name}` is no name: letters, digits and _")
    kernels, calls = folder.rows["kernels"], folder.rows["collectives"]
    peak, bandwidth = rates(kernels)
    if not peak or not bandwidth:
        raise Refused(f"{folder.path} has no products or no elementwise kernels yet: `trainspec profile {folder.path}` measures them")
    costs = []
    for family, model in MODELS.items():
        if sum(r["family"] == family for r in kernels) >= LEAST:
            out = f"{family}.fit.json"
            if fitted(folder.path, ["ops", "kernels.csv", "--device", name, "--units", "1", "--keep", "1", "--family", family, "--model", model], out, say):
                costs.append(f'fit("{out}")')
                costs += [f'like(fit("{out}"), family: "attention_backward", as: "attention", by: 2.5)'] if family == "attention" else []
    costs = costs or ['table("kernels.csv")']
    network = ['measured(table "collectives.csv")'] if calls else []
    if len(calls) >= LEAST and fitted(folder.path, ["network", "--model", "statistical", "collectives.csv"], "curves.json", say):
        network.append('statistical("curves.json")')
    network.append("alpha_beta()")
    if len(folder.rows["overlap"]) >= LEAST:
        fitted(folder.path, ["slowdown", "overlap.csv"], "slowdown.json", say)
    reduced = max((r for r in calls if r["collective"] == "all_reduce"), key=lambda r: r["bytes"], default=None)
    link = reduced["bytes"] / reduced["time_us"] * 1e6 if reduced else bandwidth
    text = TEXT.format(device=folder.device, called=re.sub(r'["\\\\]', "", folder.device), rows=folder.count(), name=name, memory=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20, bandwidth=bandwidth / 1e9,
                       peak=", ".join(f"{k}: {v / 1e9:.4g} GFLOP/s" for k, v in sorted(peak.items())), link=link / 1e9,
                       latency=min((r["time_us"] for r in calls), default=10), costs=", ".join(costs), network=", ".join(network),
                       rates="Rates are the best that were measured; a data sheet's say more.")
    path = os.path.join(folder.path, "machine.trainspec")
    replace(path, text)
    say(f"{path}: gpu {name}, cluster_{name}, costs_{name}, network_{name}")
    return 0
