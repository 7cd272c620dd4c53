# A framework is a file of std.frameworks that declares `command_line`, however it is written; one that only mentions it is none.
mkdir -p $scratch/std/frameworks && cd $scratch/std/frameworks
printf '// Its plans once had\nrecord Arguments { gpus: Int, gpu: String }\nlet command_lines = { plan: ["let command_line = 3"] }\n' >spoken.ts
printf 'record Arguments { gpus: Int, gpu: String, layers: Int = 1, dealt: List = [], kinds: Any = 0 }\nlet command_line: Record = { about: "A run.", arguments: "Arguments", gpu: "h100", layouts: ["dealt"], prefixes: [{ given: "old_", as: "new_" }, { given: "new_", as: "old_" }, { given: "args_", as: "" }], harmless: [{ why: "It is a number.", names: ["lr lr_decay_style"] }], plan: [] }\n' >broken.ts
import() { trainspec import --stdlib $scratch/std "$@" 2>&1; echo "exit $?"; }
import spokn --layers 4
import brokn --layers 4
import --gpus 4 broken --layers 4 --lr 1 --dealt 'E(t(t|)*2)*2L' --kinds '([0]*2+[1])*2+[5]'
import broken --dealt '' 
import broken --kinds '[0]*2*3'
import broken --kinds '[0]+'
import broken --args_layers 3 --old_layers 4
import broken --color=always --gpus=2
import broken --stdlib
