"""The processes that measure, one a device."""
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time


class Gone(Exception):
    """A process or its device is there no more."""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def environment(rank, world, port):
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    own = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "USE_LIBUV": "0",
           "PYTHONPATH": os.pathsep.join([package] + [p for p in [os.environ.get("PYTHONPATH")] if p])}
    return dict(os.environ, **own)


class Pool:
    """`command` is what a rank runs: it says a line when it is ready, then takes lines and answers each."""

    def __init__(self, command, world, limit):
        self.limit, port = limit, free_port()
        self.said = [tempfile.TemporaryFile() for _ in range(world)]
        self.ranks = [subprocess.Popen(command, env=environment(r, world, port), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said[r]) for r in range(world)]

    def why(self, rank):
        self.said[rank].seek(0, os.SEEK_END)
        self.said[rank].seek(max(0, self.said[rank].tell() - 2000))
        lines = [l for l in self.said[rank].read().decode(errors="replace").strip().split("\n") if l]
        return f"; it last said: {lines[-1][:300]}" if lines else ""

    def line(self, rank, until):
        process, text = self.ranks[rank], b""
        while not text.endswith(b"\n"):
            if not select.select([process.stdout], [], [], max(0, until - time.monotonic()))[0]:
                raise Gone(f"rank {rank} did not answer within {self.limit:g} s{self.why(rank)}")
            more = os.read(process.stdout.fileno(), 65536)
            if not more:
                process.wait()
                raise Gone(f"the process of rank {rank} ended with {process.returncode}{self.why(rank)}")
            text += more
        return json.loads(text)

    def measure(self, point):
        """The answers of all ranks."""
        until = time.monotonic() + self.limit
        for rank, process in enumerate(self.ranks):
            try:
                process.stdin.write(json.dumps(point).encode() + b"\n")
                process.stdin.flush()
            except OSError:
                process.wait()
                raise Gone(f"the process of rank {rank} ended with {process.returncode}{self.why(rank)}") from None
        return self.answers(until)

    def ready(self):
        self.answers(time.monotonic() + self.limit)

    def answers(self, until):
        # One that is gone leaves the others waiting for it, so whoever is ready is asked first.
        found, left = [None] * len(self.ranks), set(range(len(self.ranks)))
        while left:
            ready = select.select([self.ranks[r].stdout for r in left], [], [], max(0, until - time.monotonic()))[0]
            if not ready:
                raise Gone(f"rank {min(left)} did not answer within {self.limit:g} s{self.why(min(left))}")
            for rank in [r for r in left if self.ranks[r].stdout in ready]:
                found[rank] = self.line(rank, until)
                left.remove(rank)
                if "gone" in found[rank]:
                    raise Gone(f"rank {rank}: {found[rank]['gone']}")
        return found

    def end(self):
        for process in self.ranks:
            process.stdin.close()
        until = time.monotonic() + 3
        for process in self.ranks:
            try:
                process.wait(max(0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
        for said in self.said:
            said.close()


def command(*arguments):
    return [sys.executable, "-m", "trainspec_profile.ranks", *arguments]


def describe(kind):
    """What there is to measure."""
    done = subprocess.run(command("--describe", kind), env=environment(0, 1, 0), capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().split("\n") or [""])[-1]
        raise Gone("measuring needs PyTorch, which this Python has not: pip install torch" if "No module named 'torch'" in last else f"no device `{kind}`: {last}")
    return json.loads(done.stdout)
