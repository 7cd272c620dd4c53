# What stands before all repeats is on the first stage and what stands behind them on the last, whether these hold repeats or not.
tsc -S _ends.ts -o - 2>/dev/null | awk '/^fragment "F/ { print "stage:"; on = 1; next } /^}/ { on = 0 } on && /: (compute gemm|send|recv)|embed|head|loss/ { sub(/ (launch|over|after|phase|alloc|at|free) .*/, ""); print }'
