figures() { tsrun --ignore-memory _triosim_rows.ts "$@" 2>&1 | grep -E '^error|^warning|parameters$|step time|forward|backward|optimizer  |all_reduce|conv  '; }
echo one; figures; echo two, then stages; figures -D dp=2; figures -D pp=2 -D micro_batches=2; echo half the batch; figures -D batch=4
trainspec replay _triosim_rows_trace.csv | sed -n '1,9p'
