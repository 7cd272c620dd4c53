// The head's weight is that of the embedding. Stages that hold one each sum their gradients before
// the update, and each updates its own (Shoeybi et al., arXiv 1909.08053; Megatron-LM's embedding
// group); where both are on one rank, there is one. For models whose head is not tied already.
strategy tied_embeddings(head: Label = "head", embedding: Label = "embed") {
  rule head {
    match linear as head
    tie w with embedding
  }
}
