"""DeepSpeed itself on the stand-in for cuda, and std.strategies.deepspeed beside it: the same calls of the same bytes in the same order. DEEPSPEED names a folder with microsoft/DeepSpeed, if it is not installed."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import unittest

import torch

from test_tracer import LIMIT, PYTHON, SCRIPTS, Folder, environment, most_held, read

RECENT = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 6)
FOLDER = os.environ.get("DEEPSPEED")
THERE = bool(FOLDER) or importlib.util.find_spec("deepspeed") is not None
PROGRAM = os.environ.get("TRAINSPEC")
SIZES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
NORM = 8  # bytes of the norm of gradients, and of whether they are finite, which all ranks learn


def planned(use, micro_batches):
    """Calls of a step in the plan that mirrors the script: (collective, bytes). A step begins where the optimizer's last one ended, as in a graph of the tracer."""
    done = subprocess.run([str(pathlib.Path(PROGRAM).parent / "tsc"), "-S", "-o", "-", "-D", f"use={use}", "-D", f"m={micro_batches}", str(SCRIPTS / "zero.ts")],
                          capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    calls, work, part = {}, {}, None
    for line in done.stdout.splitlines():
        if found := re.match(r"collective (\S+) (\S+) (\d+) (\w+) over", line):
            calls[found[1]] = (found[2], int(found[3]) * SIZES[found[4]])
        elif found := re.match(r'fragment "?(.)', line):
            part = work.setdefault(found[1], {}).setdefault(line, [])
        elif part is not None and (found := re.search(r": collective (\S+)", line)):
            part.append(calls[found[1]])
    last = {letter: list(parts.values())[-1] for letter, parts in work.items()}  # of the backward: the one that ends the step, if it is another
    first = {letter: list(parts.values())[0] for letter, parts in work.items()}
    return last["S"] + (micro_batches - 1) * (first["F"] + first["B"]) + last["F"] + last["B"]


@unittest.skipUnless(RECENT, f"PyTorch {torch.__version__}: DeepSpeed 0.16 is tried with 2.6 and later")
@unittest.skipUnless(THERE, "no DeepSpeed: install it, or name a folder with microsoft/DeepSpeed in DEEPSPEED")
class DeepSpeed(Folder):
    def traced(self, stage, zero, micro_batches=1, *options):
        path = os.pathsep.join(p for p in (environment()["PYTHONPATH"], FOLDER) if p)
        done = subprocess.run([PYTHON, "-m", "trainspec_tracer", "--world", "2", "--ranks", "0", "--device", "h100_sxm", "-o", str(self.folder / "traced.{rank}.json"), "--", PYTHON,
                               str(SCRIPTS / "zero.py"), "--stage", str(stage), "--zero", json.dumps(zero), "--accumulate", str(micro_batches), "--steps", "5", *options],
                              env={**environment(), "PYTHONPATH": path}, capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        self.graph = read(self.folder, "traced", 0)
        return [(node["op"], node["bytes"]) for node in self.graph["nodes"] if "comm" in node and node["bytes"] > NORM]

    def same(self, stage, micro_batches=1, **zero):
        """`zero`: of the configuration, by the names that the strategy has."""
        own = {f"stage3_{name}" if stage == 3 and name not in ("reduce_bucket_size", "overlap_comm") else name: value for name, value in zero.items()}
        traced = self.traced(stage, own, micro_batches)
        self.assertGreater(len(traced), 1)
        if not PROGRAM:
            return traced
        given = ", ".join(f"{name}: {str(value).lower()}" for name, value in zero.items())
        plan = planned(f"deepspeed_zero{stage}(dp{', ' * bool(given)}{given})", micro_batches)
        for kinds in ({"all_gather"}, {"reduce_scatter", "all_reduce"}):  # each on a stream of its own
            self.assertEqual([c for c in traced if c[0] in kinds], [c for c in plan if c[0] in kinds])
        return traced

    def test_stage_1(self):
        self.same(1, reduce_bucket_size=30000)
        self.same(1, 2, reduce_bucket_size=30000, overlap_comm=True)

    def test_stage_2(self):
        self.same(2, reduce_bucket_size=30000)
        self.same(2, 2, reduce_bucket_size=30000, overlap_comm=True)

    def test_stage_3_as_it_comes(self):
        """Everything is below the threshold: a gather of each tensor after the step, one scatter."""
        traced = self.same(3)
        self.assertEqual([kind for kind, _ in traced].count("reduce_scatter"), 1)

    def test_stage_3_little_of_all(self):
        few = dict(prefetch_bucket_size=20000, param_persistence_threshold=1000, max_live_parameters=40000, reduce_bucket_size=30000)
        self.same(3, max_reuse_distance=0, **few)

    def test_stage_3_holds_few(self):
        """Under zero.Init products keep no whole weights: so many parameters are gathered at a time, and one tensor more."""
        calls = self.traced(3, {"stage3_prefetch_bucket_size": 20000, "stage3_param_persistence_threshold": 1000, "stage3_max_live_parameters": 40000, "stage3_max_reuse_distance": 0}, 1, "--init")
        self.assertGreater(len(calls), 40)
        self.assertLessEqual(most_held(self.graph, "gathered")[0], 2 * (40000 + 128 * 64))

    def test_stage_3_of_two_micro_batches(self):
        """The embedding of the first backward is still there in the second forward."""
        traced = self.traced(3, {"stage3_prefetch_bucket_size": 0, "stage3_param_persistence_threshold": 0, "stage3_max_reuse_distance": 0}, 2)
        if PROGRAM:
            plan = planned("deepspeed_zero3(dp, prefetch_bucket_size: 0, param_persistence_threshold: 0, max_reuse_distance: 0)", 2)
            embedding = ("all_gather", 2 * 128 * 64)
            second = len(plan) // 2  # nothing is gathered around the step: the first call of the second half is the embedding's
            self.assertEqual((plan[second], plan[:second] + plan[second + 1:]), (embedding, traced))

    def test_stage_3_without_prefetch(self):
        self.same(3, prefetch_bucket_size=0, param_persistence_threshold=0, max_reuse_distance=0)

    def test_stage_3_what_stays(self):
        """Parameters of the last layers stay for the backward, as far as the distance says."""
        for distance in (50000, 100000):
            self.same(3, prefetch_bucket_size=5000, param_persistence_threshold=1000, max_reuse_distance=distance)

    def test_stage_3_far_ahead(self):
        self.same(3, prefetch_bucket_size=9000, param_persistence_threshold=2048, max_live_parameters=100000, max_reuse_distance=0)
