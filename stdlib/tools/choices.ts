// What the profile of a framework switches on: `tsrun --choices` and `trainspec init` play a plan
// without each of them, and say what they save. `with` is the field as it is without; of what is off
// already nothing is said. Rows are as in std.tools.causes.
let choices: List[Record] = [
  { name: "collectives of tensor parallelism go on beside work (tensor)", wrap: "Framework", with: "tensor = \"none\"" },
  { name: "gradients are summed beside the backward (overlap)", wrap: "Framework", with: "overlap = false" },
  { name: "parameters are gathered beside the next forward (gather)", wrap: "Framework", with: "gather = false" },
  { name: "messages of the pipeline go on beside the host (messages)", wrap: "Framework", with: "messages = false" },
  { name: "keys and values travel beside work (context)", wrap: "Framework", with: "context = \"none\"" },
  { name: "attention by its library, not FlashAttention 2 (attention)", wrap: "Framework", with: "attention = \"flash2\"" },
  { name: "the loss is one kernel each way (loss)", wrap: "Framework", with: "loss = \"apart\"" },
  { name: "gradients are kept in 16 bits (gradients)", wrap: "Framework", with: "gradients = fp32" },
  { name: "CUDA graphs launch the kernels (graphs)", wrap: "Framework", with: "graphs = false" },
  { name: "stages are balanced by work (balanced)", wrap: "Framework", with: "balanced = false" },
]
