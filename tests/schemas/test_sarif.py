"""Messages as SARIF, against what GitHub asks of an upload: docs.github.com, "SARIF support for code
scanning". Its action's own schema (github/codeql-action, src/sarif-schema-2.1.0.json) was tried by hand.
"""
import json
import os
import pathlib
import subprocess
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
ERRORS, EXAMPLES, CLI = ROOT / "tests/errors", ROOT / "examples", ROOT / "tests/cli"
MOST_RESULTS, MOST_RELATED, MOST_TEXT = 25000, 100, 1024


def messages(folder, *words):
    run = subprocess.run([*words[:1], "--diagnostics=sarif", *words[1:]], cwd=folder, capture_output=True, text=True)
    return json.loads(run.stderr)


class Upload(unittest.TestCase):
    def location(self, location):
        place = location["physicalLocation"]
        uri = urllib.parse.urlsplit(place["artifactLocation"]["uri"])
        self.assertIn(uri.scheme, ("", "file"))
        self.assertTrue(uri.path and (uri.scheme or not uri.path.startswith("/")), uri)
        self.assertFalse(uri.path.startswith("-"), "an option is no file")
        region = place["region"]
        begin, end = ((region[side + "Line"], region[side + "Column"]) for side in ("start", "end"))
        self.assertGreaterEqual(min(begin + end), 1)
        self.assertLessEqual(begin, end)

    def log(self, log):
        self.assertEqual(log["version"], "2.1.0")
        self.assertTrue(log["$schema"].startswith("https://"))
        self.assertEqual(len(log["runs"]), 1)
        run = log["runs"][0]
        driver = run["tool"]["driver"]
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        for rule in driver["rules"]:
            for text in ("shortDescription", "fullDescription", "help"):
                self.assertTrue(0 < len(rule[text]["text"]) <= MOST_TEXT)
            self.assertIn(rule["defaultConfiguration"]["level"], ("note", "warning", "error"))
        self.assertLessEqual(len(run["results"]), MOST_RESULTS)
        for result in run["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertTrue(result["message"]["text"])
            self.assertEqual(len(result["locations"]), 1)
            self.location(result["locations"][0])
            self.assertLessEqual(len(result.get("relatedLocations", [])), MOST_RELATED)
            for related in result.get("relatedLocations", []):
                self.location(related)
                self.assertTrue(related["message"]["text"])
        notes = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(run["invocations"][0]["executionSuccessful"],
                         not any(x["level"] == "error" for x in run["results"] + notes))
        return run["results"], notes

    def test_messages_about_plans(self):
        for path in sorted(ERRORS.glob("[!_]*/[!_]*.ts"))[::8]:
            with self.subTest(path.name):
                self.log(messages(path.parent, "tsc", "--check", "--stdlib", "../_std", path.name))

    def test_messages_about_the_command_line(self):
        for words in (["-D", "tpp=3"], ["-D", "tp=("], ["--assert", "step_time < 1 s"], ["--assert", "step_tim"]):
            with self.subTest(words):
                results, notes = self.log(messages(EXAMPLES, "tsrun", "-o", os.devnull, *words, "gpt3_175b.ts"))
                self.assertEqual((len(results), notes), (1, []))

    def test_messages_about_no_file(self):
        results, notes = self.log(messages(EXAMPLES, "tsc", "--check", "nowhere.ts"))
        self.assertEqual((results, len(notes)), ([], 1))

    def test_paths_from_the_root(self):
        results, _ = self.log(messages(ROOT, "tsc", "--check", "-D", "dp=x", str(CLI / "_plan.ts")))
        self.assertTrue(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("file:///"))


if __name__ == "__main__":
    unittest.main()
