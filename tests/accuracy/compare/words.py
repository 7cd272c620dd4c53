"""How sources spell what std names: models, machines, number formats, frameworks."""
from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Optional

# Where a row has sizes of its own, the model is made from these.
BY_NAME, SIZES_LLAMA, SIZES_MPT, SIZES_GPT = range(4)


@dataclass(frozen=True)
class Model:
    """`call` by name alone, {} its sequence; `top`: experts of a token, 0: has none."""
    pattern: str
    call: str
    layers: int
    sizes: int = BY_NAME
    top: int = 0

    @property
    def name(self) -> str:
        """Of std.models' function."""
        return self.call.partition("(")[0]


_MODELS = (
    Model("mpt*", "", 0, SIZES_MPT),
    Model("gpt35b", "gpt(24, 4096, 32, 51200, {}, flash: true)", 24),
    Model("gpt320b", "gpt(44, 6144, 48, 51200, {}, flash: true)", 44),
    Model("gpt3*175b", "gpt(96, 12288, 96, 51200, {}, flash: true)", 96),
    Model("gpt3", "gpt(96, 12288, 96, 51200, {}, flash: true)", 96),
    Model("gptoss20b", "gpt_oss_20b({})", 24, top=4),
    Model("gptoss120b", "gpt_oss_120b({})", 36, top=4),
    Model("llama270blora", "llama2_70b_lora({})", 80),
    Model("llama27b", "llama2_7b({})", 32, SIZES_LLAMA),
    Model("llama213b", "llama2_13b({})", 40, SIZES_LLAMA),
    Model("llama270b", "llama2_70b({})", 80, SIZES_LLAMA),
    Model("llama3*405b", "llama3_405b({})", 126, SIZES_LLAMA),
    Model("llama3*70b", "llama3_70b({})", 80, SIZES_LLAMA),
    Model("llama3*8b", "llama3_8b({})", 32, SIZES_LLAMA),
    Model("llama4*scout*", "llama4_scout({})", 48, top=1),
    Model("llama4*maverick*", "llama4_maverick({})", 48, top=1),
    Model("nemotron38b", "nemotron3_8b({})", 32),
    Model("nemotron8b", "nemotron3_8b({})", 32),
    Model("nemotron22b", "nemotron_22b({})", 40),
    Model("nemotron415b", "nemotron4_15b({})", 32),
    Model("nemotron4340b", "nemotron4_340b({})", 96),
    Model("nemotronh56b", "nemotron_h_56b({})", 118),
    Model("nemotron*3*nano*", "nemotron3_nano({})", 52, top=6),
    Model("nemotronv3super120b2602", "nemotron3_super({}, mtp: 0)", 88, top=22),
    Model("nemotron*3*super*", "nemotron3_super({})", 88, top=22),
    Model("nemotron*3*ultra*", "nemotron3_ultra({})", 108, top=22),
    Model("qwen3*30b*a3b", "qwen3_30b_a3b({})", 48, top=8),
    Model("qwen3*235b*a22b", "qwen3_235b_a22b({})", 94, top=8),
    Model("qwen3*32b", "qwen3_32b({})", 64),
    Model("qwen3*14b", "qwen3_14b({})", 40),
    Model("qwen3*8b", "qwen3_8b({})", 36),
    Model("moonlight16b*", "moonlight_16b({})", 27, top=6),
    Model("deepseekv3*", "deepseek_v3({})", 62, top=8),
    Model("kimik2*", "kimi_k2({})", 61, top=8),
    Model("grok1*", "grok1({})", 64, top=2),
    Model("mixtral8x7b", "mixtral_8x7b({})", 32, top=2),
    Model("mixtral8x22b", "mixtral_8x22b({})", 56, top=2),
    Model("gpt*", "", 0, SIZES_GPT),
    Model("mtnlg*", "", 0, SIZES_GPT),
    Model("bloom*", "", 0, SIZES_GPT),
    Model("opt*", "", 0, SIZES_GPT),
)

