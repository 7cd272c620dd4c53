// A model of one's own, for `trainspec init`.
import std.models.gpt

fn small(layers: Int = 8) -> Model = gpt(layers, hidden: 1024, heads: 16, vocab: 51200, seq: 1024, flash: true)
