"""Plans from inside a training script: objects as frameworks have them, by stand-ins with their names."""
import argparse
import dataclasses
import enum
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import trainspec  # noqa: E402
from trainspec import registry  # noqa: E402

HERE = {"gpus": 8, "gpu": "h100"}
CONFIG = {"model_type": "llama", "hidden_size": 512, "num_hidden_layers": 2, "num_attention_heads": 8,
          "num_key_value_heads": 2, "intermediate_size": 1024, "vocab_size": 32000}
WORDS = ("--num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 "
         "--micro-batch-size 2 --global-batch-size 32 --bf16 --tensor-model-parallel-size 2").split()


class Level(enum.Enum):
    FULL = "full"


@dataclasses.dataclass
class TrainingArguments:
    per_device_train_batch_size: int = 2
    gradient_accumulation_steps: int = 2
    bf16: bool = True
    learning_rate: float = 1e-5
    gradient_checkpointing: bool = True
    deepspeed: dict = None
    local_rank: int = 0
    mine: object = None


@dataclasses.dataclass
class Section:
    local_batch_size: int = 1
    seq_len: int = 2048


@dataclasses.dataclass
class JobConfig:
    model: dict
    training: Section
    activation_checkpoint: dict


@dataclasses.dataclass
class ConfigContainer:
    model: dict
    train: dict
    ddp: dict


REGISTRY = """
raise SystemExit("it is run")
def qwen3_small() -> Trainer.Config:
    spec = model_registry("0.6B")
    return Trainer.Config(model_spec=spec, training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=2 * 2048))

def qwen3_large() -> Trainer.Config:
    config = qwen3_small()
    config.model_spec = model_registry("8B")
    config.parallelism.tensor_parallel_degree = 2
    config.activation_checkpoint = FullAC.Config()
    for name in names():
        config.add(name)
    return config
"""


class Inside(unittest.TestCase):
    def test_a_namespace_is_its_command_line(self):
        values = dict(num_layers=4, hidden_size=512, num_attention_heads=8, seq_length=512, max_position_embeddings=512,
                      micro_batch_size=2, global_batch_size=32, bf16=True, tensor_model_parallel_size=2, rank=3,
                      swiglu=False, world_size=8, params_dtype=object(), data_path=["a", "b"])
        with mock.patch.object(sys, "argv", ["pretrain_gpt.py", *WORDS]):
            told = trainspec.plan_of(**HERE).run()
        held = trainspec.plan_of(argparse.Namespace(**values), **HERE).run()
        self.assertEqual(held.step_time, told.step_time)

    def test_words_of_a_command_line_are_given(self):
        with mock.patch.object(sys, "argv", ["pretrain_gpt.py", *WORDS]):
            of_script = trainspec.plan_of(**HERE)
        self.assertEqual(trainspec.plan_of(["pretrain_gpt.py", *WORDS], **HERE).run().step_time,
                         of_script.run().step_time)
        self.assertRaises(trainspec.Error, trainspec.plan_of, ["--no-such-argument", "1"], **HERE)

    def test_trainers_bring_their_model(self):
        arguments = TrainingArguments(deepspeed={"zero_optimization": {"stage": 2},
                                                 "train_micro_batch_size_per_gpu": "auto"})
        plan = trainspec.plan_of(arguments, CONFIG, **HERE)
        self.assertEqual(plan.ranks, 8)
        self.assertTrue(plan.run().fits)
        line = trainspec.prediction(arguments, CONFIG, **HERE)
        self.assertRegex(line, r"^trainspec: a step takes .* ms \(80 %: .*\); peak memory")
        self.assertRegex(trainspec.prediction(arguments, **HERE), "no prediction: .*name no model")
        wrong = trainspec.prediction(arguments, {**CONFIG, "model_type": "nobody"}, **HERE)
        self.assertRegex(wrong, "no prediction: .*nobody")

    def test_configurations_of_frameworks(self):
        job = JobConfig({"name": "llama3", "flavor": "8B"}, Section(), {"mode": Level.FULL})
        self.assertEqual(trainspec.plan_of(job, **HERE).ranks, 8)
        model = {"_args_": "('meta-llama/Meta-Llama-3-8B',)", "tensor_model_parallel_size": 2, "seq_length": 2048}
        recipe = ConfigContainer(model, {"micro_batch_size": 1, "global_batch_size": 16},
                                 {"use_distributed_optimizer": True})
        self.assertEqual(trainspec.plan_of(recipe, **HERE).ranks, 8)
        with self.assertRaises(trainspec.Error):
            trainspec.plan_of(dataclasses.replace(recipe, ddp={"use_distributed_optimizer": "maybe"}), **HERE)
        with self.assertRaises(TypeError):
            trainspec.plan_of(object())

    def test_registries_are_read_without_running(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config_registry.py")
            with open(path, "w") as file:
                file.write(REGISTRY)
            self.assertEqual(registry.functions_of(path), ["qwen3_small", "qwen3_large"])
            made = registry.settings_of(path, "qwen3_large")
            self.assertEqual(made["training"]["num_tokens_per_microbatch_per_dp_rank"], 2 * 2048)
            self.assertEqual(made["model_spec"], {"_target_": "model_registry", "_args_": ["8B"]})
            self.assertEqual(made["activation_checkpoint"], {"_target_": "FullAC.Config"})
            self.assertEqual(made["_unread_"], ["for name in names():"])
            self.assertEqual(made["parallelism"], {"tensor_parallel_degree": 2})
            self.assertRaises(ValueError, registry.settings_of, path, "qwen3_none")

    def test_registries_that_are_none_are_refused(self):
        doubles = "def f() -> Config:\n    a = [1]\n" + "    a = [a, a]\n" * 40 + "    return X(a=a)\n"
        powers = "def f() -> Config:\n    return X(a=9 ** 9 ** 9, b=1j, c=3 / 0, d=2 ** 20)\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config_registry.py")

            def asked(text):
                with open(path, "wb") as file:
                    file.write(text)
                with mock.patch("sys.stdout") as out, mock.patch("sys.stderr") as err:
                    status = registry.main([path, "f"])
                return status, "".join(c.args[0] for c in (err if status else out).write.call_args_list)

            for text, why in ((b"\0", "is no file of Python"), (b"x = " + b"-" * 9000 + b"1", "nested too deeply"),
                              (doubles.encode(), "more than 1,000,000 values"), (b"#" * (5 << 20), "larger than 4 MiB"),
                              (b"x = 1", "has no function f: it has none"), (b"\xff", "utf-8")):
                status, said = asked(text)
                self.assertEqual((status, why in said), (1, True), said)
            status, said = asked(powers.encode())
            self.assertEqual((status, json.loads(said)["d"], json.loads(said)["a"]), (0, 1 << 20, "9 ** 9 ** 9"))

    def test_a_callback_prints_and_the_run_goes_on(self):
        transformers = type(sys)("transformers")
        transformers.TrainerCallback = object
        with mock.patch.dict(sys.modules, {"transformers": transformers}), mock.patch("builtins.print") as said:
            hook = trainspec.callback(**HERE)
            hook.on_train_begin(TrainingArguments(), None, None, model=type("M", (), {"config": CONFIG})())
        self.assertRegex(said.call_args[0][0], "a step takes")


if __name__ == "__main__":
    unittest.main()
