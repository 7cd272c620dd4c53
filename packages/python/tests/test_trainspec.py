"""The package against the programs: the same figures, the same texts, nothing left behind."""
import ast
import contextlib
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve()
PACKAGE = HERE.parents[1]
ROOT = HERE.parents[3]
sys.path.insert(0, str(PACKAGE))
import trainspec  # noqa: E402

SMALL = """import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.schedules.one_f_one_b
import std.optimizers.adam, std.precision, std.costs.sources
plan small(tp: Int = 2, m: Int = 4, hidden: Int = 512, note: String = "") {
  model = gpt(layers: 4, hidden: hidden, heads: 8, vocab: 1024, seq: 256)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp, pp: 4 }
  batch = { micro: 1, global: m }
  tokens = 256
  apply = [tensor_sequence_parallel(tp)]
  schedule = one_f_one_b(p: pp, m: m)
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
}
"""


def setUpModule():
    global folder, small
    folder = tempfile.TemporaryDirectory()
    small = os.path.join(folder.name, "small.ts")
    pathlib.Path(small).write_text(SMALL)


def tearDownModule():
    folder.cleanup()


def program(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


class Results(unittest.TestCase):
    def test_figures_are_those_of_the_program(self):
        r = trainspec.load(small).run(m=8)
        said = json.loads(program("tsrun", "--format=json", "-D", "m=8", small))
        self.assertEqual(r.json, said)
        self.assertEqual(round(r.step_time * 1e12), said["step_time_ps"])
        self.assertEqual(r.peak_memory, said["peak_memory_bytes"])
        self.assertEqual(r.device_memory, said["device_memory_bytes"])
        self.assertEqual(r.mfu, said["mfu"])
        self.assertAlmostEqual(r.energy, said["energy_joules_per_step"], 9) # 15 digits are written
        self.assertIsNone(r.cost)
        self.assertEqual((r.ranks, r.nodes, r.fits, r.plan), (8, said["nodes"], True, "small"))
        self.assertEqual(str(r), program("tsrun", "-D", "m=8", small))
        self.assertEqual(r.parameters, {"m": "8"})

    def test_type_checkers_know_the_figures(self):
        said = trainspec.Result.__annotations__
        for name, unit in trainspec._library.FIGURES.items():
            kind = "float" if unit == "share" else "int" if unit == "" else "Quantity"
            self.assertIn(said[name], (kind, f"'{kind} | None'"), name)

    def test_parts_sum_up(self):
        r = trainspec.load(small).run()
        self.assertAlmostEqual(sum(vars(r.time).values()), r.step_time)
        self.assertAlmostEqual(sum(p.time for p in r.critical_path()), r.step_time)
        nodes = 0
        for rank in range(r.ranks):
            at, events = r.rank(rank), r.timeline(rank)
            self.assertAlmostEqual(sum(vars(at.time).values()), r.step_time)
            self.assertEqual(sum(at.at_peak.values()), at.peak_memory)
            self.assertAlmostEqual(sum(e.duration for e in events if e.kind == "compute"), at.time.compute)
            self.assertEqual(max(e.end for e in events), at.end)
            self.assertEqual(len(events.rows()), len(events))
            nodes += len(events)
        self.assertEqual(nodes, r.nodes)
        for wrong in (-1, 8):
            self.assertRaises(IndexError, r.rank, wrong)
            self.assertRaises(IndexError, r.timeline, wrong)

    def test_pages_for_notebooks(self):
        r = trainspec.load(small).run()
        self.assertIn("&lt;!DOCTYPE html", r._repr_html_())
        self.assertTrue(r.timeline()._repr_html_().startswith("<svg"))
        self.assertIn("small on 8 ranks", repr(r))

    def test_files(self):
        r = trainspec.load(small).run()
        for suffix, form in (("txt", "text"), ("json", "json"), ("csv", "csv"), ("html", "html"), ("svg", "svg")):
            path = os.path.join(folder.name, f"report.{suffix}")
            r.save(path)
            self.assertEqual(pathlib.Path(path).read_text(), r.report(form))
        trace = os.path.join(folder.name, "step.json")
        r.trace(trace)
        self.assertTrue(json.loads(pathlib.Path(trace).read_text())["traceEvents"])
        self.assertRaises(ValueError, r.save, "report.doc")
        self.assertRaises(ValueError, r.report, "doc")
        self.assertRaises(trainspec.Error, r.trace, "/nowhere/step.json")
        self.assertRaises(OSError, r.save, "/nowhere/report.txt")

    def test_ir_plays_like_its_plan(self):
        plan, ir = trainspec.load(small), os.path.join(folder.name, "small.ir")
        plan.write(ir)
        self.assertEqual(trainspec.load(ir).run().step_time, plan.run().step_time)
        self.assertEqual(trainspec.load(ir).parameters, {})

    def test_options(self):
        plan = trainspec.load(small)
        self.assertEqual(plan.run(fold=False, contention=True, threads=1).ranks, 8)
        self.assertGreater(plan.run(overlap="constant:1.5").step_time, 0)
        with self.assertRaises(trainspec.Error) as caught:
            plan.run(overlap="no such model")
        self.assertIn("no such model", str(caught.exception))

    def test_what_an_allocator_reserves_is_asked_for(self):
        plan = trainspec.load(small)
        r = plan.run(allocator="caching")
        by_rank = {k["rank"]: k["memory"]["peak_bytes"] for k in r.json["classes"]}
        self.assertTrue(all(k["reserved_bytes"] >= k["allocated_bytes"] > 0 for k in r.json["allocator"]))
        self.assertEqual([k["rank"] for k in r.json["allocator"]], list(by_rank))
        self.assertNotIn("allocator", plan.run().json)
        with self.assertRaises(trainspec.Error) as caught:
            plan.run(allocator="slab")
        self.assertIn("allocator `slab`", str(caught.exception))

    def test_what_a_rank_holds_and_when_it_starts(self):
        r = trainspec.load(small).run()
        for rank in range(r.ranks):
            rows, first = r.memory(rank), [e.start for e in r.timeline(rank) if e.kind == "compute"]
            self.assertEqual(r.start(rank), min(first))
            self.assertEqual(max(sum(v for k, v in row.items() if k != "time") for row in rows), r.rank(rank).peak_memory)
            self.assertEqual(sorted(row["time"] for row in rows), [row["time"] for row in rows])
        self.assertRaises(IndexError, r.memory, r.ranks)
        self.assertRaises(IndexError, r.start, -1)

    def test_a_plan_is_played_again_and_copied(self):
        """The compiled plan is of the first result alone."""
        plan = trainspec.load(small)
        first, second = plan.run(), pickle.loads(pickle.dumps(plan)).run()
        self.assertEqual((first.step_time, first.peak_memory), (plan.run().step_time, second.peak_memory))
        del plan, second
        self.assertGreater(first.rank(0).end, 0)

    def test_does_not_fit(self):
        r = trainspec.load(small).run(hidden=16384 * 4, tp=1, m=64)
        self.assertIs(r.fits, False)
        self.assertIn("does not fit", repr(r))


class Plans(unittest.TestCase):
    def test_parameters(self):
        plan = trainspec.load(small, {"tp": 1}, m=8)
        self.assertEqual(plan.ranks, 4)
        known = trainspec.load(small).parameters
        self.assertEqual({**known, "tp": plan.parameters["tp"], "m": plan.parameters["m"]}, plan.parameters)
        for name, value in (("tp", "1"), ("m", "8")):
            p = plan.parameters[name]
            self.assertEqual((p.name, p.type, p.default, p.value, p.given), (name, "Int", known[name].default, value, True))
            self.assertEqual((known[name].value, known[name].given), (known[name].default, False))
        self.assertEqual(plan.with_(tp=2).ranks, 8)
        self.assertEqual(plan.run(tp="1 + 1").ranks, 8)
        self.assertEqual(plan.ranks, 4)
        rows = plan.sweep({"note": ["two words", "none", "1"]})
        self.assertEqual(sorted(row["note"] for row in rows), ["1", "none", "two words"])
        self.assertEqual([rows.run(row).step_time for row in rows], [row["step_time"] for row in rows])
        self.assertEqual(plan.run(note="two words", tp=2).ranks, 8)
        self.assertEqual(trainspec.load(small, note="two words", tp="1 + 1").parameters["note"].value, '"two words"')
        self.assertRaises(TypeError, plan.run, tp=object())
        self.assertRaises(ValueError, plan.run, tp=float("nan"))
        self.assertRaises(ValueError, trainspec.load, small, warnings="no-such-warning")

    def test_text(self):
        self.assertEqual(trainspec.loads(SMALL).run().step_time, trainspec.load(small).run().step_time)
        self.assertRaises(ValueError, trainspec.loads(SMALL).sweep)

    def test_errors(self):
        with self.assertRaises(trainspec.Error) as caught:
            trainspec.load(small).run(tp=3)
        e = caught.exception
        self.assertEqual(os.path.basename(e.span.file), "small.ts")
        line = SMALL.splitlines()[e.span.line - 1]
        self.assertTrue(line[e.span.column - 1:e.span.end_column - 1])
        self.assertEqual(e.errors[0].severity, "error")
        self.assertTrue(e.errors[0].code and e.errors[0].name and e.errors[0].text)
        self.assertIn(line, str(e))
        said = subprocess.run(["tsc", "--check", "-D", "tp=3", small], capture_output=True, text=True).stderr
        self.assertIn(str(e.errors[0]), said)
        with self.assertRaises(trainspec.Error) as caught:
            trainspec.load("/nowhere/plan.ts")
        self.assertIsNone(caught.exception.span)
        pickle.loads(pickle.dumps(caught.exception))

    def test_stopped(self):
        plan = trainspec.load(small)

        def wrong(what, share):
            raise KeyboardInterrupt

        try:  # a play that ends before it asks is not stopped
            plan.run(m=100000, progress=wrong, threads=1)
        except KeyboardInterrupt:
            pass

    def test_quantities(self):
        q = trainspec.Quantity
        self.assertEqual([str(q(x, "s")) for x in (0, 0.5e-9, 2e-6, 0.25, 3, 4000)],
                         ["0 s", "0.5 ns", "2 us", "250 ms", "3 s", "4,000 s"])
        self.assertEqual([str(q(x, "B")) for x in (5, 2048, 3 << 30)], ["5 B", "2 KiB", "3 GiB"])
        self.assertEqual((q(1.5, "s").to("ms"), q(2e9, "B").to("GB")), (1500, 2))
        self.assertEqual(pickle.loads(pickle.dumps(q(1, "s"))).unit, "s")
        self.assertRaises(ValueError, q(1, "s").to, "GiB")
        self.assertEqual(f"{q(1.234, 's'):.1f}", "1.2")


class Sweeps(unittest.TestCase):
    def test_rows(self):
        plan = trainspec.load(small)
        rows = plan.sweep({"tp": [1, 2, 3], "m": [4, 8]}, require="tokens_per_second > 0", threads=2)
        self.assertEqual([row["state"] for row in rows], ["ranked"] * 4 + ["refused"] * 2)
        self.assertEqual(rows[:4], sorted(rows[:4], key=lambda row: -row["tokens_per_second"]))
        for row in rows[:4]:
            r = plan.run(tp=row["tp"], m=row["m"])
            self.assertEqual((row["step_time"], row["peak_memory"]), (r.step_time, r.peak_memory))
            self.assertAlmostEqual(row["objective"] * r.tokens_per_second, 1)  # without a goal: by token
        self.assertEqual(rows.run(rows.best).step_time, rows.best["step_time"])
        self.assertTrue(rows[5]["why"])
        self.assertIn("<table>", rows._repr_html_())
        self.assertEqual(list(rows), list(plan.sweep({"tp": [1, 2, 3], "m": [4, 8]}, threads=1)))
        most = plan.sweep({"tp": [1, 2]}, maximize="tokens_per_second")
        self.assertEqual(most.best["objective"], max(row["tokens_per_second"] for row in most))
        self.assertEqual(plan.sweep({"m": [4]}, require="tokens_per_second < 0").best, None)

    def test_wrong(self):
        plan = trainspec.load(small)
        self.assertRaises(trainspec.Error, plan.sweep)  # there is no search in the file
        self.assertRaises(trainspec.Error, plan.sweep, {"no_such": [1]})
        self.assertRaises(ValueError, plan.sweep, {"tp": [1]}, minimize="step_time", maximize="mfu")
        self.assertRaises(ValueError, plan.sweep, minimize="step_time")

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        rows = trainspec.load(small).sweep({"tp": [1, 2]})
        self.assertEqual(list(pandas.DataFrame(rows)["tp"]), [row["tp"] for row in rows])


class House(unittest.TestCase):
    def test_threads(self):
        plan = trainspec.load(small)
        want = {m: plan.run(m=m).report() for m in (4, 8, 12)}
        got, shared = [], plan.run()
        text = shared.report()

        def work():
            for m in want:
                got.append(plan.run(m=m).report() == want[m])
                got.append(shared.report() == text and len(shared.timeline()) > 0)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [True] * 24)

    def test_nothing_leaks(self):
        """Memory stays where it is. TRAINSPEC_RUNS=10000 is the long form."""
        runs = int(os.environ.get("TRAINSPEC_RUNS", "60"))
        status = pathlib.Path("/proc/self/status")
        if not status.exists():
            self.skipTest("no /proc")

        def held():
            return int(next(l for l in status.read_text().splitlines() if l.startswith("VmRSS")).split()[1]) << 10

        plan = trainspec.load(small)

        def some(count):
            for i in range(count):
                r = plan.run(m=4 + i % 2, threads=1)
                r.report("json"), r.timeline(0), r.messages
                try:
                    plan.run(tp=3)
                except trainspec.Error:
                    pass

        some(20)
        before = held()
        some(runs)
        self.assertLess(held() - before, 16 << 20)

    def test_syntax_is_of_python_3_9(self):
        for path in [*PACKAGE.glob("*.py"), *(PACKAGE / "trainspec").glob("*.py")]:
            ast.parse(path.read_text(), feature_version=(3, 9))
            self.assertLessEqual(max(map(len, path.read_text().splitlines())), 120, path)

    def test_wheel(self):
        import zipfile
        sys.path.insert(0, str(PACKAGE))
        import backend
        names = [backend.build_wheel(folder.name) for _ in range(2)]
        wheel = pathlib.Path(folder.name, names[0])
        before = wheel.read_bytes()
        backend.build_wheel(folder.name)
        self.assertEqual(wheel.read_bytes(), before, "the same files give the same bytes")
        self.assertEqual(backend.setting("version"), trainspec.version())
        site = os.path.join(folder.name, "site")
        with zipfile.ZipFile(wheel) as z:
            self.assertIsNone(z.testzip())
            z.extractall(site)
        away = {**os.environ, "PYTHONPATH": site}
        del away["TRAINSPEC_LIBRARY"]
        code = ("import trainspec, trainspec._library as c; assert c._candidates()[0].startswith("
                f"{site!r}); print(trainspec.load({small!r}).run().step_time.to('ps'))")
        said = subprocess.run([sys.executable, "-c", code], env=away, cwd="/", check=True, capture_output=True)
        self.assertEqual(float(said.stdout), trainspec.load(small).run().step_time.to("ps"))

    def test_notebook(self):
        """The cells of examples/notebook.ipynb, one after another."""
        notebook = json.loads((ROOT / "examples" / "notebook.ipynb").read_text())
        names, was = {"__name__": "__main__"}, os.getcwd()
        os.chdir(ROOT / "examples")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
                self.assertGreater(len(cells), 4)
                for cell in cells:
                    self.assertEqual(cell["outputs"], [], "a notebook is kept without its outputs")
                    tree = ast.parse("".join(cell["source"]))
                    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
                    exec(compile(tree, "notebook", "exec"), names)
                    if last:
                        shown = eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
                        getattr(shown, "_repr_html_", lambda: repr(shown))()
        finally:
            os.chdir(was)


if __name__ == "__main__":
    unittest.main()
