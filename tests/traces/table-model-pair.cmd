# A profile and its execution trace (made up): a linear layer, batch norm with running means, relu in place, a loss; sums of gradients belong to the operators whose they are. Joined by numbers, by names over two steps, and what makes no model.
cp _pair_*.json $scratch && cd $scratch && trainspec table --model _pair_profile.json _pair_trace.json
m() { trainspec table --model "$@" 2>&1; }
{ echo '{"traceEvents":['; sed '1d;$d' _pair_profile.json; echo ,; sed '1d;$d' _pair_profile.json | sed -E 's/"ts":/"ts":9/; s/"(correlation|External id)":/&7/; s/("name":"gemm".*"dur":)[0-9]+/\150/'; echo ']}'; } | sed 's/"Record function id":[0-9]*,//' >twice.json; m twice.json _pair_trace.json | grep addmm
sed 's/Optimizer.step/other/' _pair_trace.json >none.json; m _pair_profile.json none.json; sed 's/\[61,61/[60,60/; s/\[1[0-9],1[0-9],/[77,77,/g' _pair_trace.json >foreign.json; m _pair_profile.json foreign.json
m _pair_profile.json; m _pair_trace.json; m _pair_profile.json _pair_trace.json _pair_trace.json; sed 's/aten::[a-z_]*/none/' _pair_profile.json >apart.json; m apart.json _pair_trace.json; rm *.json
