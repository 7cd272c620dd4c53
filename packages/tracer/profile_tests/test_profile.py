"""trainspec profile: what needs no PyTorch (the chooser, resuming, logs, jobs, what is gone), and a whole run on this machine's processors where there is PyTorch."""
import importlib.util
import itertools
import math
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from trainspec_profile import choose, jobs, nccl_tests, points, pool, tables  # noqa: E402

TORCH = importlib.util.find_spec("torch") is not None


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="trainspec-profile.")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)


def copy(size):
    """A machine with a cache of 32 MB and a protocol that changes at 256 KiB."""
    if size >= 32e6:
        return 20e-6 + size / 45e9
    return 14e-6 + size / 200e9 if size >= 262144 else 5e-6 + size / 60e9


def product(m, n, k):
    """Units of work of 512, a memory, a floor."""
    return max(2 * m * n * k / 50e12 / (min(1, m / 512) * min(1, n / 512)), 2 * (m * n + n * k + m * k) / 2e12) + 4e-6


class Chooser(unittest.TestCase):
    def error(self, measured, places, machine):
        return sum(abs(choose.predict(measured, p) - math.log(machine(*map(math.exp, p)))) for p in places) / len(places)

    def both(self, sides, machine, budget, each):
        """Mean error of the logarithm: of points chosen, and of a uniform grid of as many."""
        places = [tuple(map(math.log, p)) for p in itertools.product(*sides)]
        series = choose.Series("x", 1, places, [math.exp(sum(p)) for p in places])
        for _ in range(budget):
            _, place = choose.choose([series], math.inf)
            series.take(place, machine(*map(math.exp, place)))
        few = [[side[round(i * (len(side) - 1) / (each - 1))] for i in range(each)] for side in sides]
        grid = [(p, math.log(machine(*map(math.exp, p)))) for p in (tuple(map(math.log, g)) for g in itertools.product(*few))]
        self.assertEqual(len(grid), budget)
        return self.error(series.measured, places, machine), self.error(grid, places, machine)

    def test_beats_a_grid_on_kinks(self):
        for budget in (12, 16, 20):
            chosen, grid = self.both([points.steps(1024, 1 << 30, math.sqrt(2))], copy, budget, budget)
            self.assertLess(chosen, 0.7 * grid)

    def test_beats_a_grid_on_products(self):
        chosen, grid = self.both([points.steps(64, 8192)] * 3, product, 64, 4)
        self.assertLess(chosen, grid)

    def test_shares_and_limits(self):
        a, b = (choose.Series(name, share, [(float(i),) for i in range(9)], [2.0 ** i for i in range(9)]) for name, share in (("a", 0.9), ("b", 0.1)))
        for _ in range(10):
            series, place = choose.choose([a, b], math.inf)
            series.take(place, 1e-3 * (1 + place[0] % 2))
        self.assertGreater(len(a.measured), len(b.measured))
        self.assertGreater(len(b.measured), 0)
        slow = choose.Series("slow", 1, [(0.0,), (1.0,), (9.0,)], [1, 2, 1e6])
        slow.take((0.0,), 1)
        self.assertEqual(choose.choose([slow], 10)[1], (1.0,))
        slow.take((1.0,), 2)
        self.assertIsNone(choose.choose([slow], 10))


def plan():
    return points.Plan(["fp32"], [2], 1 << 28, 1 << 24)


class Resuming(InFolder):
    def test_rows_come_back_as_points(self):
        first, folder = plan(), tables.Folder(self.folder, "x", "test")
        for series in first.series:
            place = min(series.open)
            point = first.point[series.name, place]
            name = "overlap" if "transfer" in point else "collectives" if "collective" in point else "kernels"
            folder.add(name, dict(point, slowdown=1.25) if name == "overlap" else dict(point, time_us=12.5))
        folder.lock.close()
        again, second = plan(), tables.Folder(self.folder, "x", "test")
        self.assertEqual(again.take_up([row for rows in second.rows.values() for row in rows]), len(first.series))
        self.assertTrue(all(len(s.measured) == 1 for s in again.series))

    def test_a_table_that_is_not_ours_is_refused_and_kept(self):
        head = ",".join(points.TABLES["kernels"])
        for text, says in (("a,b\n1,2\n", "columns"), (head + "\ngemm,fp32\n", "cells"), (head + "\ngemm,fp32,,x,1,1,,,,,,,1,,,\n", "no number"),
                           (head + "\ngemm,fp32,,1,1,1,,,,,,,-1,,,\n", "above 0"), (head + "\n,,,1,1,1,,,,,,,1,,,\n", "no family")):
            pathlib.Path(self.path("kernels.csv")).write_text(text)
            with self.assertRaisesRegex(tables.Refused, says):
                tables.Folder(self.folder, "x")
            self.assertEqual(pathlib.Path(self.path("kernels.csv")).read_text(), text)
        pathlib.Path(self.path("kernels.csv")).write_bytes(b"\xff\xfe\x00")
        with self.assertRaises(tables.Refused):
            tables.Folder(self.folder, "x")

    def test_another_machine_and_another_process(self):
        folder = tables.Folder(self.folder, "x", "test")
        with self.assertRaisesRegex(tables.Refused, "another process"):
            tables.Folder(self.folder, "x")
        folder.add("collectives", dict(collective="all_reduce", ranks=2, islands=1, bytes=64, time_us=1.5))
        folder.lock.close()
        with self.assertRaisesRegex(tables.Refused, "was measured on x, and this is y"):
            tables.Folder(self.folder, "y")

    def test_a_full_disk_keeps_what_was_there(self):
        folder = tables.Folder(self.folder, "x", "test")
        row = dict(collective="all_reduce", ranks=2, islands=1, bytes=64, time_us=1.5)
        folder.add("collectives", row)
        before = pathlib.Path(self.path("collectives.csv")).read_text()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), limits[1]))
        try:
            with self.assertRaisesRegex(tables.Full, "cannot write"):
                folder.add("collectives", dict(row, bytes=128))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, old)
        self.assertEqual(pathlib.Path(self.path("collectives.csv")).read_text(), before)
        self.assertFalse(os.path.exists(self.path("collectives.csv.new")))


