"""Stand-ins for packages that trainers import and that are not there.

A stand-in has the names that scripts use, and as much behind them as a step needs: rows and tokens of the right form, operators of the right shapes, loggers that keep nothing. One found under its own name is
never stood in for. Each package of TABLE has a file here with all its names in one place, whichever module of the package they are asked for in; a package without a file is `Nothing` (nothing.py).
"""
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import pathlib
import sys
import types

from .nothing import Nothing

FOLDER = pathlib.Path(__file__).parent

# name: (version that it says, file here or None, what is behind the names)
TABLE = {
    "amp_C": ("0.1", "amp_C.py", "one kernel of each operation on many tensors"),
    "apex": ("0.1", "apex.py", "optimizers and norms as PyTorch has them"),
    "blobfile": ("3.0.0", None, "nothing"),
    "datasets": ("3.2.0", "datasets.py", "rows of files that are named, or made-up ones"),
    "evaluate": ("0.4.3", "evaluate.py", "metrics of 0"),
    "flash_attn": ("2.7.4", "flash_attn.py", "the operators of attention"),
    "fused_adam": ("0.1", "amp_C.py", "one kernel of each operation on many tensors"),
    "fused_layer_norm_cuda": ("0.1", None, "nothing: the norms are apex's"),
    "mlflow": ("2.20.0", None, "nothing"),
    "neptune": ("1.13.0", None, "nothing"),
    **{name: ("0.1", "softmax.py", "one kernel of each softmax") for name in ("scaled_masked_softmax_cuda", "scaled_softmax_cuda", "scaled_upper_triang_masked_softmax_cuda")},
    "tensorboard": ("2.18.0", None, "nothing"),
    "tensorboardX": ("2.6.2", None, "nothing"),
    "tiktoken": ("0.8.0", "tokens.py", "a token for each byte"),
    "tokenizers": ("0.21.1", "tokenizers.py", "no fast tokens"),
    "torchdata": ("0.10.1", "torchdata.py", "loaders of PyTorch"),
    "tqdm": ("4.67.1", "tqdm.py", "no bars"),
    "transformer_engine": ("1.13.0", "transformer_engine.py", "its kernels and collectives"),
    "transformers": ("4.48.0", "transformers.py", "BERT of the published sizes, a token for each byte"),
    "triton": ("3.2.0", "triton.py", "kernels that are recorded and not run"),
    "wandb": ("0.19.1", None, "nothing"),
}

BESIDE = {"tensorboard": ["torch.utils.tensorboard"]}  # modules elsewhere that stand on a package, and ask for others of its own


class Loader(importlib.abc.Loader):
    """A module of a package: its names are those of the package's file."""

    def __init__(self, finder):
        self.finder = finder

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        package, _, inner = module.__name__.partition(".")
        version, _, _ = TABLE[package]
        names = self.finder.names(package)
        module.__path__ = []
        module.__version__ = version
        module.__dict__.update({key: value for key, value in vars(names).items() if not key.startswith("__")} if names else {})

        module.__getattr__ = silent(module.__name__) if names is None else _lacks(package)


def silent(module):
    def get(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(f"{module}.{name}")
    return get


def _lacks(package):
    def get(name):
        raise AttributeError(f"the stand-in for {package} has no `{name}`")
    return get


class Distribution(importlib.metadata.Distribution):
    """What importlib.metadata is told of a package."""

    def __init__(self, name):
        self.called = name

    def read_text(self, filename):
        return f"Metadata-Version: 2.1\nName: {self.called}\nVersion: {TABLE[self.called][0]}\n" if filename == "METADATA" else None

    def locate_file(self, path):
        return FOLDER / path


class Finder(importlib.abc.MetaPathFinder):
    """Stands behind all others: asked for what they do not find. `wanted`: packages of TABLE."""

    def __init__(self, wanted):
        self.wanted, self.files, self.used = set(wanted), {}, set()

    def names(self, package):
        """The file of a package, run once; None: it has none."""
        file = TABLE[package][1]
        if package not in self.files:
            self.files[package] = None
            if file:
                spec = importlib.util.spec_from_file_location(f"{__name__}.{file[:-3]}", FOLDER / file)
                self.files[package] = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(self.files[package])
        return self.files[package]

    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        if package not in self.wanted or path is not None and (package not in self.used or not name.rpartition(".")[2].islower()):
            return None  # a class that the stand-in lacks is no module
        self.used.add(package)
        return importlib.machinery.ModuleSpec(name, Loader(self), is_package=True)

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
        name = (context.name or "").replace("-", "_")
        return [Distribution(name)] if name in self.wanted and context.path is None or name in self.used else []


def install(wanted):
    """From now on these packages of TABLE are stood in for, those that are not found; of triton, what is there launches nothing. Gives the finder."""
    absent = [name for name in wanted if importlib.util.find_spec(name) is None]
    finder = Finder(absent)
    sys.meta_path.append(finder)
    if "triton" in wanted and "triton" not in absent:
        finder.names("triton").record_launches()
    for package in absent:
        for name in BESIDE.get(package, ()):
            sys.modules[name] = module = types.ModuleType(name)
            module.__getattr__ = silent(name)
            finder.used.add(package)
    return finder


def stand_in_for_builds(finder):
    """Extensions of C++ and CUDA that a script builds as it runs (DeepSpeed's FusedAdam)."""
    from torch.utils import cpp_extension
    build = cpp_extension.load

    def load(name, sources, *args, **kwargs):
        if not any(str(source).endswith(".cu") for source in ([sources] if isinstance(sources, str) else sources)):
            return build(name, sources, *args, **kwargs)
        if name not in TABLE:
            raise RuntimeError(f"the script builds `{name}` of CUDA, for which there is no stand-in: choose the operator of PyTorch in its place (DeepSpeed: \"torch_adam\": true in the optimizer's params)")
        finder.used.add(name)
        return finder.names(name)

    cpp_extension.load = load


def missing(error):
    """The package for want of which a script ended, as it says or as what it caught before says; None: for another reason."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        error = error.__cause__ or error.__context__
    return None


