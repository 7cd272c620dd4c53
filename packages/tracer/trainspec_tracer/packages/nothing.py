"""What stands behind the names of a package that does nothing for a step: loggers, readers of files elsewhere."""


class Nothing:
    """Called, asked for parts, entered and left it gives itself. It has no number: what asks for one is told."""

    def __init__(self, called="nothing"):
        self.__dict__["called"] = called

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], Nothing):
            return args[0]  # a decorator
        return Nothing(f"{self.called}()")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(f"{self.called}.{name}")

    def __setattr__(self, name, value):
        pass

    def __getitem__(self, key):
        return Nothing(f"{self.called}[...]")

    def __setitem__(self, key, value):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __mro_entries__(self, bases):
        return ()

    def __instancecheck__(self, instance):
        return False

    def __repr__(self):
        return f"<stand-in for {self.called}>"

    def _no_number(self, *_):
        raise TypeError(f"the stand-in for {self.called} has no value")

    __int__ = __float__ = __index__ = __add__ = __radd__ = __sub__ = __mul__ = __truediv__ = __lt__ = __gt__ = __le__ = __ge__ = _no_number
