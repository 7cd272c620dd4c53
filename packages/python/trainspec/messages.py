"""Messages of the compiler and the runtime, and the exception that carries them."""
from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A place in a file: lines and columns count from 1, columns count characters, the end is exclusive."""
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    label: str
    primary: bool


@dataclass(frozen=True)
class Message:
    """An error, a warning or a note (`severity`). doc/diagnostics.md explains each `code`."""
    severity: str
    code: str        # "E0304"
    name: str        # "uneven-split"
    text: str        # what it says, without its place
    spans: "tuple[Span, ...]"
    help: "tuple[str, ...]"
    values: "dict[str, str]"
    rendered: str    # as the programs print it, with excerpts of the source

    @property
    def span(self) -> "Span | None":
        """The place it is about; None where it is about none."""
        return next((s for s in self.spans if s.primary), None)

    def __str__(self) -> str:
        return self.rendered.rstrip()


def parse(text: str) -> "list[Message]":
    """The messages in the library's JSON, one object a line."""
    return [_message(d) for d in map(json.loads, text.splitlines()) if d["type"] == "diagnostic"]


def _message(d: dict) -> Message:
    spans = tuple(Span(s["file"], s["line"], s["column"], s["end_line"], s["end_column"], s["label"], s["primary"])
                  for s in d["spans"])
    help_ = tuple(c["message"] for c in d["children"] if c["severity"] == "help")
    return Message(d["severity"], d["code"], d["name"], d["message"], spans, help_,
                   {v["name"]: v["value"] for v in d["values"]}, d["rendered"])


class Error(Exception):
    """What a plan, a play or a sweep was refused for. Its text is the messages as the programs print them.

    `messages`: all of them, warnings too; `errors`: the errors; `span`: the place of the first error.
    """

    def __init__(self, messages: "list[Message]"):
        self.messages = messages
        self.errors = [m for m in messages if m.severity == "error"]
        super().__init__("\n\n".join(str(m) for m in self.errors or messages) or "no message was left")

    def __reduce__(self):
        return type(self), (self.messages,)

    @property
    def span(self) -> "Span | None":
        return next((m.span for m in self.errors if m.span), None)


class OutOfMemory(Error, MemoryError):
    """More memory was needed than `trainspec.max_memory` allows, or than there is."""