# The first word that is in the name counts; None: not the machine it sounds like.
_MACHINES = (
    ("GH200", None), ("H100 NVL", None), ("H100-NVL", None), ("H100 PCIe", None), ("H100-PCIe", None),
    ("H100-PCIE", None), ("A100 PCIe", None), ("A100-PCIe", None), ("A100-PCIE", None), ("H100 96GB", "h100_500w"),
    ("GB300", "gb300"), ("GB200", "gb200"), ("B300", "b300"), ("B200", "b200"), ("H200-NVL", "h200_nvl"),
    ("H200", "h200"), ("H100", "h100"), ("h100", "h100"), ("a100_40", "a100_40g"), ("A100-SXM4-40", "a100_40g"),
    ("a100", "a100"), ("A100", "a100"), ("MI300X", "mi300x"), ("MI325X", "mi325x"), ("MI350X", "mi350x"),
    ("MI355X", "mi355x"), ("Gaudi2", "gaudi2"), ("Gaudi(R) 2", "gaudi2"), ("v5e", "v5e"), ("v5p", "v5p"),
    ("trillium", "v6e"), ("v6e", "v6e"), ("L40S", "l40s"),
)
# A row without precision is of a paper before fp8.
_RECIPES = (
    ("open", None), ("32", None), ("int4", None), ("NVFP4", "nvfp4"), ("nvfp4", "nvfp4"), ("mxfp4", "mxfp4"),
    ("MXFP8", "mxfp8"), ("mxfp8", "mxfp8"), ("FP8-MX", "mxfp8"), ("FP8", "fp8"), ("fp8", "fp8"), ("int8", "fp8"),
    ("", "bf16"),
)


@dataclass(frozen=True)
class Source:
    """From whom: the profile of std.frameworks, and the group of the report."""
    word: str
    framework: str
    group: str


_SOURCES = (
    Source("llm-foundry", "llm_foundry", "llm-foundry"),
    Source("202412_torchtitan", "torchtitan_2024", "torchtitan"),
    Source("torchtitan", "torchtitan", "torchtitan"),
    Source("AutoModel", "nemo_automodel", "NeMo AutoModel"),
    Source("Automodel", "nemo_automodel", "NeMo AutoModel"),
    Source("Megatron-Bridge", "megatron_bridge", "NVIDIA"),
    Source("NeMo", "nemo", "NVIDIA"),
    Source("dgxc", "nemo", "NVIDIA"),
    Source("Llama 3 paper", "torchtitan", "Llama 3 paper"),
    Source("Narayanan", "megatron_2021", "papers of 2021 and 2022"),
    Source("Korthikanti", "megatron_2021", "papers of 2021 and 2022"),
    Source("Smith", "megatron_2021", "papers of 2021 and 2022"),
    Source("BLOOM", "megatron_2021", "papers of 2021 and 2022"),
)


def plain(name: str) -> str:
    """Letters and digits alone, small."""
    return "".join(c for c in name if c.isascii() and c.isalnum()).lower()


def model(name: str) -> Optional[Model]:
    return next((m for m in _MODELS if fnmatchcase(plain(name), m.pattern)), None)


def named_model(name: str) -> Optional[Model]:
    """One that std has by name."""
    m = model(name)
    return m if m and m.call else None


def machine(text: str) -> Optional[str]:
    """Without `machine_`; None: std has not."""
    return next((meaning for word, meaning in _MACHINES if word in text), None)


def recipe(text: str) -> Optional[str]:
    return next((meaning for word, meaning in _RECIPES if word in text), None)


def source(text: str) -> Optional[Source]:
    return next((s for s in _SOURCES if s.word in text), None)


def quoted(word: str) -> str:
    return f'"{word}"'


def whole(x: float) -> str:
    """As a count is written."""
    return "%.0f" % x


def argument(words: str, name: str, ends: str = ";") -> str:
    """The value of NAME=value in a list that semicolons part, or ""."""
    at = words.find(name)
    while at >= 0:
        end = at + len(name)
        if (at == 0 or words[at - 1] == ";") and words[end:end + 1] == "=":
            rest = words[end + 1:]
            return rest[:min((rest.find(c) for c in ends if c in rest), default=len(rest))]
        at = words.find(name, end)
    return ""


def half(name: str) -> bool:
    """Which half of the rows a name is in, by FNV-1a."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return bool((value ^ value >> 16) & 1)
