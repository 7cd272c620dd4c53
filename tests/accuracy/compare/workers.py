"""Work in processes of their own, so that a row that ends its process costs that row alone. Rows are taken one after
the other by whoever is free."""
from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

SECONDS_A_ROW = 300  # one that takes this long would hold up all others

T = TypeVar("T")
_fork = multiprocessing.get_context("fork")


def _work(items: "list[T]", work: "Callable[[T], Any]", turn: Any, out: Any) -> None:
    while True:
        with turn.get_lock():
            i = turn.value
            turn.value += 1
        if i >= len(items):
            return
        out.send((i, False, None))
        signal.alarm(SECONDS_A_ROW)
        answer = work(items[i])
        signal.alarm(0)
        out.send((i, True, answer))


def _blame(status: int) -> str:
    if status == -signal.SIGALRM:
        return f"it takes more than {SECONDS_A_ROW} s"
    return f"its process ended (status {-status if status < 0 else status << 8})"


def each(items: "list[T]", work: "Callable[[T], Any]") -> "list[Any]":
    """work(item) of each; of one whose process ended, the reason."""
    answers: "list[Any]" = [None] * len(items)
    turn: Any = _fork.Value("l", 0)
    running: "dict[Any, Any]" = {}  # processes by their ends of pipes
    taken: "dict[Any, int]" = {}    # what they are at

    def start() -> None:
        receive, send = _fork.Pipe(duplex=False)
        process = _fork.Process(target=_work, args=(items, work, turn, send))
        process.start()
        send.close()
        running[receive] = process

    for _ in range(min(os.cpu_count() or 1, len(items))):
        start()
    while running:
        for receive in wait(list(running)):
            assert isinstance(receive, Connection)
            try:
                i, done, answer = receive.recv()
            except EOFError:
                process = running.pop(receive)
                process.join()
                if process.exitcode:
                    if receive in taken:
                        answers[taken.pop(receive)] = _blame(process.exitcode)
                    if turn.value < len(items):
                        start()
                continue
            if done:
                answers[i] = answer
                del taken[receive]
            else:
                taken[receive] = i
    return answers
