"""datasets: rows of the right columns with made-up text. Files that are named (text, JSON lines, CSV) and those of JSON lines in a folder that is named are read."""
import csv
import json
import os
import pathlib
import random

from .nothing import Nothing

utils = logging = Nothing("datasets.utils")  # verbosity
ROWS = 32   # of each rank
WORDS = 24  # of a sentence; 40 sentences of a text
COLUMNS = {"mrpc": ("sentence1", "sentence2", "label", "idx"), "cola": ("sentence", "label", "idx"), "sst2": ("sentence", "label", "idx")}


def sentence(draw, count=WORDS):
    return " ".join("".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(draw.randint(2, 8))) for _ in range(count)) + "."


def row(index, columns):
    draw = random.Random(index)
    made = {"label": draw.randint(0, 1), "idx": index}
    return {name: made[name] if name in made else sentence(draw, WORDS * (40 if name == "text" else 1)) for name in columns}


class Dataset:
    """`rows`: dictionaries, all with the same names."""
    builder_name = config_name = split = None

    def __init__(self, rows):
        self.rows = list(rows)

    @property
    def column_names(self):
        return list(self.rows[0]) if self.rows else []

    features = column_names

    @property
    def num_rows(self):
        return len(self.rows)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, key):
        if isinstance(key, str):
            return [row[key] for row in self.rows]
        if isinstance(key, int):
            return self.rows[key]
        picked = self.rows[key] if isinstance(key, slice) else [self.rows[i] for i in key]
        return {name: [row[name] for row in picked] for name in self.column_names}

    def map(self, function, batched=False, batch_size=1000, remove_columns=(), **_):
        gone = [remove_columns] if isinstance(remove_columns, str) else remove_columns or ()
        out = []
        for at in range(0, len(self.rows), batch_size if batched else 1):
            part = self.rows[at:at + (batch_size if batched else 1)]
            if batched:
                made = function(self[at:at + batch_size])
                count = len(next(iter(made.values())))
                new = [{name: values[i] for name, values in made.items()} for i in range(count)]
                part = part if count == len(part) else [{}] * count
            else:
                new = [function(part[0])]
            out += [{**{k: v for k, v in old.items() if k not in gone}, **more} for old, more in zip(part, new)]
        return type(self)(out)

    def filter(self, function, **_):
        return type(self)(row for row in self.rows if function(row))

    def rename_column(self, old, new):
        return type(self)({new if k == old else k: v for k, v in row.items()} for row in self.rows)

    def remove_columns(self, names):
        names = [names] if isinstance(names, str) else names
        return type(self)({k: v for k, v in row.items() if k not in names} for row in self.rows)

    def select(self, indices):
        return type(self)(self.rows[i] for i in indices)

    def skip(self, count):
        return type(self)(self.rows[count:])

    def take(self, count):
        return type(self)(self.rows[:count])

    def shuffle(self, *_, **__):
        return self

    def shard(self, num_shards, index, **_):
        return type(self)(self.rows[index::num_shards])

    def train_test_split(self, test_size=0.25, **_):
        count = int(len(self.rows) * test_size) if isinstance(test_size, float) else test_size
        return DatasetDict(train=Dataset(self.rows[count:]), test=Dataset(self.rows[:count]))

    def set_format(self, *_, **__):
        pass

    def with_format(self, *_, **__):
        return self

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class IterableDataset(Dataset):
    """Of a stream."""
    n_shards = num_shards = 1


class DatasetDict(dict):
    """Splits by name. What is done to it is done to each."""

    def __getattr__(self, name):
        if name.startswith("__") or not hasattr(Dataset, name):
            raise AttributeError(name)
        return lambda *args, **kwargs: DatasetDict({key: getattr(value, name)(*args, **kwargs) for key, value in self.items()})


def rows_of(kind, files):
    """Of files that are given by name: one or several."""
    for path in map(pathlib.Path, [files] if isinstance(files, (str, os.PathLike)) else files):
        with open(path, newline="") as file:
            if kind == "csv":
                yield from csv.DictReader(file)
            else:
                lines = (line.rstrip("\n") for line in file)
                yield from ({"text": line} for line in lines) if kind == "text" else (json.loads(line) for line in lines if line.strip())


def part(rows, wanted):
    """`train[:5%]` and the like, of one split's rows."""
    first, _, last = wanted.partition("[")[2].rstrip("]").partition(":")
    places = [int(end[:-1]) * len(rows) // 100 if end.endswith("%") else int(end) if end else None for end in (first, last)]
    return rows[places[0]:places[1]]


def load_dataset(path, name=None, split=None, streaming=False, data_files=None, **_):
    kind = IterableDataset if streaming else Dataset
    if data_files is not None:
        splits = DatasetDict({key: kind(rows_of(path, files)) for key, files in (data_files if isinstance(data_files, dict) else {"train": data_files}).items()})
    else:
        files = sorted(pathlib.Path(path).glob("*.json*")) if os.path.isdir(path) else []
        rows = list(rows_of("json", files)) or [row(i, COLUMNS.get(name, ("text",))) for i in range(ROWS * int(os.environ.get("WORLD_SIZE", 1)))]
        splits = DatasetDict({key: kind(rows) for key in ("train", "validation", "test")})
    if split is None:
        return splits
    whole = splits.get(split.partition("[")[0], splits["train"])
    return type(whole)(part(whole.rows, split)) if "[" in split else whole


def load_from_disk(path, **_):
    return load_dataset(path)


def split_dataset_by_node(dataset, rank, world_size):
    return dataset.shard(world_size, rank)
