"""The tables of a folder: each new row is written at once, as a whole new file in place of the old one, so a killed job or a full disk leaves all rows before."""
import csv
import fcntl
import io
import math
import os

from .points import NUMBERS, TABLES


class Refused(Exception):
    """The folder cannot be gone on with."""


class Full(Exception):
    """A table could not be written."""


def number(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return int(value) if value == int(value) and "." not in text and "e" not in text else value


def read(path, columns):
    """(device, rows) of a table that was written here."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
    except FileNotFoundError:
        return None, []
    except UnicodeDecodeError:
        raise Refused(f"{path} is no table of text: move it away") from None
    said = {l[2:].split(": ")[0]: l.split(": ", 1)[1] for l in lines if l.startswith("# ") and ": " in l}
    rows, head = [], None
    for at, cells in enumerate(csv.reader(lines)):
        if not cells or cells[0].startswith("#"):
            continue
        if head is None:
            if cells != columns:
                raise Refused(f"{path}: its columns are not {','.join(columns)}: it is of something else, or of another release; move it away")
            head = cells
            continue
        where = f"{path}: line {at + 1}"
        if len(cells) != len(head):
            raise Refused(f"{where} has {len(cells)} cells, the header {len(head)}: remove the line, or move the file away")
        row = {k: v for k, v in zip(head, cells) if v}
        try:
            for name in NUMBERS & set(row):
                row[name] = number(row[name])
        except ValueError:
            raise Refused(f"{where}: `{row[name]}` is no number of {name}") from None
        time = next((k for k in ("slowdown", "time_us") if k in head), "")
        if not isinstance(row.get(time), (int, float)) or row[time] <= 0:
            raise Refused(f"{where}: no {time} above 0")
        needed = {"kernels": ["family", "dtype"], "collectives": ["collective", "ranks", "bytes"], "overlap": ["family", "dtype", "transfer", "ranks"]}
        for name in next(v for k, v in needed.items() if TABLES[k] == columns):
            if name not in row:
                raise Refused(f"{where}: no {name}")
        rows.append(row)
    return said.get("device"), rows


class Folder:
    def __init__(self, path, device=None, source=""):
        self.path, self.rows = path, {}
        os.makedirs(path, exist_ok=True)
        self.lock = open(os.path.join(path, ".lock"), "a")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(f"{path} is being measured into by another process") from None
        devices = set()
        for name, columns in TABLES.items():
            found, self.rows[name] = read(self.file(name), columns)
            devices |= {found} - {None}
        if device and devices - {device}:
            raise Refused(f"{path} was measured on {min(devices - {device})}, and this is {device}: take another folder")
        self.device, self.source = device or min(devices, default=""), source

    def file(self, name):
        return os.path.join(self.path, name + ".csv")

    def count(self):
        return sum(map(len, self.rows.values()))

    def add(self, name, *new):
        """Writes rows; what was measured before stays if that fails."""
        text = io.StringIO(newline="")
        text.write((f"# device: {self.device}\n" if self.device else "") + f"# source: {self.source}\n")
        table = csv.DictWriter(text, TABLES[name], restval="", extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(self.rows[name] + list(new))
        replace(self.file(name), text.getvalue())
        self.rows[name] += new


def replace(path, text):
    """A file anew, whole or not at all."""
    beside = path + ".new"
    try:
        with open(beside, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        try:
            os.unlink(beside)
        except OSError:
            pass
        raise Full(f"cannot write {path}: {error.strerror}") from None
