"""Reads what nccl-tests (all_reduce_perf and its like) prints, and our own sweep in the same form."""
import math
import re

from .points import COLLECTIVES

NAMES = {name: name for name in COLLECTIVES} | {"alltoall": "all_to_all", "sendrecv": "message", "reduce": "reduce"}


def wrong(path, at, text):
    return ValueError(f"{path}: line {at}: {text}")


def read(text, path):
    """Rows of a log: those of several runs in one log belong to the ranks above them. Times out of place and in place are averaged, as `trainspec fit network` has them."""
    rows, hosts, ranks, name, times, wide, said = [], set(), 0, None, [], 0, {}
    lines = text.split("\n")
    if lines[-1]:
        raise wrong(path, len(lines), "the log is cut off within a line")
    for at, line in enumerate(lines, 1):
        fields = line.split()
        for variable, value in re.findall(r"\bNCCL_(PROTO|ALGO)=(\w+)", line):
            said[variable] = value.lower()
        found = re.search(r"\b([a-z_]+)_perf\b", line)
        if found:
            if found.group(1) not in NAMES:
                raise wrong(path, at, f"`{found.group(1)}_perf` is no collective that is known: {', '.join(NAMES)}")
            name = NAMES[found.group(1)]
        if line.startswith("#") and "nThread" in line:
            hosts, ranks, times = set(), 0, []
        device = re.match(r"#\s+Rank\s+\d+\b.*\bon\s+(\S+)\s+device\b", line)
        if device:
            hosts.add(device.group(1))
            ranks += 1
        elif re.match(r"#\s*size\b", line):
            head = fields[1:] if fields[0] == "#" else ["size"] + fields[1:]
            times, wide = [i for i, f in enumerate(head) if f == "time"], len(head)
        elif fields and fields[0].isdigit() and len(fields) > 4 and times:
            if len(fields) != wide:
                raise wrong(path, at, f"{len(fields)} columns, and {wide} in the header: cut off, or of two programs at once")
            if not name or ranks < 2:
                raise wrong(path, at, "the log does not say above which collective it is (`all_reduce_perf`) and of which ranks (`#  Rank  0 ...`)")
            try:
                spent = [float(fields[i]) for i in times]
            except ValueError:
                raise wrong(path, at, "the time is no number") from None
            if any(i + 3 < wide and fields[i + 3] not in ("0", "0e+00", "N/A") for i in times):
                raise wrong(path, at, "the test found wrong results: times of a broken run")
            if not all(math.isfinite(t) and t >= 0 for t in spent):
                raise wrong(path, at, "the time is no number of microseconds")
            mean = sum(spent) / len(spent)
            if int(fields[0]) and mean > 0:
                rows.append({"collective": name, "ranks": ranks, "islands": len(hosts), "bytes": int(fields[0]), "time_us": round(mean, 3),
                             "algorithm": said.get("ALGO", ""), "protocol": said.get("PROTO", "")})
    if not rows:
        raise ValueError(f"{path}: no times of nccl-tests: no line `# size count type ...` with rows below")
    return rows
