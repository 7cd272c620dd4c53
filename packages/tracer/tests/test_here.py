"""The comparison of predicted with run steps of this machine (`./dev accuracy here`): that it works, not what it finds."""
import csv
import os
import pathlib
import subprocess
import tempfile
import unittest

from test_tracer import LIMIT, PYTHON, ROOT, Folder, read, tracer

HERE = ROOT.parents[1] / "tests" / "accuracy" / "here" / "here.py"


@unittest.skipUnless(os.environ.get("TRAINSPEC"), "TRAINSPEC does not name the program")
class Here(unittest.TestCase):
    def run_here(self, *arguments):
        build = pathlib.Path(os.environ["TRAINSPEC"]).parent
        return subprocess.run([PYTHON, str(HERE), "--build", str(build), *arguments], capture_output=True, text=True, timeout=LIMIT)

    def test_here_predicts_and_runs(self):
        with tempfile.TemporaryDirectory(prefix="trainspec-tracer.") as folder:
            table = pathlib.Path(folder) / "here.csv"
            done = self.run_here("--small", "--repeats", "1", "--out", str(table), "gpt.tensor.1", "gpt.pipeline.4")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(table, newline="") as rows:
                found = {row["case"]: row for row in csv.DictReader(rows)}
        self.assertEqual(set(found), {"gpt.tensor.1", "gpt.pipeline.4"})
        for row in found.values():
            self.assertGreater(float(row["measured_s"]), 0)
            self.assertGreater(float(row["predicted_s"]), 0)
            self.assertAlmostEqual(float(row["error"]), float(row["predicted_s"]) / float(row["measured_s"]) - 1)
        self.assertGreater(float(found["gpt.tensor.1"]["exposed"]), 0)  # of tensor parallelism nothing is hidden
        self.assertIn("2 steps: mean", done.stdout)

    def test_here_knows_its_cases(self):
        self.assertEqual(self.run_here("gpt.backwards.1").returncode, 2)


class NestedOptimizers(Folder):
    def test_a_step_ends_with_the_outer_optimizer(self):
        """ZeroRedundancyOptimizer steps another optimizer inside its own step, and sends parameters after it."""
        done = tracer("--world", "2", "--ranks", "0", "-o", str(self.folder / "zero.{rank}.json"), "--", PYTHON, str(HERE.parent / "train.py"), "--model", "cnn", "--how", "zero", "--batch", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({n["phase"] for n in read(self.folder, "zero", 0)["nodes"]}, {"forward", "backward", "optimizer"})
