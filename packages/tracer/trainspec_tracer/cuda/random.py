"""Generators of random numbers of the stand-in. Their state is that of CUDA's: a seed and an offset, 8 bytes each (torch.distributed.tensor reads them so)."""
import torch

CPU = torch._C.Generator


class Generator(CPU):
    """Kernels of the host draw from the generator of the host that it is; its state is told apart from that."""

    def __new__(cls, device="cpu"):
        asked = torch.device(device)
        if asked.type != "cuda":
            return CPU(device)
        self = super().__new__(cls)
        self.place = torch.device("cuda", asked.index or 0)
        self.offset = 0
        return self

    def __init__(self, device="cpu"):
        pass

    @property
    def device(self):
        return self.place

    def manual_seed(self, seed):
        self.offset = 0
        return super().manual_seed(seed)

    def get_state(self):
        return torch.tensor([self.initial_seed() & 2**63 - 1, self.offset], dtype=torch.int64).view(torch.uint8)

    def set_state(self, state):
        seed, self.offset = state.contiguous().view(torch.int64).tolist()
        super().manual_seed(seed)
        return self

    def get_offset(self):
        return self.offset

    def set_offset(self, offset):
        self.offset = offset

    def clone_state(self):
        out = Generator(self.place)
        return out.set_state(self.get_state())

    graphsafe_get_state, graphsafe_set_state = clone_state, lambda self, other: self.set_state(other.get_state())