LOG = """# all_reduce_perf NCCL_PROTO=LL128
# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid  1 on   a1 device  0 [0x18] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid  2 on   a2 device  0 [0x2a] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           0             0     float     sum      -1     0.10    0.00    0.00      0     0.10    0.00    0.00      0
         512           128     float     sum      -1    20.00    0.03    0.05      0    22.00    0.02    0.04    N/A
# Out of bounds values : 0 OK
"""


class Logs(unittest.TestCase):
    def test_rows(self):
        self.assertEqual(nccl_tests.read(LOG, "x"),
                         [{"collective": "all_reduce", "ranks": 2, "islands": 2, "bytes": 512, "time_us": 21.0, "algorithm": "", "protocol": "ll128"}])

    def test_runs_behind_each_other_have_ranks_of_their_own(self):
        self.assertEqual([(r["collective"], r["ranks"]) for r in nccl_tests.read(LOG + LOG.replace("all_reduce", "alltoall"), "x")], [("all_reduce", 2), ("all_to_all", 2)])

    def test_bad_logs(self):
        for text, says in (("", "no times"), (LOG[:-40], "cut off"), (LOG.replace("22.00    0.02", "22.00"), "columns"), (LOG.replace("0    22.00", "7    22.00"), "wrong results"),
                           (LOG.replace("#  Rank", "#  rank"), "of which ranks"), (LOG.replace("all_reduce_perf", ""), "which collective"), (LOG.replace("all_reduce_perf", "frobnicate_perf"), "no collective"),
                           (LOG.replace("20.00", "nan"), "no number")):
            with self.assertRaisesRegex(ValueError, says):
                nccl_tests.read(text, "x")


class Jobs(InFolder):
    def test_scripts_are_shell(self):
        for launcher in ("slurm", "torchrun"):
            paths = jobs.write(self.folder, launcher, [1, 2], 8, ["any", "LL128"], 10)
            self.assertEqual(len(paths), 2)
            for path in paths:
                self.assertEqual(subprocess.run(["bash", "-n", path]).returncode, 0)
        text = pathlib.Path(self.path("nccl_2x8.sbatch")).read_text()
        self.assertIn("#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n", text)
        self.assertIn("run all_reduce LL128\n", text)

    def test_a_job_goes_on_where_it_was_killed_and_its_log_is_read(self):
        path = jobs.write(self.folder, "slurm", [1], 2, ["any", "LL"], 10)[0]
        tools = self.path("tools")
        os.mkdir(tools)
        pathlib.Path(self.path("log")).write_text(LOG.split("\n", 1)[1])
        pathlib.Path(tools, "srun").write_text(f'#!/bin/sh\necho "$1" "$NCCL_PROTO" >>{self.folder}/calls\n[ $(wc -l <{self.folder}/calls) != 3 ] || exit 1\ncat {self.folder}/log\n')
        os.chmod(pathlib.Path(tools, "srun"), 0o755)
        for _ in range(2):
            subprocess.run(["bash", path], env=dict(os.environ, PATH=tools + ":" + os.environ["PATH"], NCCL_TESTS="/n", SLURM_SUBMIT_DIR=self.folder))
        calls = pathlib.Path(self.path("calls")).read_text().split("\n")[:-1]
        self.assertEqual(len(calls), 2 * len(jobs.NCCL_TESTS) + 1)  # the one that failed was run again
        self.assertEqual(calls[:2], ["/n/all_reduce_perf ", "/n/all_reduce_perf LL"])
        row = nccl_tests.read(pathlib.Path(self.path("nccl_1x2.all_reduce.LL.log")).read_text(), "x")[0]
        self.assertEqual((row["collective"], row["protocol"]), ("all_reduce", "ll"))


