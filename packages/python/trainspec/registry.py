"""Settings that a Python file states, read without running it: `python3 -m trainspec.registry FILE [FUNCTION]` prints,
as JSON, what a function of it returns; without FUNCTION, the names of those that can be asked for.

A call X.Config(a=1, b=...) is a table with the key `_target_`; what stands without a name is its `_args_`. Calls of the
file's own functions are followed. What cannot be known without running the file is left as its text; statements that
are not followed are listed under `_unread_`.
"""
from __future__ import annotations

import ast
import json
import math
import operator
import os
import sys

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
              ast.Div: operator.truediv, ast.Pow: operator.pow, ast.Mod: operator.mod}
_LARGEST_FILE = 4 << 20  # bytes
_MOST_VALUES = 1_000_000  # a file can double its settings line by line


def _of(operation, a, b):
    """What comes out, if it is a number of a usual size, else None."""
    if type(operation) not in _OPERATORS or not all(isinstance(x, (int, float)) and abs(x) < 1e18 for x in (a, b)):
        return None
    if isinstance(operation, ast.Pow) and abs(b) > 64:
        return None
    try:
        made = _OPERATORS[type(operation)](a, b)
    except ArithmeticError:
        return None
    return made if isinstance(made, (int, float)) and abs(made) < 1e18 else None


class _Reader:
    def __init__(self, tree):
        self.functions = {s.name: s for s in tree.body if isinstance(s, ast.FunctionDef)}
        self.constants, self.inside, self.unread = {}, [], []
        self.left = _MOST_VALUES
        for s in tree.body:
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
                self.constants[s.targets[0].id] = self.value(s.value, {})

    def spend(self):
        self.left -= 1
        if self.left < 0:
            raise ValueError(f"the settings are more than {_MOST_VALUES:,} values: no registry of settings has as many")

    def copied(self, v):
        self.spend()
        if isinstance(v, list):
            return [self.copied(x) for x in v]
        return {k: self.copied(x) for k, x in v.items()} if isinstance(v, dict) else v

    def value(self, e, known):
        self.spend()
        if isinstance(e, ast.Constant):
            plain = e.value is None or isinstance(e.value, (str, int)) or (
                isinstance(e.value, float) and math.isfinite(e.value))
            return e.value if plain else ast.unparse(e)
        if isinstance(e, (ast.List, ast.Tuple)):
            return [self.value(x, known) for x in e.elts]
        if isinstance(e, ast.Dict):
            return {str(self.value(k, known)): self.value(v, known) for k, v in zip(e.keys, e.values) if k}
        if isinstance(e, ast.Name):
            return self.copied(known.get(e.id, self.constants.get(e.id, e.id)))
        if isinstance(e, ast.Attribute):
            table = self.value(e.value, known)
            return table[e.attr] if isinstance(table, dict) and e.attr in table else ast.unparse(e)
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            of = self.value(e.operand, known)
            return -of if isinstance(of, (int, float)) else ast.unparse(e)
        if isinstance(e, ast.BinOp):
            made = _of(e.op, self.value(e.left, known), self.value(e.right, known))
            return ast.unparse(e) if made is None else made
        if isinstance(e, ast.Call):
            return self.call(e, known)
        return ast.unparse(e)

    def call(self, e, known):
        given = [self.value(x, known) for x in e.args if not isinstance(x, ast.Starred)]
        named = {k.arg: self.value(k.value, known) for k in e.keywords if k.arg}
        name = ast.unparse(e.func)
        if name in self.functions and name not in self.inside:
            return self.returned(name, given, named)
        return {"_target_": name, **({"_args_": given} if given else {}), **named}

    def returned(self, name, given=(), named=None):
        """What a function returns; of branches that cannot be known, nothing."""
        f = self.functions[name]
        formals = f.args.posonlyargs + f.args.args
        known = {}
        for formal, default in zip(reversed(formals), reversed(f.args.defaults)):
            known[formal.arg] = self.value(default, {})
        for formal, default in zip(f.args.kwonlyargs, f.args.kw_defaults):
            if default is not None:
                known[formal.arg] = self.value(default, {})
        known.update(zip((a.arg for a in formals), given))
        known.update(named or {})
        self.inside.append(name)
        made = None
        for s in f.body:
            if isinstance(s, ast.Return):
                made = self.value(s.value, known) if s.value else None
                break
            self.statement(s, known)
        self.inside.pop()
        return made

    def statement(self, s, known):
        if isinstance(s, (ast.Assign, ast.AnnAssign)) and s.value is not None:
            target = s.targets[0] if isinstance(s, ast.Assign) else s.target
            if isinstance(target, ast.Name):
                known[target.id] = self.value(s.value, known)
                return
            if isinstance(target, ast.Attribute):
                table = self.place(target.value, known)
                if table is not None:
                    table[target.attr] = self.value(s.value, known)
                    return
        if isinstance(s, (ast.Assert, ast.Pass, ast.Import, ast.ImportFrom)) or (
                isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)):
            return
        self.unread.append(ast.unparse(s).splitlines()[0])

    def place(self, e, known):
        """The table that a.b.c is, made where a default is meant; None: there is none."""
        if isinstance(e, ast.Name):
            table = known.get(e.id)
        elif isinstance(e, ast.Attribute):
            outer = self.place(e.value, known)
            table = None if outer is None else outer.setdefault(e.attr, {})
        else:
            table = None
        return table if isinstance(table, dict) else None


def functions_of(path) -> "list[str]":
    """Functions of the file that take nothing and return a configuration, by what they are said to return."""
    return [name for name, f in _Reader(_tree(path)).functions.items()
            if not f.args.args and f.returns is not None and "Config" in ast.unparse(f.returns)]


def settings_of(path, function) -> dict:
    """What the function returns, as tables, with its name as `_function_`."""
    reader = _Reader(_tree(path))
    if function not in reader.functions:
        raise ValueError(f"{path} has no function {function}: it has {', '.join(reader.functions) or 'none'}")
    made = reader.returned(function)
    if not isinstance(made, dict):
        raise ValueError(f"what {function} of {path} returns is not known without running it")
    return {"_function_": function, **made, **({"_unread_": reader.unread} if reader.unread else {})}


def _tree(path):
    with open(path, "rb") as file:
        text = file.read(_LARGEST_FILE + 1)
    if len(text) > _LARGEST_FILE:
        raise ValueError(f"{path} is larger than {_LARGEST_FILE >> 20} MiB: a registry of settings is a file of Python")
    try:
        return ast.parse(text, os.fspath(path))
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{path} is no file of Python: {error}") from error


USAGE = """usage: python3 -m trainspec.registry FILE [FUNCTION]
Lists the functions of a Python file that take nothing and are annotated to return a configuration.
With FUNCTION, prints what it returns as JSON, for `trainspec import torchtitan`. Nothing is run."""


def main(words) -> int:
    try:
        if words in (["--help"], ["-h"]):
            print(USAGE)
        elif len(words) == 1:
            print("\n".join(functions_of(words[0])))
        elif len(words) == 2:
            print(json.dumps(settings_of(*words), indent=2))
        else:
            print(USAGE, file=sys.stderr)
            return 2
    except (RecursionError, MemoryError):
        print(f"error: {words[0]} is nested too deeply to be read", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
