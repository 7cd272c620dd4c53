// An order from a file, as `tsc --emit=schedule-csv` and torch.distributed.pipelining write it: a
// line a rank, a cell an action such as 3F0 (stage, work, micro-batch). Stages and ranks are those
// of the file. `copies`: how many times the model is there, where its stages are numbered one copy
// after the other.
schedule from_csv(file: String, copies: Int = 1) {
  chunks 1 copies copies
  order from file
}
