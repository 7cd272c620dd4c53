"""Streams of a CPU. PyTorch 2.x has classes for them, so that programs need not tell devices apart (FSDP2 takes its streams from there); they do nothing. Here they are told apart, so
that a program which would run on several streams of a GPU is recorded on as many without one.
"""
import torch

CPU = getattr(getattr(torch, "cpu", None), "Event", None) is not None


def complete():
    """What the classes lack beside those of a GPU: waits between streams, written as there by an event that one records and the other waits for."""
    if not CPU or hasattr(torch.cpu.Stream, "record_event"):
        return

    def record_event(self, event=None):
        event = torch.cpu.Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        event.wait(self)

    def wait_stream(self, stream):
        self.wait_event(stream.record_event())

    torch.cpu.Stream.record_event, torch.cpu.Stream.wait_event, torch.cpu.Stream.wait_stream = record_event, wait_event, wait_stream


def current():
    """The stream of a CPU that is selected; None: the one that always is."""
    stream = torch.cpu.current_stream() if CPU else None
    return None if stream is None or is_default(stream) else stream


def is_default(stream):
    return CPU and stream is torch.cpu._default_cpu_stream
