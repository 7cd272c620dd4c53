"""torchdata: loaders of PyTorch that say where they are."""
import torch.utils.data


class StatefulDataLoader(torch.utils.data.DataLoader):
    def __init__(self, *args, snapshot_every_n_steps=1, **kwargs):
        super().__init__(*args, **kwargs)

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass
