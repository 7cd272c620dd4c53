"""Streams and what makes them wait: schedules by hand, and TorchSim's own algorithm (its algorithms 1 to 6 and table 11), restated here, on random programs.

Programs are given to the recorder by the calls that a script's streams, events and works come down to, and its graph is played by `trainspec replay` and `tsrun --overlap turns`. The algorithm is
given the same programs as queues. Two things are as CUDA and NCCL have them and not as the paper's text has: a stream that is waited for hands on what it waits for itself (`wait_stream` is an
event), and `work.wait` stops the current stream, not all queues.
"""
import json
import os
import random
import subprocess
import unittest

from test_tracer import Folder
from trainspec_tracer import graph as graphs
from trainspec_tracer.record import Recorder

PROGRAMS = 200 if os.environ.get("TS_TEST_ALL") else 40
TRAINSPEC = os.environ.get("TRAINSPEC")


class Queue:
    def __init__(self, resource, priority):
        self.resource, self.priority = resource, priority
        self.ops, self.waits, self.behind = [], set(), {-1: []}  # behind: an op, the keys that the queue waits for from then on
        self.left, self.running = 0, False

    def last(self):
        return self.ops[-1][0] if self.ops else -1

    def wait(self, key):
        self.behind.setdefault(self.last(), []).append(key)


class TorchSim:
    """Queues of (op, time), None for one that only releases: an event. A resource holds an op at a time."""
    def __init__(self, queues):
        self.queues = {name: Queue(*of) for name, of in queues.items()}
        self.next, self.released, self.span = 0, set(), {}

    def op(self, queue, time):
        self.queues[queue].ops.append((self.next, time))
        self.next += 1
        return self.next - 1

    def event(self, queue):
        return self.op(queue, None)

    def wait_all(self, keys):
        for queue in self.queues.values():
            for key in keys:
                queue.wait(key)

    def take_waits(self, queue, behind):
        queue.waits |= {key for key in queue.behind.get(behind, ()) if key not in self.released}

    def release(self, key):
        self.released.add(key)
        for queue in self.queues.values():
            queue.waits.discard(key)

    def settle(self):
        """Events at the heads of queues that wait for nothing."""
        moved = True
        while moved:
            moved = False
            for queue in self.queues.values():
                while queue.ops and not queue.waits and queue.ops[0][1] is None:
                    op, _ = queue.ops.pop(0)
                    self.release(op)
                    self.take_waits(queue, op)
                    moved = True

    def run(self):
        now, held = 0, {}
        for queue in self.queues.values():
            self.take_waits(queue, -1)
        while True:
            self.settle()
            ready = [q for q in self.queues.values() if q.ops and not q.waits and not q.running]
            for queue in sorted(ready, key=lambda q: (q.priority, q.ops[0][0])):
                if queue.resource not in held:
                    held[queue.resource] = queue
                    queue.running, queue.left = True, queue.ops[0][1]
                    self.span[queue.ops[0][0]] = (now, now + queue.left)
            if not held:
                assert not any(queue.ops for queue in self.queues.values()), "deadlock"
                return self.span
            step = min(queue.left for queue in held.values())
            now += step
            for resource, queue in list(held.items()):
                queue.left -= step
                if queue.left == 0:
                    del held[resource]
                    op, _ = queue.ops.pop(0)
                    queue.running = False
                    self.release(op)
                    self.take_waits(queue, op)


class Stream:
    def __init__(self, number, priority=0):
        self.cuda_stream, self.priority = number, priority


class Event:
    pass


STREAMS = {"main": Stream(0), "side": Stream(1), "first": Stream(2, -1), "other": Stream(3)}
QUEUES = {**{name: ("compute", stream.priority) for name, stream in STREAMS.items()},
          "inside": ("inside", 0), "between": ("between", 0), "in": ("host to device", 0), "out": ("device to host", 0)}


class Program:
    """The same calls to the recorder and to the algorithm's queues."""
    def __init__(self):
        self.recorder, self.torchsim = Recorder(0, 1), TorchSim(QUEUES)
        self.names, self.works, self.events = {}, [], []

    def add(self, queue, time, stream, after=()):
        node = self.recorder.add(f"aten::op{len(self.names)}", stream, {"ns": time}, after)
        self.names[self.torchsim.op(queue, time)] = f"op{len(self.names)}"
        return node

    def kernel(self, stream, time):
        self.add(stream, time, self.recorder.stream_number(STREAMS[stream]))

    def copy(self, way, stream, time):
        key = self.torchsim.event(stream)
        self.torchsim.queues[way].wait(key)
        number = self.recorder.stream_number(STREAMS[stream])
        name = f"op{len(self.names)}"
        self.recorder.copy_between(way, f"aten::{name}", number, {"ns": time})
        op = self.torchsim.op(way, time)
        self.names[op] = name
        self.torchsim.queues[stream].wait(op)

    def call(self, queue, stream, time):
        """A collective goes behind what its stream has now."""
        self.torchsim.queues[queue].wait(self.torchsim.event(stream))
        number = self.recorder.stream_number(STREAMS[stream])
        node = self.add(queue, time, self.recorder.stream_named(("calls", queue), {"kind": "comm"}), self.recorder.ahead(number))
        self.works.append((node, self.torchsim.queues[queue].last()))

    def work_wait(self, stream, work):
        node, op = work
        self.recorder.wait_for(self.recorder.stream_number(STREAMS[stream]), node)
        self.torchsim.queues[stream].wait(op)

    def record(self, stream):
        event = Event()
        self.recorder.event_recorded(event, STREAMS[stream])
        self.events.append((event, self.torchsim.event(stream)))
        return self.events[-1]

    def event_wait(self, stream, event):
        self.recorder.event_awaited(event[0], STREAMS[stream])
        self.torchsim.queues[stream].wait(event[1])

    def wait_stream(self, stream, other):
        self.event_wait(stream, self.record(other))

    def event_synchronize(self, event):
        self.recorder.host_waits("event synchronize", event=event[0])
        self.torchsim.wait_all([event[1]])

    def stream_synchronize(self, stream):
        self.recorder.host_waits("stream synchronize", stream=STREAMS[stream])
        self.torchsim.wait_all([self.torchsim.event(stream)])

    def synchronize(self):
        self.recorder.host_waits("device synchronize")
        self.torchsim.wait_all([self.torchsim.event(name) for name in QUEUES])


