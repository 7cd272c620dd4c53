for s in false true; do tsc _copies.ts -D sharded=$s --emit=text -o - | grep 'gradients of copies": send' | sed 's/ at .*//'; tsrun _copies.ts -D sharded=$s | grep 'pp messages  *[0-9]* '; done
