"""What surrounds the package: locales with decimal commas, little memory, arguments that are none."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve()
PACKAGE = HERE.parents[1]
sys.path.insert(0, str(PACKAGE))
import trainspec  # noqa: E402

PLAN = """import std.models.gpt, std.clusters.dgx, std.strategies.data, std.networks, std.costs.hosts
plan small(dp: Int = 8, launch: Time = 6.5 us, INDEX: Int = 1) {
  model = gpt(layers: 2 * INDEX, hidden: 256, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  apply = [data_parallel(dp)]
  network = h100_infiniband
  host = { launch: launch }
  costs = [roofline(h100_sxm, flops: 0.5)]
}
search least of small {
  vary launch in [1.5 us, 2.5 us]
  minimize step_time
}
"""

# Everything that reads or prints a number, before and after the locale is set; what the caller gave is called in it.
SAID = """
import json, locale, sys
import trainspec
before = trainspec.load(sys.argv[1])
if sys.argv[2] != "-":
    locale.setlocale(locale.LC_ALL, sys.argv[2])
    assert locale.localeconv()["decimal_point"] == ","
marks = set()
def tick(what, share):
    marks.add(locale.localeconv()["decimal_point"])
    return True
said = []
for plan in before, trainspec.load(sys.argv[1]), trainspec.load(sys.argv[1], launch="2.5 us"):
    r = plan.run(threads=2, fold=False, progress=tick)
    said += [r.report(form) for form in ("text", "json", "csv", "svg", "html")] + [repr(r.timeline(1)[:9])]
    plan.write(sys.argv[3] + ".tsir"); plan.write(sys.argv[3] + ".ir"); r.trace(sys.argv[3] + ".json")
    said += [open(sys.argv[3] + end, "rb").read().hex() for end in (".tsir", ".ir", ".json")]
    said.append(trainspec.load(sys.argv[3] + ".tsir").run().report())
said.append([{name: row[name] for name in row} for row in before.sweep()])
assert marks <= {"," if sys.argv[2] != "-" else "."}, marks
print(json.dumps(said))
"""


def setUpModule():
    global folder, plan
    folder = tempfile.TemporaryDirectory()
    plan = os.path.join(folder.name, "plan.ts")
    pathlib.Path(plan).write_text(PLAN)


def tearDownModule():
    folder.cleanup()


class Locales(unittest.TestCase):
    def said(self, locale):
        done = subprocess.run([sys.executable, "-c", SAID, plan, locale, os.path.join(folder.name, "out")],
                              capture_output=True, text=True, encoding="utf-8",
                              env={**os.environ, "PYTHONPATH": str(PACKAGE), "LOCPATH": folder.name, "PYTHONUTF8": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_nothing_is_read_or_printed_otherwise(self):
        made = []
        # German: a comma in numbers. Turkish: I and i are no pair, in the old character set also not for tolower().
        for source, charmap in ("de_DE", "UTF-8"), ("tr_TR", "UTF-8"), ("tr_TR", "ISO-8859-9"):
            name = f"{source}.{charmap}"
            if shutil.which("localedef") and not subprocess.run(
                    ["localedef", "-i", source, "-f", charmap, os.path.join(folder.name, name)],
                    capture_output=True).returncode:
                made.append(name)
        if not made:
            self.skipTest("no localedef (Debian package libc-bin) or no sources of locales (locales)")
        usual = self.said("-")
        for name in made:
            with self.subTest(name):
                self.assertEqual(self.said(name), usual)


class Memory(unittest.TestCase):
    def tearDown(self):
        trainspec.max_memory(0)

    def test_what_needs_too_much_is_refused_and_the_process_goes_on(self):
        usual = trainspec.load(plan).run().report()
        refused = done = 0
        most = 1 << 16
        while not done:
            trainspec.max_memory(most)
            try:
                self.assertEqual(trainspec.load(plan).run(threads=2, fold=False).step_time > 0, True)
                done += 1
            except MemoryError as e:
                refused += 1
                self.assertTrue(str(e))
            most = most * 5 // 4
        self.assertGreater(refused, 5)
        self.assertLess(most, 1 << 28)
        trainspec.max_memory(0)
        self.assertEqual(trainspec.load(plan).run().report(), usual)

    def test_what_was_refused_is_given_back(self):
        trainspec.max_memory(6 << 20)
        for _ in range(20):
            with self.assertRaises(trainspec.OutOfMemory) as refused:
                trainspec.load(plan, INDEX=200)
            self.assertEqual(refused.exception.errors[0].code, "E0707")
        trainspec.max_memory(24 << 20)
        trainspec.load(plan).run()

    def test_a_sweep_is_refused_too(self):
        trainspec.max_memory(3 << 20)
        with self.assertRaises(MemoryError):
            trainspec.load(plan).sweep()


class Arguments(unittest.TestCase):
    def test_what_names_no_file_is_refused(self):
        p = trainspec.load(plan)
        for path in "a\0b", b"a\0", "":
            for call in (trainspec.load, p.write, p.run().trace, lambda path: p.run(overlap=path or "\0"),
                         lambda path: trainspec.load(plan, import_dirs=[path]),
                         lambda path: trainspec.load(plan, native=[path])):
                with self.subTest(path=path, call=call), self.assertRaises(ValueError):
                    call(path)
        for path in None, 3:
            for call in trainspec.load, p.write, p.run().trace, p.run().save:
                with self.subTest(path=path, call=call), self.assertRaises(TypeError):
                    call(path)
        for path in folder.name, os.path.join(folder.name, "none.ts"), os.path.join(folder.name, "\udcff.ts"):
            with self.subTest(path=path), self.assertRaises(trainspec.Error):
                trainspec.load(path)
        for call in p.write, p.run().trace:
            with self.assertRaises(trainspec.Error):
                call(folder.name)

    def test_text_is_text(self):
        p = trainspec.load(plan)
        for given in "8\0", "\udcff":
            for call in (lambda: trainspec.load(plan, dp=given), lambda: trainspec.load(plan, {given: 1}),
                         lambda: trainspec.load(plan, plan=given), lambda: trainspec.load(plan, warnings=[given]),
                         lambda: p.run(network=given), lambda: p.sweep(name=given),
                         lambda: p.sweep({"dp" + given: [1]})):
                with self.subTest(given=given, call=call), self.assertRaises(ValueError):
                    call()
        for call in lambda: p.run(network=3), lambda: trainspec.load(plan, warnings=[None]):
            with self.assertRaises(TypeError):
                call()

    def test_threads_are_counted(self):
        p = trainspec.load(plan)
        for threads in -1, 1 << 40, 1025:
            for call in p.run, p.sweep:
                with self.subTest(threads=threads), self.assertRaises(ValueError):
                    call(threads=threads)
        for threads in "2", 2.5:
            with self.assertRaises(TypeError):
                p.run(threads=threads)
        for rank in None, 1.5, "0":
            with self.assertRaises(TypeError):
                p.run().rank(rank)


if __name__ == "__main__":
    unittest.main()
