#!/usr/bin/env python3
"""Writes a memory snapshot of PyTorch (torch.cuda.memory._dump_snapshot) as JSON that `trainspec trace` reads.

    snapshot_to_json.py snapshot.pickle > snapshot.json

Needs no PyTorch. Pickles that hold anything but plain values are refused, so none can run code. Stack frames are left out.
"""
import json
import pickle
import sys

SEGMENT = ("device", "address", "total_size", "allocated_size", "active_size", "stream", "segment_type")
ENTRY = ("action", "addr", "size", "stream", "time_us")


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"it holds a {module}.{name}, which no snapshot does")


def chosen(record, keys):
    return {key: record[key] for key in keys if key in record}


def plain(snapshot):
    return {
        "segments": [chosen(segment, SEGMENT) for segment in snapshot["segments"]],
        "device_traces": [[chosen(entry, ENTRY) for entry in trace] for trace in snapshot.get("device_traces", [])],
    }


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 0 if arguments == ["--help"] else 2
    try:
        with open(arguments[0], "rb") as file:
            text = json.dumps(plain(PlainUnpickler(file).load()))
    except OSError as error:
        print(f"snapshot_to_json.py: {error}", file=sys.stderr)
        return 4
    except Exception as error:  # a damaged pickle fails in many ways
        print(f"snapshot_to_json.py: {arguments[0]} is no memory snapshot: {error or type(error).__name__}", file=sys.stderr)
        return 1
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
