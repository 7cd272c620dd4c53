"""Records what each rank of a distributed PyTorch training step does, on one device.

In a script, for the rank that the environment names (RANK, WORLD_SIZE):

    import trainspec_tracer
    trace = trainspec_tracer.start()
    ...                                   # the script as it is, from init_process_group to the last optimizer step
    trace.write("job.{rank}.json")

or, for all ranks in turn and with no change: trainspec-trace -- python train.py
"""
import importlib.util
import os
import pathlib

import torch

from . import graph as graphs
from .values import decided, said

__version__ = "0.1.0"
__all__ = ["start", "Trace", "__version__"]


class Trace:
    """A recording that is under way."""

    def __init__(self, recorder, redirect, hooks, values="take"):
        self.recorder, self._redirect, self._hooks, self._values = recorder, redirect, hooks, values

    @property
    def processes_started(self):
        """By the script: they are not recorded."""
        return self._redirect.processes.started if self._redirect.processes else 0

    @property
    def stopped(self):
        """Where a rank that is patient waits (turns.Wait), or None."""
        return self._redirect.mail.stopped

    def graph(self, step=None):
        """Of the last step, of step N (from 1), or of all (0): a dictionary as doc/graph_json.md says."""
        return self.recorder.graph(step, f"trainspec-tracer {__version__}, torch {torch.__version__}")

    def write(self, path, step=None):
        """`{rank}` in the path is replaced. Ends the recording. ValueError: the script went by a value that nobody computed."""
        self.stop()
        graph = self.graph(step)
        if self._values == "refuse" and decided(graph):
            raise ValueError("\n".join(["the script goes by values that nobody computed:", *map(said, decided(graph)), 'values="take" takes what they read as']))
        graphs.write([graph], lambda _: path.replace("{rank}", str(self.recorder.rank)))

    def stop(self):
        if self._hooks:
            self._hooks.__exit__(None, None, None)
            self.recorder.__exit__(None, None, None)
            self._redirect.mail.close()
            self._hooks = None


def start(rank=None, world=None, real=False, compute=None, timed=False, memory=None, folder=None, patient=False, routing="balanced", values="refuse", device=None, local=None, packages=()):
    """Begins to record. `real`: this is one of really running processes. `compute`: run operators (default: where there is a GPU, and if `real`); otherwise shapes alone are
    worked out. `timed`: measure each operator. `memory`: bytes that a device has. `folder`: where ranks leave small tensors for those acted after them.
    `patient`: stop where the script needs what a rank says that has not been acted (turns.py). `routing`: what experts are chosen by where scores are not computed (routing.py).
    `values`: what is done with a script that goes by a value which nobody computed: `refuse` to write its graph, or `take` it (values.py). `device`: the GPU that a stand-in for cuda shows (cuda/devices.py). `local`: ranks of a node (default: all).
    `packages`: that are stood in for where they are not found (packages/)."""
    from .cuda import toolkit
    from .packages import install, stand_in_for_builds
    from .processes import Processes
    from .record import Recorder
    from .redirect import Redirect, watch
    from .groups import Group

    rank = int(os.environ.get("RANK", 0)) if rank is None else rank
    world = int(os.environ.get("WORLD_SIZE", 1)) if world is None else world
    if compute is None:
        compute = real or timed or torch.cuda.is_available()
    Group.copies, Group.values = compute, None
    recorder = Recorder(rank, world, compute, timed, memory, routing)
    if device:
        recorder.stand_in_for_cuda(device, min(local or world, world), compute)
        if folder:
            toolkit.install(folder)
    processes = None if real else Processes(rank, world, min(local or world, world))
    if recorder.thin and not compute:
        Group.values = recorder.thin.values
        recorder.thin.values.watch()
    redirect = Redirect(recorder, real, pathlib.Path(folder) if folder else None, patient, processes)
    watch(recorder)
    if device and importlib.util.find_spec("triton"):
        packages = [*packages, "triton"]
    recorder.packages = install(packages) if packages or device else None
    if device:
        stand_in_for_builds(recorder.packages)
    hooks = torch.autograd.graph.saved_tensors_hooks(recorder.saved, lambda tensor: tensor)
    recorder.__enter__()
    hooks.__enter__()
    return Trace(recorder, redirect, hooks, values)
