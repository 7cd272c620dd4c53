"""Runs a script as one rank and writes its graph: python -m trainspec_tracer.child SCRIPT ARGUMENT..., or -m MODULE ARGUMENT....

Settings come in TRAINSPEC_TRACE, a JSON object with the arguments of `start`, and `output`, `step`. How it ended is said in a file beside the output, as exit codes are the script's: `outcome` is DONE, FAILED
(`exit`: with what), OUT_OF_MEMORY, NO_STEP (`processes`: that the script started), WAITS for what another rank says (a pickled file tells), or WANTS a package. Where there is no such file, the process was ended. One of really running
processes leaves no such file.
"""
import faulthandler
import json
import os
import pickle
import runpy
import signal
import sys
import traceback

DONE, FAILED, OUT_OF_MEMORY, NO_STEP, WAITS, WANTS = "done", "failed", "out of memory", "no step", "waits", "wants"
EXITS = {DONE: 0, OUT_OF_MEMORY: 3, NO_STEP: 4}  # of one of really running processes


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
    real = settings.get("real", False)
    trace = trainspec_tracer.start(**settings)
    trace.recorder.enough = step
    outcome, told, why = DONE, {}, None
    try:
        run(sys.argv[1:])
    except Enough:
        pass
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if code:
            outcome, told = FAILED, {"exit": code}
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException as error:
        trace.stop()
        wanted = missing(error)
        if not trace.recorder.out_of_memory and not trace.stopped and wanted not in stood_in:
            traceback.print_exc()
            why = trace.recorder.why(error)
        outcome, told = (FAILED, {"exit": 1}) if wanted is None else (WANTS, {"package": wanted})
    trace.stop()
    if trace.recorder.out_of_memory:
        outcome = OUT_OF_MEMORY
    elif trace.stopped:
        outcome = WAITS
        with open(output.replace("{rank}", "waits"), "wb") as file:
            pickle.dump((trace.stopped.key, trace.stopped.peer), file)
    elif outcome == DONE and step is None and not trace.recorder.ends:
        outcome, told = NO_STEP, {"processes": trace.processes_started}
    values = trace.recorder.thin.values.graph() if trace.recorder.thin else ()
    if values and outcome in (FAILED, NO_STEP):
        print("trainspec-trace: before, the script took values that nobody computed:", *map(said, values), sep="\n", file=sys.stderr)
    if why and outcome == FAILED:
        print(f"trainspec-trace: {why}", file=sys.stderr)
    if outcome in (DONE, OUT_OF_MEMORY):
        try:
            trace.write(output, step)
        except ValueError as error:
            print(f"trainspec-trace: {error}", file=sys.stderr)
            outcome, told = FAILED, {"exit": 0}
    if not real:
        with open(output.replace("{rank}", "left"), "w") as file:
            json.dump({"outcome": outcome, **told}, file)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(told.get("exit") or EXITS.get(outcome, 1))  # groups of other threads and real backends need no farewell


if __name__ == "__main__":
    main()
