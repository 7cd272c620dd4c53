"""Runs a script as one rank and writes its graph: python -m trainspec_tracer.child SCRIPT ARGUMENT..., or -m MODULE ARGUMENT....

Settings come in TRAINSPEC_TRACE, a JSON object with the arguments of `start`, and `output`, `step`. Exit codes: that of the script; 3: out of memory; 4: no step of an optimizer;
75: the rank waits for what another says, told in a file beside the output; 76: it wants a package, likewise.
"""
import faulthandler
import json
import os
import pickle
import runpy
import signal
import sys
import traceback

OUT_OF_MEMORY, NO_STEP, WAITS, WANTS = 3, 4, 75, 76


def run(arguments):
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")


def main():
    import trainspec_tracer
    from trainspec_tracer.packages import TABLE, missing
    from trainspec_tracer.record import Enough
    from trainspec_tracer.values import said
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    settings = json.loads(os.environ.pop("TRAINSPEC_TRACE"))
    output, step = settings.pop("output"), settings.pop("step", None)
    stood_in = TABLE if settings.pop("stand_in", False) else ()
    trace = trainspec_tracer.start(**settings)
    trace.recorder.enough = step
    status = 0
    try:
        run(sys.argv[1:])
    except Enough:
        pass
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException as error:
        trace.stop()
        wanted = missing(error)
        if wanted:
            with open(output.replace("{rank}", "wants"), "wb") as file:
                pickle.dump(wanted, file)
        if not trace.recorder.out_of_memory and not trace.stopped and wanted not in stood_in:
            traceback.print_exc()
        status = 1 if wanted is None else WANTS
    trace.stop()
    if trace.recorder.out_of_memory:
        status = OUT_OF_MEMORY
    elif trace.stopped:
        status = WAITS
        with open(output.replace("{rank}", "waits"), "wb") as file:
            pickle.dump((trace.stopped.key, trace.stopped.peer), file)
    elif status == 0 and step is None and not trace.recorder.ends:
        status = NO_STEP
    told = trace.recorder.thin.values.graph() if trace.recorder.thin else ()
    if told and status not in (0, OUT_OF_MEMORY, WAITS, WANTS):
        print("trainspec-trace: before, the script took values that nobody computed:", *map(said, told), sep="\n", file=sys.stderr)
    if status in (0, OUT_OF_MEMORY):
        try:
            trace.write(output, step)
        except ValueError as error:
            print(f"trainspec-trace: {error}", file=sys.stderr)
            status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # groups of other threads and real backends need no farewell


if __name__ == "__main__":
    main()
