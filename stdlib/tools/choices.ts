// What a profile switches on: `trainspec init` plays its plan without each of them, and writes what
// they are worth. OFF is the field's value without; of what is off already nothing is said.
let choices: List[Record] = [
  { field: "tensor", off: "\"none\"", says: "collectives of tensor parallelism go on beside work" },
  { field: "overlap", off: "false", says: "gradients are summed beside the backward" },
  { field: "gather", off: "false", says: "parameters are gathered beside the next forward" },
  { field: "messages", off: "false", says: "messages of the pipeline go on beside the host" },
  { field: "context", off: "\"none\"", says: "keys and values travel beside work" },
  { field: "attention", off: "\"flash2\"", says: "attention by its library, not FlashAttention 2" },
  { field: "loss", off: "\"apart\"", says: "the loss is one kernel each way" },
  { field: "gradients", off: "fp32", says: "gradients are kept in 16 bits" },
  { field: "graphs", off: "false", says: "CUDA graphs launch the kernels" },
  { field: "balanced", off: "false", says: "stages are balanced by work" },
]
