"""Holds the programs that scripts of the build and the tests call against the packages that ./dev installs for them.

A machine of a developer has hundreds of programs that a bare one lacks, so a test that calls one of them passes here
and fails there. Prints a line for each program that is installed here, stands where a shell reads a command, and
belongs to no package that ./dev names, to nothing that such a package depends on, and to none that every Debian has. A
script that asks `command -v PROGRAM` first knows what to do without it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Their commands install more, by `deps` in ./dev, or skip.
OF_COMMANDS = ("share/oss-fuzz/", "tests/mpi/", "tests/slurm/", "tests/browser/", "tests/packet/", "tests/playground/")
WORDS = {"then", "do", "else", "elif", "if", "while", "until", "!", "exec", "env", "command", "xargs", "nice", "kill", "time", "{", "("}
COMMAND = re.compile(r"""(?:^|[|;&(`{]|\$\(|\s(?:then|do|else|if|elif|while|until|!|exec|xargs|nice)\s)\s*
                         (?:(?:env|timeout\s+\S+|!|[A-Za-z_]+=\S*)\s+)*([a-z][a-z0-9_.+-]*)(?=\s|$|;|\))(?!\s*(?:[=<>!~]|in\b))""", re.VERBOSE)


def dpkg(*arguments):
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True).stdout


def needs():
    """By package: what it depends on. By provided name: its packages. And all that every Debian has."""
    depends, always = {}, set()
    form = "${Package}\t${Essential} ${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
    for line in dpkg("-W", f"-f={form}").splitlines():
        package, kind, wanted, provided = line.split("\t")
        depends.setdefault(package, set()).update(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9.+-]+)", wanted))
        for name in re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9.+-]+)", provided):
            depends.setdefault(name, set()).add(package)
        if kind.startswith("yes") or kind.endswith("required"):
            always.add(package)
    return depends, always


def closure(packages, depends):
    reached, ahead = set(packages), list(packages)
    while ahead:
        more = depends.get(ahead.pop(), set()) - reached
        reached |= more
        ahead += more
    return reached


def declared():
    """The packages of the three lists of ./dev."""
    dev = pathlib.Path("dev").read_text(encoding="utf-8")
    lists = re.findall(r'^(?:build|test|check)_packages="([^"]*)"', dev, re.MULTILINE)
    if len(lists) != 3:
        sys.exit("./dev has no build_packages, test_packages and check_packages")
    return {name for words in lists for name in words.split()}


def owners(programs):
    """The package of each program in PATH; None where no package of this machine has it."""
    paths = {}
    for program in programs:
        for path in (shutil.which(program), f"/usr/bin/{program}"):
            real = os.path.realpath(path)
            paths.update(dict.fromkeys((path, real, real.replace("/usr/", "/", 1)), program))
    found = {}
    for line in dpkg("-S", *paths).splitlines():
        package, _, path = line.partition(": ")
        if path in paths:
            found[paths[path]] = package.split(":")[0].split(",")[0]
    return found


def called(text):
    """Words that stand where a shell reads a command, without comments, here-documents, labels of cases and quoted texts of one line."""
    functions = set(re.findall(r"^\s*([A-Za-z_][A-Za-z0-9_]*) *\(\)", text, re.MULTILINE))
    text = re.sub(r"<<-?'?(\w+)'?.*?^\s*\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    words = set()
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", re.sub(r"'[^']*'", "''", line))
        line = re.sub(r"^\s*[\w*]+(?: *\| *[\w*]+)*\)", "", line)
        words.update(COMMAND.findall(line))
    return words - functions - WORDS


def main():
    if not shutil.which("dpkg-query"):
        sys.exit("no dpkg-query")
    files = subprocess.run(["git", "ls-files", "--", "dev", ".ci", "tools/*.sh", "share/*", "tests/*.sh", "tests/*.cmd"],
                           capture_output=True, text=True, check=True).stdout.split()
    depends, always = needs()
    packages = closure(declared() | always, depends)
    calls = {}
    for file in files:
        text = pathlib.Path(file).read_text(encoding="utf-8", errors="replace")
        shell = file.endswith((".sh", ".cmd")) or re.match(r"#!.*\b(ba)?sh\b", text)
        if shell and not file.startswith(OF_COMMANDS):
            calls[file] = [w for w in called(text) if not re.search(rf"command -v {re.escape(w)}\b", text)], text
    programs = {word for words, _ in calls.values() for word in words}
    owner = owners(sorted(word for word in programs if shutil.which(word)))
    for file, (words, text) in calls.items():
        installs = {name for line in re.findall(r"\bdeps ([a-z0-9 .+-]+)", text) for name in line.split()}
        here = packages | closure(installs, depends)
        for word in sorted(words):
            if owner.get(word, "") not in here and shutil.which(word):
                print(f"{word}: {file} calls it, and no package that ./dev installs has it ({owner.get(word, 'no package')})")


main()
