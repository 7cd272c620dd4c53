"""What is measured: series of kernels, collectives and pairs, with the sizes that they may have."""
import itertools
import math

from .choose import Series

WIDTH = {"fp32": 4, "bf16": 2, "fp16": 2}
SHARES = {"gemm": 0.4, "attention": 0.15, "elementwise": 0.15, "collective": 0.2, "pair": 0.1}
STREAMS = {"add": 3, "gelu": 2, "layer_norm": 2, "softmax": 2}  # tensors that each reads and writes
ROW = 1024  # numbers of a row of theirs
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all", "message")
BESIDE = {"gemm": {"family": "gemm", "m": 1024, "n": 1024, "k": 1024}, "elementwise": {"family": "elementwise", "operator": "add", "bytes": 48 << 20}}  # kernels beside an all-reduce
TABLES = {"kernels": ["family", "dtype", "operator", "m", "n", "k", "batch", "seq", "heads", "kv_heads", "head_dim", "bytes", "time_us", "low_us", "high_us", "repeats"],
          "collectives": ["collective", "ranks", "islands", "bytes", "time_us", "algorithm", "protocol"],
          "overlap": ["source", "family", "dtype", "time", "flops", "bytes", "transfer", "ranks", "transfer_bytes", "transfer_time", "slowdown"]}
NUMBERS = {"m", "n", "k", "batch", "seq", "heads", "kv_heads", "head_dim", "bytes", "time_us", "low_us", "high_us", "repeats", "ranks", "islands", "time", "flops", "transfer_bytes",
           "transfer_time", "slowdown"}


def steps(low, high, each=2.0):
    """Whole numbers from low to high, each that factor more than the last."""
    count = round(math.log(high / low, each))
    return sorted({round(low * each ** i) for i in range(count + 1)})


def flops(point):
    """Of a kernel."""
    if point["family"] == "gemm":
        return 2 * point["m"] * point["n"] * point["k"]
    if point["family"] == "attention":
        return 4 * point["batch"] * point["heads"] * point["seq"] ** 2 * point["head_dim"]
    return point["bytes"] / WIDTH["fp32"]


def held(point):
    """Bytes that the tensors of a kernel take."""
    width = WIDTH[point["dtype"]]
    if point["family"] == "gemm":
        return width * (point["m"] * point["k"] + point["k"] * point["n"] + point["m"] * point["n"])
    if point["family"] == "attention":
        return width * 4 * point["batch"] * point["heads"] * point["seq"] * point["head_dim"]
    return point["bytes"]


class Plan:
    """All series; a place of a series is a point, and a row of a table is a place again, so what was measured is taken up."""

    def __init__(self, dtypes, worlds, memory, largest):
        self.series, self.point, self.sizes, self.group = [], {}, {}, {}
        for dtype in dtypes:
            sides = steps(64, 16384)
            self.add("gemm", ["m", "n", "k"], [dict(family="gemm", dtype=dtype, m=m, n=n, k=k) for m, n, k in itertools.product(sides, sides, sides)], memory)
            self.add("attention", ["batch", "seq", "heads", "head_dim"],
                     [dict(family="attention", dtype=dtype, batch=b, seq=s, heads=h, kv_heads=h, head_dim=d)
                      for b, s, h, d in itertools.product((1, 2, 4, 8), steps(64, 16384), (4, 8, 16, 32), (64, 128))], memory)
            for operator, tensors in STREAMS.items():
                row = tensors * WIDTH[dtype] * ROW
                self.add("elementwise", ["bytes"], [dict(family="elementwise", dtype=dtype, operator=operator, bytes=row * r) for r in steps(1, 1 << 17, math.sqrt(2))], memory, 1 / len(STREAMS))
        for world, kind in itertools.product(worlds, COLLECTIVES):
            if kind != "message" or world == 2:
                self.add("collective", ["bytes"], [dict(collective=kind, ranks=world, islands=1, bytes=b // 64 * 64) for b in steps(1024, largest, math.sqrt(2))], memory,
                         1 / len(COLLECTIVES) / len(worlds))
        for world, dtype, kernel in itertools.product(worlds, dtypes, BESIDE.values()):
            self.add("pair", ["transfer_bytes"], [dict(kernel, dtype=dtype, transfer="all_reduce", ranks=world, transfer_bytes=b) for b in steps(1 << 20, largest, 4)], memory,
                     1 / len(BESIDE) / len(worlds) / len(dtypes))

    def add(self, group, sizes, points, memory, part=1.0):
        name, work, places = self.name_of(points[0]), [], []
        for point in points:
            size = point.get("transfer_bytes", 0) + (held(point) if "family" in point else point["bytes"])
            if size <= memory:
                places.append(tuple(math.log(point[s]) for s in sizes))
                work.append(point["transfer_bytes"] if group == "pair" else flops(point) if "family" in point else point["bytes"])
                self.point[name, places[-1]] = point
        if places:
            self.sizes[name], self.group[name] = sizes, group
            self.series.append(Series(name, SHARES[group] * part, places, work))

    @staticmethod
    def name_of(row):
        if "transfer" in row:
            return f"{row['family']} {row['dtype']} beside {row['transfer']} of {row['ranks']}"
        if "collective" in row:
            return f"{row['collective']} of {row['ranks']}"
        return " ".join(row[k] for k in ("family", "operator", "dtype") if row.get(k))

    def take_up(self, rows):
        """Rows of an earlier run: how many are points of this one. Those that are not stay in the tables all the same."""
        by_name, taken = {s.name: s for s in self.series}, 0
        for row in rows:
            series = by_name.get(self.name_of(row))
            sizes = series and [row.get(s, 0) for s in self.sizes[series.name]]
            place = min(sizes) > 0 and tuple(map(math.log, sizes)) if sizes else None
            if place and place in series.open:
                series.take(place, seconds_of(row))
                taken += 1
        return taken


def seconds_of(row):
    """What the chooser learns: of a pair, its slowdown."""
    return row["slowdown"] if "slowdown" in row else row["time_us"] * 1e-6
