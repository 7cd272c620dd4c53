"""Ranks that a script starts by itself: the tracer acts one rank in its own process."""
import multiprocessing.process
import os

import torch.multiprocessing


class Foreign(RuntimeError):
    """The script starts processes that cannot be acted."""


class Processes:
    """`world`, `local`: ranks of the job, of a node. `rank`: the one that is acted."""

    def __init__(self, rank, world, local):
        self.rank, self.world, self.local, self.own = rank, world, local, os.getpid()
        self.started = 0  # by the script: workers that load data, or ranks that nobody records
        torch.multiprocessing.spawn = self.spawn
        start = multiprocessing.process.BaseProcess.start

        def counted(process):
            self.started += 1
            start(process)

        multiprocessing.process.BaseProcess.start = counted

    def spawn(self, fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
        """torch.multiprocessing.spawn of all ranks of a node: one of them runs here."""
        if nprocs != self.local:
            raise Foreign(f"the script spawns {nprocs} processes of a node, and {self.local} of {self.world} ranks are acted on one: --world {nprocs}")
        fn(self.rank % self.local, *args)

    def check(self):
        """Called where a rank joins a group."""
        if os.getpid() != self.own:
            raise Foreign("the script forks its ranks: start one process a rank, by torchrun or torch.multiprocessing.spawn")
