"""Which module an operator works for: forward by the modules that are running, backward by the nodes of autograd that their outputs came from."""
import inspect

import torch
from torch.nn.modules import module as nn_module

LABEL = "trainspec module"


class Modules:
    def __init__(self, recorder):
        self.recorder, self.stack, self.names = recorder, [], {}
        self.begun = {}  # the step in which a model was last told the parameters of
        self.depth = 0  # of the stack where the backward that runs began
        nn_module.register_module_forward_pre_hook(self._enter)
        # Recomputation ends in the middle of a forward, by an exception, once all is there that the backward needs (PyTorch 2.1 and later).
        how = {"always_call": True} if "always_call" in inspect.signature(nn_module.register_module_forward_hook).parameters else {}
        nn_module.register_module_forward_hook(self._leave, **how)

    @property
    def path(self):
        return self.stack[-1][1] if self.stack else ""

    def _enter(self, module, given):
        if not self.stack:
            self._root(module)
        name = self.names.get(id(module))
        if name is None:
            name = ".".join(part for part in (self.path, type(module).__name__) if part)
        elif self.stack:
            for owner, owned in (self.stack[-1], (module, name)):
                self.recorder.use_gathered(owner, owned)
        self.stack.append((module, name))

    def _root(self, module):
        """A model begins to run, or a part of one whose forward is done again."""
        if id(module) not in self.names:
            for name, child in module.named_modules():
                self.names[id(child)] = name
        step = len(self.recorder.ends)
        if self.recorder.phases[-1] != "backward" and self.begun.get(id(module)) != step:
            self.begun[id(module)] = step
            self.recorder.use_parameters([(self.names.get(id(child), name), child) for name, child in module.named_modules()])

    def _leave(self, module, given, out):
        """`out` is None where an exception ends the forward."""
        if not any(entered is module for entered, _ in self.stack):
            return
        while self.stack.pop()[0] is not module:
            pass  # left by exceptions
        name = self.names.get(id(module), "")
        borders = {t.grad_fn for t in _tensors(given) if t.grad_fn is not None}
        for tensor in _tensors(out):
            _label(tensor.grad_fn, name, borders)


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _label(node, name, borders):
    """Names the nodes between a module's outputs and its inputs that no inner module has named."""
    todo, seen = [node], set(borders)
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        node.metadata.setdefault(LABEL, name)
        todo.extend(n for n, _ in node.next_functions)


def nodes_behind(roots):
    """All nodes of autograd that a backward from these tensors may run."""
    seen, todo, out = set(), [t.grad_fn for t in roots if isinstance(t, torch.Tensor)], []
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        out.append(node)
        todo.extend(n for n, _ in node.next_functions)
    return out
