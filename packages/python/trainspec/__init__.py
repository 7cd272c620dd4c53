"""TrainSpec in Python: load a plan of a distributed training step, play it, read the results.

    import trainspec
    plan = trainspec.load("plan.ts")
    r = plan.run(tp=8)
    print(r.step_time, r.peak_memory, r.mfu)
    rows = plan.sweep({"tp": [1, 2, 4, 8]})

Everything happens in this process, by the library `libtrainspec`. Each plan, result and sweep has
memory of its own, so threads may work on different ones at once; calls on one and the same wait
for each other. Results are the same on every machine and for any number of threads.
"""
from .inside import callback, plan_of, prediction
from .messages import Error, Message, OutOfMemory, Span
from .plan import Parameter, Plan, load, loads
from .result import Critical, Event, Rank, Result, Time, Timeline
from .sweep import Sweep
from .units import Quantity
from ._library import max_memory, version

__version__ = version()
__all__ = ["Critical", "Error", "Event", "Message", "OutOfMemory", "Parameter", "Plan", "Quantity", "Rank", "Result",
           "Span", "Sweep", "Time", "Timeline", "callback", "load", "loads", "max_memory", "plan_of", "prediction",
           "version"]
