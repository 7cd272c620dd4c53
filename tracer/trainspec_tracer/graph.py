"""The execution graph of one rank: what doc/graph_json.md specifies."""
import gzip
import json
import os

FORMAT, VERSION = "trainspec-graph", 1


def write(graph, path, written=None):
    """A node a line. `written`: texts by the identity of items, for graphs that share them and live until all are written."""
    def line(item):
        text = written.get(id(item))
        if text is None:
            text = written[id(item)] = "  " + json.dumps(item)
        return text

    def lines(items):
        return ",\n".join(map(line, items))

    written = {} if written is None else written

    parts = []
    for key, value in graph.items():
        if key in ("groups", "streams", "nodes", "memory", "held", "tensors") and value:
            parts.append(f" {json.dumps(key)}: [\n{lines(value)}\n ]")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    text = ("{\n" + ",\n".join(parts) + "\n}\n").encode()
    if path.endswith(".gz"):
        text = gzip.compress(text, mtime=0)
    replace(path, text)


def replace(path, text):
    """Writes beside the file and renames, so that no half-written file is left."""
    try:
        with open(path + ".part", "wb") as file:
            file.write(text)
        os.replace(path + ".part", path)
    except OSError:
        if os.path.exists(path + ".part"):
            os.remove(path + ".part")
        raise


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
