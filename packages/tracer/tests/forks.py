"""Python in which PyTorch is there at once: `interpreter()` is a program that takes what python takes, and runs it in a fork of a process that has imported PyTorch.

Importing it takes 2 s of processor time, and the tests start Python some 250 times. The program hands its arguments, folder, environment and streams to that process, and
ends as the fork ends; where it is killed, so is the fork. Each call makes a process to fork from: those of two differ in the seed of their hashes.
"""
import atexit
import gc
import json
import os
import pathlib
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback

MOST = 1 << 17  # bytes of a request
CLIENT = """#!{python} -IS
import json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect({address!r})
signal.signal(signal.SIGUSR1, lambda *_: server.send(b"where are you?"))
socket.send_fds(server, [json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()], [0, 1, 2])
status = int(server.recv(16) or 70)
if status < 0:
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


def interpreter():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trainspec-tracer."))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address, program = str(folder / "socket"), folder / "python3"
    program.write_text(CLIENT.format(python=sys.executable, address=address))
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(64)
        server = subprocess.Popen([sys.executable, __file__, str(listener.fileno())], stdin=subprocess.PIPE, pass_fds=[listener.fileno()],
                                  env={**os.environ, "OMP_NUM_THREADS": "1"})  # threads of the server would not be in its forks
    atexit.register(server.communicate)  # at the end of its input it ends
    return str(program)


def serve(listener):
    """Returns in each fork, with what it is asked to run; None: nobody is there to ask."""
    running = {}  # descriptor of a fork, and of its connection: number and descriptor of the fork, the connection
    while True:
        for ready in select.select([0, listener, *running], [], [])[0]:
            if ready == 0:
                return None
            if ready is listener:
                connection, _ = listener.accept()
                asked, descriptors, _, _ = socket.recv_fds(connection, MOST, 3)
                fork = os.fork()
                if not fork:
                    return (*json.loads(asked), descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)
                process = os.pidfd_open(fork)
                running[process] = running[connection.fileno()] = fork, process, connection
            elif ready in running:
                fork, process, connection = running[ready]
                if ready == process:
                    end(running, *running[ready])
                elif connection.recv(MOST):
                    os.kill(fork, signal.SIGUSR1)
                else:
                    os.kill(fork, signal.SIGKILL)
                    del running[ready]


def end(running, fork, process, connection):
    status = os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])
    del running[process]
    running.pop(connection.fileno(), None)
    os.close(process)
    try:
        connection.send(str(status).encode())
    except BrokenPipeError:
        pass  # nobody waits for it
    connection.close()


def become(arguments, folder, environment, descriptors):
    """What Python does with them at its start."""
    for stream, descriptor in enumerate(descriptors):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.executable, *sys.argv = arguments
    module = sys.argv[0] == "-m" and sys.argv.pop(0)
    sys.path[:1] = [folder if module else os.path.dirname(os.path.abspath(sys.argv[0])), *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    if module:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


def main():
    import torch._meta_registrations, torch.distributed.optim, torch.multiprocessing, torch.utils.checkpoint  # noqa: E401, F401
    gc.freeze()  # a fork that looks through all of it copies it
    request, status = serve(socket.socket(fileno=int(sys.argv[1]))), 0
    try:
        if request:
            become(*request)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # Python takes half a second to put PyTorch away


if __name__ == "__main__":
    main()
