"""Which experts tokens go to, where the scores that would decide are untouched memory.

Scores that nobody computed are all the same, and the first experts would be taken for every token. Here the operators that choose (topk, argmax, max along a dimension, multinomial) take what a stated
distribution says, and what is worked out from the choices (masks, counts, places of tokens: whole numbers and what was made from them and zeros alone) is really computed.

Whether an operator chooses experts is told by what its choices reach. Those of a router move rows: tokens are gathered, scattered or multiplied by them, and counts of them may then decide as stated. Those of
a decoder are looked up in a table, those of a metric are compared alone, or number by number with weights of labels: where these decide, the script goes by values that nobody computed (values.py).
"""
import re

import torch

from .tensors import SMALL, bytes_of, tensors_in
from .thin import ZEROS, shapes_of
from .values import Choice

MOST = 64 << 20  # bytes of a tensor that is still computed
# Of operators that choose: where their arguments have how many of a row, and the dimension; one chooses without them.
CHOICES = {"aten::topk": (1, 2), "aten::multinomial": (1, None), "aten::argmax": (None, 1), "aten::max": (None, 1)}
LOOKS_UP = {"aten::embedding": 1, "aten::_embedding_bag": 1, "aten::_embedding_bag_forward_only": 1}  # rows of a table, by which of their arguments
ROW_BY_ROW = ("aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm", "aten::gather", "aten::scatter")  # whatever the shapes
LOSSES = "aten::nll_loss"  # and the like: a target says which score counts, and moves nothing
ZERO, KNOWN = "zero", "known"  # what is said of a floating-point tensor's values; whole numbers are always known


def parse(text):
    """Weights of experts, as a function of their number; None: as untouched memory reads. ValueError: no such distribution."""
    found = re.fullmatch(r"balanced|none|zipf:(\d+(?:\.\d+)?)", text)
    if not found:
        raise ValueError(f"a routing is `balanced`, `zipf:S` (expert i taken as often as 1 / i^S says) or `none`, not `{text}`")
    if text == "none":
        return None
    exponent = float(found.group(1) or 0)
    return lambda count: torch.arange(1, count + 1, dtype=torch.float64) ** -exponent


def shares(weights, most):
    """How often each expert is among the `most` of a token: in proportion to the weights, and never more than once."""
    share, rest = torch.zeros_like(weights), torch.ones_like(weights, dtype=torch.bool)
    while rest.any():
        share[rest] = weights[rest] * (most - float((~rest).sum())) / weights[rest].sum()
        above = rest & (share > 1)
        if not above.any():
            break
        share[above] = 1
        rest &= ~above
    return share


def choices(rows, most, weights):
    """(rows, most) different experts for each row. Systematic sampling (Madow 1949): the shares stand on a line, and a row takes what it finds at u, u + 1, ... The u of rows are multiples of the
    golden section, so that any run of rows has nearly the shares of all. Equal weights are dealt in turn, to the token."""
    count = len(weights)
    if float(weights.max()) == float(weights.min()):
        return (torch.arange(rows * most) % count).view(rows, most)
    ends = shares(weights, most).cumsum(0)
    at = (torch.arange(rows, dtype=torch.float64) * 0.6180339887498949 % 1)[:, None] + torch.arange(most, dtype=torch.float64)
    return torch.searchsorted(ends, at, right=True).clamp_(max=count - 1)