RANK = """
import json, os, sys
print("{}", flush=True)
for n, line in enumerate(sys.stdin):
    if n == 2 and os.environ["RANK"] == "1":
        %s
    print(json.dumps({"times": [1e-3] * 5}), flush=True)
"""


class Gone(unittest.TestCase):
    def gone(self, how, limit=100):
        ranks = pool.Pool([sys.executable, "-c", RANK % how], 2, 100)
        try:
            ranks.ready()
            self.assertEqual([len(a["times"]) for a in ranks.measure({})], [5, 5])
            ranks.measure({})
            ranks.limit = limit
            with self.assertRaises(pool.Gone) as caught:
                ranks.measure({})
        finally:
            ranks.end()
        return str(caught.exception)

    def test_a_process_that_ends(self):
        self.assertIn("rank 1 ended with 3; it last said: Xid 79", self.gone("print('Xid 79', file=sys.stderr); sys.exit(3)"))

    def test_a_device_that_vanishes(self):
        self.assertIn("rank 1: CUDA error", self.gone("print(json.dumps({'gone': 'CUDA error: unspecified launch failure'}), flush=True); break"))

    def test_a_process_that_hangs(self):
        self.assertIn("rank 1 did not answer", self.gone("import time; time.sleep(60)", 1))


@unittest.skipUnless(TORCH, "no PyTorch")
class Errors(unittest.TestCase):
    """What a point that cannot be measured is answered by: kinds of exceptions, and where these tell nothing, the point tried again, small."""
    POINT = {"family": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"}

    def answer(self, kernel, point=POINT, alive=True):
        from trainspec_profile import ranks
        with unittest.mock.patch.dict(os.environ, RANK="0", WORLD_SIZE="1"):
            rank = ranks.Rank("cpu")
        if not alive:
            rank.device.numbers = unittest.mock.Mock(side_effect=RuntimeError("the device is lost"))
        with unittest.mock.patch.object(ranks, "kernel", kernel):
            (kind, _), = rank.answer(point).items()
        return kind

    @staticmethod
    def raises(error, up_to=0):
        def kernel(device, point):
            if point["m"] > up_to:
                raise error
            return lambda: None
        return kernel

    def test_kinds(self):
        self.assertEqual(self.answer(self.raises(AttributeError("no such operator"))), "lacks")
        self.assertEqual(self.answer(self.raises(NotImplementedError("for this format"))), "lacks")
        self.assertEqual(self.answer(self.raises(MemoryError())), "memory")

    def test_the_size_or_the_operator(self):
        said = RuntimeError("words that nobody reads")
        self.assertEqual(self.answer(self.raises(said, up_to=16)), "memory")
        self.assertEqual(self.answer(self.raises(said)), "lacks")
        self.assertEqual(self.answer(self.raises(said), alive=False), "gone")

    def test_a_product_larger_than_memory(self):
        from trainspec_profile import ranks
        self.assertEqual(self.answer(ranks.kernel, {**self.POINT, "m": 1 << 24, "k": 1 << 24}), "memory")


@unittest.skipUnless(TORCH and os.environ.get("TS_TEST_ALL"), "no PyTorch, or long: TS_TEST_ALL=1 runs it")
class Whole(InFolder):
    def profile(self, *arguments):
        return subprocess.run([sys.executable, "-m", "trainspec_profile", self.folder, *arguments], env=dict(os.environ, PYTHONPATH=str(ROOT)), capture_output=True, text=True, timeout=600)

    def test_a_processor_with_gloo(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor")
        done = self.profile("--minutes", "0.2", "--device", "cpu", "--ranks", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        first = {name: tables.read(self.path(name + ".csv"), columns)[1] for name, columns in points.TABLES.items()}
        self.assertTrue(first["kernels"])
        running = subprocess.Popen([sys.executable, "-m", "trainspec_profile", self.folder, "--minutes", "9", "--device", "cpu", "--ranks", "2"], env=dict(os.environ, PYTHONPATH=str(ROOT)),
                                   stderr=subprocess.PIPE, text=True)
        until, rows = time.monotonic() + 300, sum(map(len, first.values()))
        while time.monotonic() < until and self.count() <= rows + 2:
            time.sleep(0.2)
        running.kill()  # nothing can be tidied up
        running.communicate()
        self.assertGreater(self.count(), rows)
        time.sleep(1)
        again = self.profile("--minutes", "0.05", "--device", "cpu", "--ranks", "2")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("points are there already", again.stderr)

    def count(self):
        return sum(len(tables.read(self.path(name + ".csv"), columns)[1]) for name, columns in points.TABLES.items())

    def test_a_device_that_is_not_there(self):
        done = self.profile("--device", "cuda")
        if done.returncode == 0:
            self.skipTest("there is a GPU")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no device `cuda`", done.stderr)


if __name__ == "__main__":
    unittest.main()
