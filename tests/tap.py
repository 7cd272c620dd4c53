"""Runs the tests of a folder and reports the results as TAP: tap.py FOLDER [NAME...]."""
import sys
import unittest


count = 0


def report(good, name, note="", why=()):
    global count
    count += 1
    for line in why:
        print(f"# {line}")
    print(f"{'ok' if good else 'not ok'} {count} - {name}{f' # SKIP {note}' if note else ''}", flush=True)


def summary(nothing="no case"):
    print(f"1..{count}" if count else f"1..0 # SKIP {nothing}")


class Tap(unittest.TestResult):
    def report(self, good, test, note="", why=""):
        report(good, test.id().split(".", 1)[1], note, why.splitlines())

    def addSuccess(self, test):
        self.report(True, test)

    def addSkip(self, test, reason):
        self.report(True, test, reason)

    def addError(self, test, error):
        self.report(False, test, why=self._exc_info_to_string(error, test))

    addFailure = addError

    def addSubTest(self, test, part, error):
        if error:
            self.addError(part, error)


if __name__ == "__main__":
    chosen = unittest.TestLoader()
    chosen.testNamePatterns = [f"*{name}*" for name in sys.argv[2:]] or None
    chosen.discover(sys.argv[1]).run(Tap())
    summary()
