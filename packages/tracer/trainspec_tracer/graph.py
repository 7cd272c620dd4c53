"""The execution graph of one rank: what doc/graph_json.md specifies."""
import errno
import gzip
import json
import os

FORMAT, VERSION = "trainspec-graph", 1


def text_of(graph, written):
    """A node a line. `written`: texts by the identity of items, for graphs that share them and live until all are written."""
    def line(item):
        text = written.get(id(item))
        if text is None:
            text = written[id(item)] = "  " + json.dumps(item)
        return text

    def lines(items):
        return ",\n".join(map(line, items))

    parts = []
    for key, value in graph.items():
        if key in ("groups", "streams", "nodes", "memory", "held", "tensors") and value:
            parts.append(f" {json.dumps(key)}: [\n{lines(value)}\n ]")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def write(graphs, path):
    """Those of all ranks, or none: `path` names that of a graph. Files that were there stay where one cannot be written."""
    written = {}

    def files():
        for graph in graphs:
            name, text = path(graph), text_of(graph, written)
            yield name, gzip.compress(text, mtime=0) if name.endswith(".gz") else text

    replace(files())


def replace(files):
    """Writes (path, bytes) beside their places, then renames: all of them are new, or all are as they were."""
    made, placed = [], []
    try:
        for path, text in files:
            made.append(path)
            with open(path + ".part", "wb") as file:
                file.write(text)
        for path in made:
            kept = os.path.lexists(path)
            if kept and os.path.isdir(path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            if kept and len(made) > 1:  # one alone is replaced at once
                os.replace(path, path + ".part.old")
            placed.append((path, kept))
            os.replace(path + ".part", path)
    except BaseException:
        for path, kept in reversed(placed):
            if kept and os.path.lexists(path + ".part.old"):
                os.replace(path + ".part.old", path)
            elif not kept:
                remove(path)
        for path in made:
            remove(path + ".part")
        raise
    for path, kept in placed:
        remove(path + ".part.old")


def remove(path):
    try:
        os.remove(path)
    except OSError:
        pass


def read(path):
    with open(path, "rb") as file:
        text = file.read()
    graph = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
    if graph.get("format") != FORMAT or graph.get("version") != VERSION:
        raise ValueError(f"{path}: not an execution graph of version {VERSION}")
    return graph


MEASURED = ("ns",)  # differs from run to run


def difference(a, b, fields=None):
    """The first place where two graphs differ, in words; None: they are equal, op by op. Times are left out."""
    def plain(node):
        return {k: v for k, v in node.items() if k not in MEASURED and (fields is None or k in fields)}

    for key in ("rank", "world", "groups", "streams"):
        if a[key] != b[key]:
            return f"{key}: {a[key]} and {b[key]}"
    for x, y in zip(a["nodes"], b["nodes"]):
        if plain(x) != plain(y):
            return f"node {x['id']}:\n  {json.dumps(plain(x))}\n  {json.dumps(plain(y))}"
    if len(a["nodes"]) != len(b["nodes"]):
        return f"{len(a['nodes'])} and {len(b['nodes'])} nodes"
    return None
