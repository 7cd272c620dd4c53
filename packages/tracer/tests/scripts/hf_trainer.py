"""GPT-2 trained by the Trainer of transformers, set up as its documentation does."""
import argparse

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

p = argparse.ArgumentParser()
p.add_argument("--layers", type=int, default=2)
p.add_argument("--hidden", type=int, default=128)
p.add_argument("--sequence", type=int, default=64)
p.add_argument("--vocabulary", type=int, default=512)
p.add_argument("--batch", type=int, default=2)
p.add_argument("--accumulate", type=int, default=2)
p.add_argument("--bf16", action="store_true")
p.add_argument("--output", default="out")
o = p.parse_args()


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        tokens = (torch.arange(o.sequence) + index) % o.vocabulary
        return {"input_ids": tokens, "labels": tokens.clone()}


model = GPT2LMHeadModel(GPT2Config(vocab_size=o.vocabulary, n_positions=o.sequence, n_embd=o.hidden, n_layer=o.layers, n_head=4))
arguments = TrainingArguments(o.output, per_device_train_batch_size=o.batch, gradient_accumulation_steps=o.accumulate, max_steps=3, logging_steps=1, bf16=o.bf16, save_strategy="no", report_to="none")
trainer = Trainer(model=model, args=arguments, train_dataset=Tokens())
trainer.train()
trainer.save_state()
