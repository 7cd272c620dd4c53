"""Which tensors operators take and give, by number, so that a timed graph can be read as a model (trainspec table --model).

A tensor keeps its number on its Python object, which lives as long as the tensor. Views launch nothing and are no nodes: they are listed as tensors `of` others.
Work of the backward is told by the tensor whose node of autograd did it."""
from .tensors import describe, inside

NUMBER = "trainspec_number"
LABEL = "trainspec tensor"


class Dataflow:
    def __init__(self):
        self.tensors = []

    def number(self, tensor, **facts):
        number = getattr(tensor, NUMBER, None)
        if number is None:
            number = len(self.tensors)
            self.tensors.append({"id": number, "tensor": describe(tensor), **facts})
            setattr(tensor, NUMBER, number)
        return number

    def held(self, tensor, kind, name):
        """A parameter or a buffer of the model, by its path."""
        for part in inside(tensor):
            self.tensors[self.number(part)].update({"is": kind, "name": name})

    def taken(self, tensors):
        """Their numbers. What autograd does for them in the backward is known by now."""
        for tensor in tensors:
            self.label(tensor)
        return [self.number(t) for t in tensors]

    def given(self, tensors, writes, **facts):
        """Numbers of what an operator made. What it wrote in place is another tensor from now on, unless the model holds it."""
        for tensor in tensors if writes else ():
            number = getattr(tensor, NUMBER, None)
            if number is not None and "is" not in self.tensors[number]:
                delattr(tensor, NUMBER)
        return [self.number(t, **facts) for t in tensors]

    def viewed(self, op, made, given):
        """Tensors that share the memory of the first one given."""
        for tensor in made:
            if given and not any(tensor is g for g in given):
                self.label(given[0])
                self.number(tensor, of=self.number(given[0]), op=op)

    def label(self, tensor):
        node = tensor.grad_fn
        if node is not None:
            node.metadata.setdefault(LABEL, self.number(tensor))

    def of_node(self, node):
        """The tensor that a node of autograd works for: what the forward made, or the parameter whose gradient is summed."""
        variable = getattr(node, "variable", None)
        return node.metadata.get(LABEL) if variable is None else getattr(variable, NUMBER, None)

    def of_nodes(self, nodes):
        """The tensors that these nodes take and give, and those that these are views of."""
        wanted, todo = set(), [n for node in nodes for key in ("takes", "gives") for n in node.get(key, ())]
        while todo:
            number = todo.pop()
            if number not in wanted:
                wanted.add(number)
                todo += [self.tensors[number]["of"]] if "of" in self.tensors[number] else []
        return [self.tensors[number] for number in sorted(wanted)]
