"""tiktoken: a token for each byte. A file of tokens gives their number."""
import base64
import pathlib


class Encoding:
    def __init__(self, name, pat_str="", mergeable_ranks=None, special_tokens=None, explicit_n_vocab=None):
        self.name, self.special = name, dict(special_tokens or {})
        self.words = len(mergeable_ranks) if mergeable_ranks is not None else 256
        self.n_vocab = explicit_n_vocab or max([self.words - 1, *self.special.values()]) + 1
        self.max_token_value, self.eot_token = self.n_vocab - 1, self.n_vocab - 1

    def encode(self, text, **_):
        return [b % self.words for b in text.encode()]

    encode_ordinary = encode

    def decode(self, tokens):
        return bytes(t % 256 for t in tokens).decode(errors="replace")


def load_tiktoken_bpe(path, **_):
    return {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in pathlib.Path(path).read_bytes().splitlines() if line}


def get_encoding(name):
    """GPT-2's, and those of later models by name."""
    sizes = {"gpt2": 50257, "r50k_base": 50257, "p50k_base": 50281, "cl100k_base": 100277, "o200k_base": 200019}
    if name not in sizes:
        raise ValueError(f"the stand-in for tiktoken has no encoding `{name}`: {', '.join(sizes)}")
    return Encoding(name, explicit_n_vocab=sizes[name])
