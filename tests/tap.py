"""Runs the tests of a folder and reports the results as TAP: tap.py FOLDER [NAME...]."""
import sys
import unittest


class Tap(unittest.TestResult):
    number = 0

    def report(self, good, test, note="", why=""):
        Tap.number += 1
        for line in why.splitlines():
            print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {Tap.number} - {test.id().split('.', 1)[1]}{note}", flush=True)

    def addSuccess(self, test):
        self.report(True, test)

    def addSkip(self, test, reason):
        self.report(True, test, f" # SKIP {reason}")

    def addError(self, test, error):
        self.report(False, test, why=self._exc_info_to_string(error, test))

    addFailure = addError

    def addSubTest(self, test, part, error):
        if error:
            self.addError(part, error)


chosen = unittest.TestLoader()
chosen.testNamePatterns = [f"*{name}*" for name in sys.argv[2:]] or None
chosen.discover(sys.argv[1]).run(Tap())
print(f"1..{Tap.number}")
