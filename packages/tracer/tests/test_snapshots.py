"""What a rank holds around its modules, worked out by hand."""
import csv
import io
import contextlib
import json
import pathlib
import tempfile
import unittest

from test_tracer import ROOT  # noqa: F401  (finds the tracer)
from trainspec_tracer import cli, snapshots


def node(phase, module):
    return {"phase": phase, "module": module}


# Two layers a and a.b, forward and backward, a's forward computed again, then a second pass of b alone.
GRAPH = {
    "nodes": [node("forward", "a"), node("forward", "a.b"), node("recompute", "a"), node("backward", "a.b"), node("backward", "a"), node("forward", "a.b")],
    "held": [{"category": "parameters", "bytes": 100}],
    "memory": [{"node": 0, "bytes": 10, "category": "activations"}, {"node": 1, "bytes": 7, "category": "temporaries"}, {"node": 1, "bytes": -7, "category": "temporaries"},
               {"node": 1, "bytes": 5, "category": "activations"}, {"node": 2, "bytes": 3, "category": "recompute"}, {"node": 3, "bytes": 20, "category": "gradients"},
               {"node": 3, "bytes": -5, "category": "activations"}, {"node": 4, "bytes": -10, "category": "activations"}, {"node": 4, "bytes": -3, "category": "recompute"}],
}


class Snapshots(unittest.TestCase):
    def test_states(self):
        """Frees of a node come behind all that it allocates."""
        found = {(module, number, state): sum(held) for module, number, state, held in snapshots.rows(GRAPH)}
        self.assertEqual({state: held for (module, number, state), held in found.items() if (module, number) == ("a", 1)}, {
            "before forward": 100, "after forward": 115, "peak in forward": 122, "before recompute": 115, "after recompute": 118,
            "before backward": 118, "after backward": 120, "peak in backward": 138})
        self.assertEqual({state: held for (module, number, state), held in found.items() if (module, number) == ("a.b", 1)}, {
            "before forward": 110, "after forward": 115, "peak in forward": 122, "before backward": 118, "after backward": 133, "peak in backward": 138})
        self.assertEqual(found["a.b", 2, "before forward"], 120)

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "graph.json"
            path.write_text(json.dumps(dict(GRAPH, format="trainspec-graph", version=1)))
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(cli.main(["snapshots", str(path)]), cli.DONE)
            table = list(csv.DictReader(io.StringIO(out.getvalue())))
            self.assertEqual([row["bytes"] for row in table if row["module"] == "a" and row["state"] == "peak in backward"], ["138"])
            path.write_text(json.dumps({"format": "trainspec-graph", "version": 1, "nodes": [], "held": [], "memory": []}))
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(cli.main(["snapshots", str(path)]), cli.FAILED)
            self.assertIn("no node says for which module it works", said.getvalue())
