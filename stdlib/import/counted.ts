// Work that is stated instead of following from an operator and its tensors: what workloads of AICB
// and nodes of Chakra traces (`num_ops`, `tensor_size`) say. The default of graph(...) for them: see
// doc/traces.md. None of them state a number format: `computed` is that of work that is counted.
import std.ops.nn

// So many FLOP, and so many bytes moved.
op counted(work: Work, moved: Size, computed: DType = bf16) {
  forward { kernel computation { dtype = computed, flops = work, reads = [moved] } }
}

fn _work(row: Record) -> Work = row.flops
fn _moved(row: Record) -> Size = row.bytes
fn _left(row: Record) -> Tensor = row.inputs[0]
fn _columns(row: Record) -> Int = last(row.inputs[1].shape)
fn _are_matrices(row: Record) -> Bool = if len(row.inputs) == 2 then len(row.inputs[0].shape) == 2 and len(row.inputs[1].shape) == 2 and
  last(row.inputs[0].shape) == row.inputs[1].shape[0] else false

fn counted_in(computed: DType = bf16) = {
  ops: [
    { kind: "*", when: _are_matrices, op: linear, args: { x: _left, out: _columns, given: true } },
    { kind: "*", op: counted, args: { work: _work, moved: _moved, computed: computed } },
  ],
}
let counted_work = counted_in()
