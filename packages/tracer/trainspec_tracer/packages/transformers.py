"""transformers: BERT (Devlin et al., arXiv:1810.04805) under the names of its modules, untrained, and tokens that are bytes."""
import random
import types

import torch
from torch import nn

# words, width, layers, heads, inner width
SIZES = {"bert-base-cased": (28996, 768, 12, 12, 3072), "bert-base-uncased": (30522, 768, 12, 12, 3072), "bert-large-cased": (28996, 1024, 24, 16, 4096),
         "bert-large-uncased": (30522, 1024, 24, 16, 4096)}
POSITIONS, TYPES, BEGINS, ENDS = 512, 2, 101, 102


def sizes(name):
    known = name.rpartition("/")[2]
    if known not in SIZES:
        raise ValueError(f"the stand-in for transformers has no model `{name}`: {', '.join(SIZES)}")
    return SIZES[known]


def set_seed(seed, **_):
    random.seed(seed)
    torch.manual_seed(seed)


def get_linear_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps, last_epoch=-1):
    def share(step):
        return step / max(1, num_warmup_steps) if step < num_warmup_steps else max(0.0, (num_training_steps - step) / max(1, num_training_steps - num_warmup_steps))
    return torch.optim.lr_scheduler.LambdaLR(optimizer, share, last_epoch)


class BatchEncoding(dict):
    def to(self, device, **_):
        return BatchEncoding({k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in self.items()})


class Tokenizer:
    def __init__(self, words):
        self.vocab_size, self.model_max_length, self.pad_token_id = words, POSITIONS, 0

    def __len__(self):
        return self.vocab_size

    def __call__(self, text, pair=None, truncation=False, max_length=None, padding=False, return_tensors=None, **_):
        one = isinstance(text, str)
        texts, pairs = ([text], [pair]) if one else (text, pair or [None] * len(text))
        rows = [self._row(a, b, (max_length or self.model_max_length) if truncation else None) for a, b in zip(texts, pairs)]
        out = BatchEncoding({name: [row[name] for row in rows] for name in rows[0]})
        if padding or return_tensors:
            out = self.pad(out, padding, max_length, return_tensors=return_tensors)
        return BatchEncoding({name: values[0] for name, values in out.items()}) if one and not return_tensors else out

    def _row(self, text, pair, most):
        first = [BEGINS] + [b % self.vocab_size for b in text.encode()] + [ENDS]
        second = [b % self.vocab_size for b in pair.encode()] + [ENDS] if pair is not None else []
        ids, kinds = (first + second)[:most], ([0] * len(first) + [1] * len(second))[:most]
        return {"input_ids": ids, "token_type_ids": kinds, "attention_mask": [1] * len(ids)}

    def pad(self, examples, padding=True, max_length=None, pad_to_multiple_of=None, return_tensors=None, **_):
        if not isinstance(examples, dict):
            examples = {name: [example[name] for example in examples] for name in examples[0]}
        longest = max_length if padding == "max_length" and max_length else max(map(len, examples["input_ids"]))
        longest = -(-longest // (pad_to_multiple_of or 1)) * (pad_to_multiple_of or 1)
        rows = {name: [v + [0] * (longest - len(v)) if isinstance(v, list) else v for v in values] for name, values in examples.items()}
        return BatchEncoding({name: torch.tensor(values) for name, values in rows.items()} if return_tensors else rows)


class AutoTokenizer:
    @staticmethod
    def from_pretrained(name, **_):
        return Tokenizer(sizes(name)[0])


class Output(dict):
    """Parts by name, as an attribute or an item."""
    __getattr__ = dict.__getitem__


def part(**modules):
    out = nn.Module()
    for name, module in modules.items():
        out.add_module(name, module)
    return out


class Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        inner_attention = part(query=nn.Linear(width, width), key=nn.Linear(width, width), value=nn.Linear(width, width))
        self.attention = nn.ModuleDict({"self": inner_attention, "output": part(dense=nn.Linear(width, width), dropout=nn.Dropout(0.1), LayerNorm=nn.LayerNorm(width, 1e-12))})
        self.intermediate = part(dense=nn.Linear(width, inner))
        self.output = part(dense=nn.Linear(inner, width), dropout=nn.Dropout(0.1), LayerNorm=nn.LayerNorm(width, 1e-12))

    def forward(self, x, mask):
        projections = self.attention["self"]
        q, k, v = (project(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2) for project in (projections.query, projections.key, projections.value))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, mask.to(q.dtype), 0.1 if self.training else 0.0).transpose(1, 2).reshape(x.shape)
        out = self.attention["output"]
        x = out.LayerNorm(x + out.dropout(out.dense(mixed)))
        return self.output.LayerNorm(x + self.output.dropout(self.output.dense(nn.functional.gelu(self.intermediate.dense(x)))))


class BertForSequenceClassification(nn.Module):
    def __init__(self, name, labels=2):
        super().__init__()
        words, width, layers, heads, inner = sizes(name)
        self.config = types.SimpleNamespace(model_type="bert", num_labels=labels, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads, vocab_size=words)
        embeddings = part(word_embeddings=nn.Embedding(words, width, padding_idx=0), position_embeddings=nn.Embedding(POSITIONS, width), token_type_embeddings=nn.Embedding(TYPES, width),
                          LayerNorm=nn.LayerNorm(width, 1e-12), dropout=nn.Dropout(0.1))
        encoder = part(layer=nn.ModuleList(Layer(width, heads, inner) for _ in range(layers)))
        self.bert = part(embeddings=embeddings, encoder=encoder, pooler=part(dense=nn.Linear(width, width)))
        self.dropout, self.classifier = nn.Dropout(0.1), nn.Linear(width, labels)

    @classmethod
    def from_pretrained(cls, name, num_labels=2, **_):
        return cls(name, num_labels)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None, **_):
        e = self.bert.embeddings
        places = torch.arange(input_ids.size(1), device=input_ids.device)
        kinds = token_type_ids if token_type_ids is not None else torch.zeros_like(input_ids)
        x = e.dropout(e.LayerNorm(e.word_embeddings(input_ids) + e.token_type_embeddings(kinds) + e.position_embeddings(places)))
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        mask = mask.expand(-1, 1, input_ids.size(1), -1)
        for layer in self.bert.encoder.layer:
            x = layer(x, mask)
        logits = self.classifier(self.dropout(torch.tanh(self.bert.pooler.dense(x[:, 0]))))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return Output(**({"loss": loss} if loss is not None else {}), logits=logits)


AutoModelForSequenceClassification = BertForSequenceClassification
