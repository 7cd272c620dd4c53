tsrun --network all -D 'models=[flow(), packet()]' _two_nodes.ts | sed -E 's| +[^ ]+ [mun]?s$| (time)|'
tsrun --network packet _two_nodes.ts | grep -E 'step time|exposed dp'
