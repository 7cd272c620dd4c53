#!/usr/bin/env python3
"""Names of the arguments of Megatron-LM's parser, by release: makes _megatron_arguments.txt.

usage: _megatron_arguments.py REPOSITORY RELEASE... >_megatron_arguments.txt

REPOSITORY is a clone of NVIDIA/Megatron-LM, RELEASE a tag or a commit, oldest first. The parser is
read, not run: calls of `add_argument`, and the fields of dataclasses that `ArgumentGroupFactory`
makes arguments of. A line has the name and the first and the last of the releases that know it.
"""
import ast
import subprocess
import sys


def git(repository, *words):
    return subprocess.run(["git", "-C", repository, *words], check=True, capture_output=True, text=True).stdout


def literal(node, name, otherwise):
    values = [k.value for k in node.keywords if k.arg == name]
    return ast.literal_eval(values[0]) if values else otherwise


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


class Release:
    def __init__(self, repository, release):
        self.repository, self.release, self.names, self.trees = repository, release, {}, {}
        paths = git(repository, "ls-tree", "-r", "--name-only", release).split()
        self.paths = [p for p in paths if p.startswith("megatron/") and p.endswith(".py")]

    def tree(self, path):
        if path not in self.trees:
            self.trees[path] = ast.parse(git(self.repository, "show", f"{self.release}:{path}"))
        return self.trees[path]

    def dataclass(self, name):
        found = git(self.repository, "grep", "-l", f"^class {name}\\b", self.release, "--", "megatron").split()
        path = found[0].split(":", 1)[1]
        return next(n for n in ast.walk(self.tree(path)) if isinstance(n, ast.ClassDef) and n.name == name)

    def names_of_field(self, field):
        name, default = field.target.id, field.value
        if isinstance(default, ast.Call) and called(default) == "field":
            meta = [k.value for k in default.keywords if k.arg == "metadata"]
            for node in ast.walk(meta[0]) if meta else []:
                if isinstance(node, ast.Dict):
                    for key, value in zip(node.keys, node.values):
                        if isinstance(key, ast.Constant) and key.value == "arg_names":
                            return [ast.literal_eval(v) for v in value.elts]
            values = [k.value for k in default.keywords if k.arg == "default"]
            default = values[0] if values else None
        kind = ast.unparse(field.annotation)
        if kind in ("bool", "Optional[bool]", "bool | None") and not (
            isinstance(default, ast.Constant) and default.value is False
        ):
            return [f"--no-{name}", f"--disable-{name}"]
        return [f"--{name}"]

    def add_fields(self, name, excluded):
        class_ = self.dataclass(name)
        for base in class_.bases:
            self.add_fields(base.id if isinstance(base, ast.Name) else base.attr, excluded)
        for field in class_.body:
            if not isinstance(field, ast.AnnAssign) or field.target.id in excluded:
                continue
            value = field.value
            if isinstance(value, ast.Call) and called(value) == "field" and literal_or(value, "init", True) is False:
                continue
            if "ClassVar" in ast.unparse(field.annotation):
                continue
            self.add(self.names_of_field(field))

    def add(self, names):
        for name in names:
            if name.startswith("--"):
                self.names[name.replace("_", "-")] = True

    def lists(self, tree):
        """Names that lists of excluded fields stand under."""
        found = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if isinstance(node.value, ast.List):
                    try:
                        found[name] = found.get(name, []) + ast.literal_eval(node.value)
                    except ValueError:
                        pass
        return found

    def read(self, path):
        tree = self.tree(path)
        lists = self.lists(tree)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            if called(node) == "add_argument":
                self.add([a.value for a in node.args if isinstance(a, ast.Constant)])
            if called(node) == "ArgumentGroupFactory" and node.args and isinstance(node.args[0], ast.Name):
                excluded = []
                for k in node.keywords:
                    if k.arg == "exclude":
                        excluded = lists.get(k.value.id, []) if isinstance(k.value, ast.Name) else ast.literal_eval(k.value)
                self.add_fields(node.args[0].id, set(excluded))


def literal_or(node, name, otherwise):
    try:
        return literal(node, name, otherwise)
    except ValueError:
        return otherwise


def main():
    repository, releases = sys.argv[1], sys.argv[2:]
    first, last = {}, {}
    for release in releases:
        r = Release(repository, release)
        r.read("megatron/training/arguments.py")
        for name in r.names:
            first.setdefault(name, release)
            last[name] = release
    print("# Arguments of Megatron-LM's parser (megatron/training/arguments.py), and the first and the last")
    print("# of these releases that know each: " + " ".join(releases))
    print("# Made by _megatron_arguments.py.")
    for name in sorted(first):
        print(name, first[name], last[name])


main()
