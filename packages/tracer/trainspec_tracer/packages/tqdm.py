"""tqdm: no bars."""


class tqdm:
    def __init__(self, iterable=(), *args, **kwargs):
        self.iterable, self.n, self.total = iterable, 0, kwargs.get("total")

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return len(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def update(self, count=1):
        self.n += count

    def close(self, *_, **__):
        pass

    set_description = set_postfix = set_postfix_str = refresh = reset = clear = close

    @staticmethod
    def write(text, *_, **__):
        print(text)


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)
