"""LSTM, GRU and RNN: on a GPU one operator of cuDNN for all layers and steps (aten/src/ATen/native/RNN.cpp), in PyTorch behind a part that was not built."""
import torch

RELU, TANH, LSTM, GRU = range(4)  # miopen's and cuDNN's modes, as aten has them
GATES = {RELU: 1, TANH: 1, LSTM: 4, GRU: 3}


def _run(mode, given, hidden, cell, weights, biased, layers, dropout, training, both, batch_first):
    return torch.ops.aten._cudnn_rnn(given.contiguous(), weights, 4 if biased else 2, None, hidden.contiguous(), cell, mode, hidden.size(2), 0, layers, batch_first, dropout, training, both, [], None)


def lstm(given, states, weights, *how):
    if states[0].size(2) != states[1].size(2):
        raise NotImplementedError("LSTM with projections is not in the stand-in for cuda")
    return _run(LSTM, given, states[0], states[1].contiguous(), weights, *how)[:3]


def without_cell(mode):
    return lambda given, hidden, weights, *how: _run(mode, given, hidden, None, weights, *how)[:2]


KERNELS = {"lstm.input": lstm, "gru.input": without_cell(GRU), "rnn_tanh.input": without_cell(TANH), "rnn_relu.input": without_cell(RELU)}


def shapes(given, weights, stride, buffer, hidden, cell, mode, width, projected, layers, batch_first, dropout, training, both, sizes, state):
    """Of _cudnn_rnn, without memory: what it gives, its states, and what it keeps for the backward: gates and cells of each layer and step."""
    rows, ways = given.shape[:2].numel(), 2 if both else 1
    kept = rows * layers * ways * width * (GATES[mode] + (mode == LSTM)) * given.element_size() if training else 0
    return (given.new_empty(*given.shape[:2], width * ways), torch.empty_like(hidden), torch.empty_like(cell) if cell is not None else given.new_empty(0),
            given.new_empty(kept, dtype=torch.uint8), given.new_empty(0))


def backward_shapes(given, weights, stride, buffer, hidden, cell, *rest):
    return torch.empty_like(given), torch.empty_like(hidden), torch.empty_like(cell) if cell is not None else given.new_empty(0), [torch.empty_like(w) for w in weights]


def install(library):
    """Parameters stay where they are: on a GPU they move into one buffer of the same size."""
    torch.nn.RNNBase.flatten_parameters = lambda self: None
    for name, kernel in KERNELS.items():
        for key in ("CUDA", "AutogradCUDA"):
            library.impl(name, kernel, key)
