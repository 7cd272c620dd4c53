"""tokenizers: what transformers asks for as it begins. Tokens that are written in Python (`use_fast=False`) need no more."""
import dataclasses

from .nothing import Nothing


@dataclasses.dataclass(eq=True, frozen=False, unsafe_hash=True)
class AddedToken:
    content: str = ""
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True
    special: bool = False

    def __getstate__(self):
        return dict(vars(self))

    def __setstate__(self, state):
        vars(self).update(state)

    def __str__(self):
        return self.content


NAMES = """BPE BpeTrainer ByteLevelBPETokenizer Decoder Encoding NormalizedString PreTokenizedString Regex SentencePieceBPETokenizer Sequence Tokenizer Unigram UnigramTrainer WordLevel WordLevelTrainer
    WordPiece WordPieceTrainer decoders models normalizers pre_tokenizers processors trainers"""
globals().update({name: Nothing(f"tokenizers.{name}") for name in NAMES.split()})
