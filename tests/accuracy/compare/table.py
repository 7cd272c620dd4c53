"""Tables of measurements: CSV, packed or not."""
from __future__ import annotations

import csv
import gzip
import math
import pathlib
import re

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf(?:inity)?|nan))", re.I)


def number(text: str, otherwise: float = math.nan) -> float:
    """What a text begins with."""
    m = _NUMBER.match(text)
    return float(m[1]) if m else otherwise


class Row:
    """A row of a table, by the names of its columns; one that is not there is empty."""

    def __init__(self, table: "list[Row]", index: int, cells: dict[str, str]):
        self.table, self.index, self.cells = table, index, cells

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def number(self, column: str) -> float:
        """NaN: none."""
        return number(self[column])

    def has(self, column: str) -> bool:
        """A number above 0."""
        return self.number(column) > 0


def read(path: pathlib.Path) -> "list[Row] | None":
    """None: neither the file nor the same packed or unpacked is there. Lines that begin with # are comments."""
    other = path.with_suffix("") if path.suffix == ".gz" else path.with_name(path.name + ".gz")
    found = next((p for p in (path, other) if p.is_file()), None)
    if not found:
        return None
    data = found.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig", "replace")
    lines = [cells for cells in csv.reader(s for s in text.splitlines(keepends=True) if s[0] != "#") if cells]
    if not lines:
        return None
    table: list[Row] = []
    for cells in lines[1:]:
        table.append(Row(table, len(table), dict(zip(lines[0], cells))))
    return table