def draw(seed):
    r, p = random.Random(seed), Program()
    kinds = ["kernel"] * 6 + ["copy", "call", "record", "event_wait", "wait_stream", "work_wait", "event_synchronize", "stream_synchronize", "synchronize"]
    for _ in range(r.randint(8, 40)):
        kind, stream, time = r.choice(kinds), r.choice(list(STREAMS)), r.randint(10**3, 10**7)
        if kind == "kernel":
            p.kernel(stream, time)
        elif kind == "copy":
            p.copy(r.choice(["in", "out"]), stream, time)
        elif kind == "call":
            p.call(r.choice(["inside", "between"]), stream, time)
        elif kind == "work_wait" and p.works:
            p.work_wait(stream, r.choice(p.works))
        elif kind == "event_wait" and p.events:
            p.event_wait(stream, r.choice(p.events))
        elif kind == "event_synchronize" and p.events:
            p.event_synchronize(r.choice(p.events))
        elif kind == "wait_stream":
            p.wait_stream(stream, r.choice(list(STREAMS)))
        elif kind in ("record", "stream_synchronize"):
            getattr(p, kind)(stream)
        elif kind == "synchronize":
            p.synchronize()
    p.kernel("main", r.randint(10**3, 10**7))
    return p


@unittest.skipUnless(TRAINSPEC, "no program")
class Schedules(Folder):
    def played(self, program):
        """{name: end in ns}, of all that takes time. A kernel that waits for its turn is under way to a play."""
        graph, ir, trace = (str(self.folder / name) for name in ("rank.0.json", "step.ir", "step.trace"))
        graphs.replace([(graph, json.dumps(program.recorder.graph(0, "a test")).encode())])
        for command in ([TRAINSPEC, "replay", "--machine", "1T:1T:10G:1us", "-o", ir, graph],
                        [os.path.join(os.path.dirname(TRAINSPEC), "tsrun"), "--overlap", "turns", "--trace", trace, ir]):
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        return {e["name"].split("::")[-1]: round(1e3 * (e["ts"] + e["dur"])) for e in events if e["ph"] == "X" and "op" in e["name"]}

    def test_by_hand(self):
        """Kernels go one after the other: first that of the higher priority, then as issued. A kernel that has begun goes on. Copies of a way queue."""
        p = Program()
        p.kernel("first", 300)
        p.kernel("main", 1000)
        p.kernel("side", 500)
        p.copy("in", "main", 400)
        p.copy("out", "main", 400)
        p.copy("in", "side", 100)
        p.kernel("side", 50)
        self.assertEqual(self.played(p), {"op0": 300, "op1": 1300, "op2": 1800, "op3": 1700, "op4": 2100, "op5": 1900, "op6": 1950})

    def test_what_has_begun_goes_on(self):
        p = Program()
        p.kernel("side", 100)
        p.event_wait("first", p.record("side"))
        p.kernel("main", 1000)
        p.kernel("side", 10)
        p.kernel("first", 20)
        self.assertEqual(self.played(p), {"op0": 100, "op3": 120, "op1": 1120, "op2": 1130})

    def test_both_ways_go_together(self):
        p = Program()
        p.copy("in", "main", 400)
        p.copy("out", "side", 300)
        p.copy("in", "other", 100)
        self.assertEqual(self.played(p), {"op0": 400, "op1": 300, "op2": 500})

    def test_each_primitive_hands_on_pending_waits(self):
        """`other` waits for a kernel of `main` and has no work of its own; what waits for `other` waits for that kernel."""
        ways = {
            "wait_stream": lambda p: p.wait_stream("side", "other"),
            "wait_event": lambda p: p.event_wait("side", p.record("other")),
            "event.synchronize": lambda p: p.event_synchronize(p.record("other")),
            "stream.synchronize": lambda p: p.stream_synchronize("other"),
            "synchronize": lambda p: p.synchronize(),
            "call": lambda p: (p.call("inside", "other", 10), p.work_wait("side", p.works[-1]))}
        for name, way in ways.items():
            p = Program()
            p.call("between", "main", 1000)
            p.work_wait("other", p.works[-1])
            way(p)
            p.kernel("side", 70)
            with self.subTest(name):
                last = f"op{len(p.names) - 1}"
                begin = 1010 if name == "call" else 1000
                self.assertEqual(self.played(p)[last], begin + 70)

    def test_random_programs(self):
        for seed in range(PROGRAMS):
            p = draw(seed)
            expected = {p.names[op]: end for op, (_, end) in p.torchsim.run().items()}
            with self.subTest(seed):
                self.assertEqual(self.played(p), expected)


if __name__ == "__main__":
    unittest.main()
