"""evaluate: metrics that take what they are given and say 0."""


class Metric(dict):
    def add_batch(self, *_, **__):
        pass

    add = add_batch

    def compute(self, *_, **__):
        return {"accuracy": 0.0, "f1": 0.0}


def load(*_, **__):
    return Metric()


combine = load