class Routing:
    """Stands before Thin. `text`: what `parse` takes."""

    def __init__(self, thin, text):
        self.thin, self.text, self.weights = thin, text, parse(text)
        self.chosen = {}  # choices by operator

    def __call__(self, func, schema, args, kwargs):
        given = tensors_in((args, kwargs))
        if self.thin.values.choices and not schema.view:
            self._reaches(schema, args, given)
        if self.weights is None:
            return self._left(func, schema, args, kwargs, given)
        if schema.view:
            out = self.thin(func, schema, args, kwargs)
            return self._say(out, said(given[0])) if given else out
        if schema.name in CHOICES and self._undecided(schema, args, kwargs, given):
            return self._choose(func, schema, args, kwargs)
        if self._follows(func, schema, args, kwargs, given):
            return self._say(self.thin.really(func, args, kwargs), KNOWN)
        out = self.thin(func, schema, args, kwargs)
        return self._say(out, ZERO) if schema.name in ZEROS else self._say(out, None) if schema.in_place else out

    def _undecided(self, schema, args, kwargs, given):
        scores = given[0]
        if len(given) > 1 or not scores.is_floating_point() or said(scores) == KNOWN or dimension(schema, args, kwargs) is None or not scores.dim() or not scores.numel():
            return False
        if bytes_of(scores) > SMALL:
            return True
        read = self.thin.host(scores)
        return bool((read == read.reshape(-1)[0]).all())

    def _reaches(self, schema, args, given):
        """What an operator is given says what the choices behind it are for."""
        values = self.thin.values
        chosen = [cause for cause in values.causes(given) if isinstance(cause, Choice)]
        if not chosen:
            return
        if schema.name in LOOKS_UP:
            causes = values.causes(args[LOOKS_UP[schema.name]])
            found = frozenset(cause for cause in causes if isinstance(cause, Choice))
            for choice in found:
                choice.looks_up = True
            values.tell(f"index of {schema.name.replace('aten::', '')}", True, found, script=True)
        elif not schema.name.startswith(LOSSES):
            for choice in chosen:
                by, others = [], []
                for tensor in given:
                    (by if choice in values.causes(tensor) else others).append(tensor)
                choice.moves |= any(rows(t, choice) and not all(numbers(b, t, schema) for b in by) for t in others)

    def _left(self, func, schema, args, kwargs, given):
        """As the scores have it, which nobody computed."""
        chooses = schema.name in CHOICES and self.thin.values.causes(given) and dimension(schema, args, kwargs) is not None and args[0].dim()
        out = self.thin(func, schema, args, kwargs)
        if chooses:
            self.thin.values.mark(tensors_in(out)[-1], frozenset([self.thin.values.choice(schema.name, args[0].size(dimension(schema, args, kwargs)))]))
        return out

    def _choose(self, func, schema, args, kwargs):
        scores, at = args[0], CHOICES[schema.name][0]
        dim, most = dimension(schema, args, kwargs), 1
        if at is not None:
            most = args[at] if len(args) > at else kwargs["k" if schema.name == "aten::topk" else "num_samples"]
        out = self.thin.promised(func, schema, args, kwargs)
        places = tensors_in(out)[-1]
        count = scores.size(dim)
        dealt = choices(scores.numel() // count, most, self.weights(count))
        if most > 1 or places.dim() == scores.dim():
            dealt = dealt.view(*[n for i, n in enumerate(scores.shape) if i != dim % scores.dim()], most).movedim(-1, dim)
        self.thin.host(places).copy_(dealt.reshape(places.shape))
        self.thin.values.clear(places)
        self.thin.values.mark(places, frozenset([self.thin.values.choice(schema.name, count)]))
        self.chosen[schema.name] = self.chosen.get(schema.name, 0) + 1
        return out

    @staticmethod
    def _follows(func, schema, args, kwargs, given):
        """All that goes in is known, not all of it zeros, and not all small (that is computed in any case); what comes out is not too large."""
        if not given or not all(known(t) for t in given) or all(said(t) == ZERO for t in given) or all(bytes_of(t) <= SMALL for t in given):
            return False
        made = given if schema.in_place else tensors_in(shapes_of(func, schema, args, kwargs))
        return bool(made) and all(bytes_of(t) <= MOST for t in [*made, *given])

    @staticmethod
    def _say(out, what):
        for tensor in tensors_in(out):
            if tensor.is_floating_point() and said(tensor) != what:
                tensor.trainspec_values = what
        return out


def rows(tensor, choice):
    """Whether it holds rows that experts work on, and not the scores chosen by."""
    return tensor.is_floating_point() and tensor.dim() > 1 and tensor.size(-1) != choice.count


def numbers(by, tensor, schema):
    """Whether each number of `by` meets one of the tensor, as hits of labels do their weights: that moves no row. An expanded mask or index has one number for a row."""
    return not schema.name.startswith(ROW_BY_ROW) and tensor.dim() <= by.dim() and by.stride(-1) != 0 and all(n in (1, m) for n, m in zip(reversed(tensor.shape), reversed(by.shape)))


def said(tensor):
    return getattr(tensor, "trainspec_values", None)


def known(tensor):
    return not (tensor.is_floating_point() or tensor.is_complex()) or said(tensor) is not None


def dimension(schema, args, kwargs):
    """Along which an operator chooses; None: along none."""
    at = CHOICES[schema.name][1]
    if at is None:
        return -1
    return args[at] if len(args) > at else kwargs.get("dim", -1 if schema.name == "aten::topk" else None)
