"""Plans from inside a training framework: what its script holds before the first step, as `trainspec import` reads it
from files. No framework is imported here but by its own objects; nothing is sent anywhere."""
from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
import tempfile
from ctypes import c_char_p

from . import _library as c
from .messages import Error
from .plan import Plan, loads
from .workspace import Settings, Workspace, text

_CHIPS = ("gb300", "gb200", "b300", "b200", "gh200", "h200", "h100", "h20", "a100", "l40s", "mi300x", "mi325x",
          "mi355x", "mi350x")  # longer names first: by the name of PyTorch
_FOLDERS = []  # of configurations, which plans read again when they are played: until the program ends


def _plain(value):
    """Dataclasses, enumerations, formats of PyTorch and the like as JSON has them."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name, None)) for f in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "value") and isinstance(value.value, (bool, int, float, str)):
        return value.value  # an Enum
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict())
    return re.sub(r"^torch\\.", "", str(value))


def _flat(table, key=""):
    """(key with dots, value), without what is not set."""
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{key}{name}.")
        elif value is not None and value != {} and value != []:
            yield key + name, value


def _words(pairs) -> "list[str]":
    """As arguments; a list is several words."""
    words = []
    for name, value in pairs:
        values = value if isinstance(value, list) else [value]
        words += ["--" + name, *(str(v).lower() if isinstance(v, bool) else str(v) for v in values)]
    return words


def _import(framework, words, gpus, gpu, settings):
    workspace = Workspace(settings)
    array = (c_char_p * len(words))(*(text(w, "an argument") for w in words))
    made = c.call("import", workspace.handle, text(framework, "framework"), array, len(words),
                  str(gpus).encode() if gpus else None, gpu.encode() if gpu else None)
    return workspace.check(made).decode()


def _unknown(error) -> "set[str]":
    """Names of arguments that nobody knows, where that is all that is wrong."""
    names = {m[1] for e in error.errors for m in [re.match(r"unknown (?:argument|key) `-*(.+)`", e.text)] if m}
    return names if len(names) == len(error.errors) else set()


def _known(framework, pairs, gpus, gpu, settings):
    """The text of the plan. What an object holds beside its settings (a rank, a device) is left out."""
    try:
        return _import(framework, _words(pairs), gpus, gpu, settings)
    except Error as error:
        unknown = {name.replace("-", "_") for name in _unknown(error)}
        if not unknown:
            raise
    left = [(k, v) for k, v in pairs if k.replace("-", "_") not in unknown]
    return _import(framework, _words(left), gpus, gpu, settings)


# ---- Frameworks, by what their objects are ----

def _of_megatron(args):
    """Arguments that differ from what the parser has by default, by the words of the command line."""
    pairs = []
    for action in _megatron_actions():
        value = getattr(args, action.dest, action.default)
        if not action.option_strings or value == action.default or value is None:
            continue
        flag = action.nargs == 0
        name = max(action.option_strings, key=len).lstrip("-")
        pairs.append((name, [] if flag else _plain(value)))
    return pairs or [(k, [] if v is True else _plain(v)) for k, v in sorted(vars(args).items())
                     if v not in (None, False) and not k.startswith("_")]


def _megatron_actions():
    arguments = sys.modules.get("megatron.training.arguments")
    if not arguments or not hasattr(arguments, "add_megatron_arguments"):
        return []
    import argparse
    return arguments.add_megatron_arguments(argparse.ArgumentParser(allow_abbrev=False))._actions


def _framework_of(args, model) -> str:
    module, name = type(args).__module__, type(args).__name__
    if name == "Namespace":
        return "megatron"
    for word, framework in (("megatron.bridge", "megatron_bridge"), ("torchtitan", "torchtitan")):
        if module.startswith(word):
            return framework
    if name == "ConfigContainer":
        return "megatron_bridge"
    if name == "JobConfig":
        return "torchtitan"
    if hasattr(args, "per_device_train_batch_size") or model is not None:
        return "transformers"
    raise TypeError(f"{module}.{name} is none of: a Namespace of Megatron-LM, a ConfigContainer of Megatron-Bridge, a "
                    "JobConfig of torchtitan, TrainingArguments of transformers; or say framework=")


def _world() -> "tuple[int, str]":
    """How many devices of which kind run this script; (0, ""): not known."""
    torch = sys.modules.get("torch")
    count = int(os.environ.get("WORLD_SIZE", "0") or 0)
    name = ""
    if torch is not None and torch.cuda.is_available():
        name = torch.cuda.get_device_name().lower().replace(" ", "")
    return count, next((chip for chip in _CHIPS if chip in name), "")


def plan_of(args=None, model=None, /, *, framework=None, gpus=None, gpu=None, stdlib=None) -> Plan:
    """The plan of the job that this script is about to run: `trainspec.plan_of(args).run()` predicts its step.

    `args`: the words of a command line (None: of this script's), what Megatron-LM's parser gave, a ConfigContainer of
    Megatron-Bridge, a JobConfig of torchtitan, TrainingArguments of Hugging Face's transformers or of TRL; `model`: for
    these, the model or its configuration. `gpus` and `gpu` are what runs here unless they are given. What the importer
    does not follow raises Error, as `trainspec import` has it.
    """
    words = sys.argv if args is None else args if isinstance(args, (list, tuple)) else None
    framework = framework or ("megatron" if words is not None else _framework_of(args, model))
    found, kind = _world()
    gpus, gpu, settings = gpus or found, gpu or kind, Settings("plan.ts", stdlib=stdlib)
    if words is not None:
        return loads(_import(framework, words, gpus, gpu, settings), stdlib=stdlib)
    if framework == "megatron":
        return loads(_known(framework, _of_megatron(args), gpus, gpu, settings), stdlib=stdlib)
    pairs = list(_flat(_plain(args if not hasattr(args, "to_dict") else args.to_dict())))
    if framework != "transformers":
        return loads(_known(framework, pairs, gpus, gpu, settings), stdlib=stdlib)
    pairs = [(k, v) for k, v in pairs if k != "deepspeed" and not k.startswith("deepspeed.")] + _deepspeed(args)
    folder = tempfile.TemporaryDirectory(prefix="trainspec-")
    _FOLDERS.append(folder)
    pairs += _configuration(model, folder.name)
    text_ = _known(framework, pairs, gpus, gpu, settings)
    return loads(text_, path=os.path.join(folder.name, "plan.ts"), stdlib=stdlib)


def _deepspeed(args):
    of = getattr(args, "deepspeed", None)
    if isinstance(of, str):
        with open(of, encoding="utf-8") as file:
            of = json.load(file)
    return list(_flat(_plain(of))) if isinstance(of, dict) else []


def _configuration(model, folder):
    config = getattr(model, "config", model)
    if config is None:
        return []
    path = os.path.join(folder, "config.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(_plain(config.to_dict() if hasattr(config, "to_dict") else config), file)
    return [("model_config", path)]


def callback(**options):
    """A callback for the Trainer of Hugging Face's transformers that prints the prediction before the first step:
    `Trainer(..., callbacks=[trainspec.callback()])`. A job that has no plan is said to have none; it goes on."""
    import transformers

    class Prediction(transformers.TrainerCallback):
        def on_train_begin(self, args, state, control, model=None, **_):
            if getattr(state, "is_world_process_zero", True):
                print(prediction(args, model, **options), flush=True)

    return Prediction()


def prediction(args=None, model=None, /, **options) -> str:
    """What `plan_of` predicts, in a line; or why there is no plan."""
    try:
        result = plan_of(args, model, **options).run()
    except Error as error:
        first = error.errors[0]
        why = (first.span.label if first.span and first.span.label else "") or next(iter(first.help), "")
        return f"trainspec: no prediction: {first.text}" + (f": {why}" if why else "")
    low, high = result.step_interval
    fits = "" if result.fits else ", which does not fit"
    return (f"trainspec: a step takes {result.step_time} (80 %: {low} to {high}); peak memory {result.peak_memory} of "
            f"{result.device_memory}{fits}")
