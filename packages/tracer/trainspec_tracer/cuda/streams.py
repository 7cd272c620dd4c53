"""Streams and events of the stand-in: the classes of C++ on which torch.cuda.Stream and torch.cuda.Event stand."""
import itertools

import torch

from .guard import CUDA
from .runtime import named, unpacked


def classes(runtime):
    """(stream, event). What they record is noted by the recorder (redirect.watch_events)."""

    class Stream:
        priorities = (0, -1)

        def __new__(cls, device=None, priority=0, stream_id=None, device_index=None, device_type=CUDA, stream_ptr=0, _cdata=None, **_):
            self = object.__new__(torch.cuda.Stream if cls is Stream else cls)
            if device is not None:
                device_index = device if isinstance(device, int) else torch.device(device).index
            if _cdata is not None:
                stream_id, device_index = unpacked(_cdata)
            self.stream_id = runtime.new_stream() if stream_id is None and not stream_ptr else stream_ptr or stream_id
            self.device_index = runtime._cuda_getDevice() if device_index is None else device_index
            self.device_type = CUDA
            self.priority = runtime.priorities.setdefault((self.stream_id, self.device_index), priority)
            self._cdata = named(self.stream_id, self.device_index)
            return self

        @property
        def device(self):
            return torch.device("cuda", self.device_index)

        @property
        def cuda_stream(self):
            return self.stream_id

        def query(self):
            return True

        def is_capturing(self):
            return False

        def synchronize(self):
            pass

        @staticmethod
        def priority_range():
            return 0, -1

        def __eq__(self, other):
            return isinstance(other, Stream) and (self.stream_id, self.device_index) == (other.stream_id, other.device_index)

        def __hash__(self):
            return hash((self.stream_id, self.device_index))

    class Event:
        numbers = itertools.count(1)

        def __new__(cls, *args, enable_timing=False, blocking=False, interprocess=False, **_):
            self = object.__new__(torch.cuda.Event if cls is Event else cls)
            self.enable_timing, self.cuda_event = enable_timing, next(cls.numbers)
            return self

        @property
        def device(self):
            return torch.device("cuda", runtime._cuda_getDevice())

        def record(self, stream=None):
            pass

        def wait(self, stream=None):
            pass

        def query(self):
            return True

        def elapsed_time(self, end):
            """ms. Nothing runs: no time passes, and a rate computed from it is not asked to divide by 0."""
            return 1e-3

        def synchronize(self):
            pass

    return Stream, Event
