for g in 2 3 4 8 12 16 30; do echo "$g GB" $(tsrun _zb_memory.ts -D memory="$g GB" 2>&1 | grep "step time\|  activations \|= rank \|= memory "); done
