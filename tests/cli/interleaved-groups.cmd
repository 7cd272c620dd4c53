# Seven micro-batches on four ranks: PyTorch's groups, which Megatron-LM refuses. Said in every form of the report; not where they divide, or where the size of a group is stated.
lab=../../examples/schedule_lab.ts p='schedule=interleaved_one_f_one_b(p: 4, v: 2'
tsrun -D "$p, m: 7)" $lab 2>/dev/null | sed -n '/^Warnings/,/^$/p'
tsrun --format=json -D "$p, m: 7)" $lab 2>/dev/null | jq -c '.warnings[] | [.code, .name, .line], .message'
tsrun --format=html -D "$p, m: 7)" $lab 2>/dev/null | grep -o '<p><b>W0406</b>'
tsrun -D "$p, m: 8)" $lab 2>&1 | grep -c W0406; tsrun -D "$p, m: 7, group: 7)" $lab 2>&1 | grep -c W0406
