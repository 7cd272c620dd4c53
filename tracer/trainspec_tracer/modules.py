"""Which module an operator works for: forward by the modules that are running, backward by the nodes of autograd that their outputs came from."""
import torch
from torch.nn.modules import module as nn_module

LABEL = "trainspec module"


class Modules:
    def __init__(self, recorder):
        self.recorder, self.stack, self.names = recorder, [], {}
        nn_module.register_module_forward_pre_hook(self._enter)
        nn_module.register_module_forward_hook(self._leave)

    @property
    def path(self):
        return self.stack[-1][1] if self.stack else ""

    def _enter(self, module, given):
        if not self.stack and id(module) not in self.names:
            for name, child in module.named_modules():
                self.names[id(child)] = name
        if not self.stack:
            self.recorder.use_parameters(module)
        name = self.names.get(id(module))
        if name is None:
            name = ".".join(part for part in (self.path, type(module).__name__) if part)
        self.stack.append((module, name))

    def _leave(self, module, given, out):
        while self.stack and self.stack.pop()[0] is not module:
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
