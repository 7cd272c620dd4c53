# Rows in the form of each program: what is taken for a step, its time, and what else is said. Then files that are refused.
cd "$scratch"
show() { trainspec log "$@" 2>&1 || echo "exit $?"; }
lines() { local i; for i in $(seq "$2" "$3"); do eval "echo \"$4\""; done >"$1"; show "$1"; }
lines bridge.log 1 6 '[2026-01-01 10:00:0$i] iteration $i/ 6 | consumed samples: $((i * 8)) | elapsed time per iteration (ms): 204.$i/210.0 | mem usage: 3.81GB | throughput per GPU (TFLOP/s/GPU): 501.5 | global batch size: 8 | lm loss: 1.2E+01 |'
printf '[Rank 1] (after 6 iterations) memory (MB) | allocated: 1.0 | max allocated: 2048.5 | reserved: 3000.0 | max reserved: 3072.0\n' >>bridge.log; show bridge.log | tail -1
lines nemo.log 0 5 'Training epoch 0, iteration $i/5 | lr: 1e-05 | global_batch_size: 128 | global_step: $i | reduced_train_loss: 11.0 | train_step_timing in s: 6.1$i'
lines titan.log 1 6 '[rank0]:[titan] 2026-07-21 15:57:4$i,500 - root - INFO - step: $i loss: 5.0 memory: 66.91GiB(37.51%) tps: 10,05$i tflops: 314.7 mfu: 13.99%'
lines maxtext.log 3 9 'completed step: $i, seconds: 0.42$i, TFLOP/s/device: 241.1, Tokens/s/device: 9610.6, loss: nan'
lines engine.log 1 5 'steps: $((10 * i)) loss: 2.1 iter time (s): 3.$i samples/sec: 41.3'
lines timer.log 1 5 '[2026-04-18 03:36:1$i,000] [timer.py] epoch=0/micro_step=$((10 * i))/global_step=$((10 * i)), RunningAvgSamplesPerSec=223.6, CurrSamplesPerSec=218.4, MemAllocated=4.34GB, MaxMemAllocated=12.81GB'
lines nanotron.log 1 5 'iteration: $i / 5 | consumed_tokens: 5.24M | elapsed_time_per_iteration_ms: 1.2${i}K | tokens_per_sec_per_gpu: 8.2K | global_batch_size: 512 | lm_loss: 7.1 | model_tflops_per_gpu: 123'
lines bar.log 1 5 ' 25%|##        | $i/5 [03:45<11:17, 11$i.97s/it]'
lines rl.log 1 4 'step:$i - timing/gen:20.5 - timing/ref:4.5 - timing/update_actor:$i.5'
{ echo ':::MLLOG {"time_ms": 1000, "key": "global_batch_size", "value": 8}'; for i in 1 2 3 4; do echo ":::MLLOG {\"time_ms\": ${i}000, \"key\": \"tracked_stats\", \"value\": {\"throughput\": 2.0$i}, \"metadata\": {\"step\": 10}}"; done; } >lora.log; show lora.log
{ for i in 31 63 95; do echo ":::MLLOG {\"time_ms\": ${i}000, \"key\": \"tracked_stats\", \"value\": {\"train_step_time\": 0.08$i}, \"metadata\": {\"step\": $i.0}}"; done; echo ':::MLLOG {"time_ms": 96000, "key": "tracked_stats", "value": {"train_step_time": 7.5}, "metadata": {"samples_count": 12288}}'; } >llama.log; show llama.log
echo '{"global_step": 100, "log_history": [{"step": 50, "loss": 1.1}, {"step": 50, "eval_runtime": 30.5}, {"step": 100, "train_runtime": 230.5}]}' >trainer_state.json; show trainer_state.json
printf 'Step,run a - lm loss,run a - perf/step_time,run a - perf/step_time__MAX\n1,3,nan,9\n2,3,5.5,9\n4,3,1.5,9\n6,3,1.25,9\n8,3,1.5,9\n' >wandb.csv; show wandb.csv; trainspec log --format csv wandb.csv; trainspec log --format json wandb.csv
printf 'Wall time,Step,Value\n100.5,1,3.5\n101.75,2,3.5\n103,3,3.5\n' >board.csv; show board.csv
trainspec log --format svg wandb.csv | grep -c circle
# Runs of one file stand side by side.
for run in 5 4 4; do for i in 1 2 3 4; do echo "iteration $i/ 4 | elapsed time per iteration (ms): $((run * 1000)).0 |"; done; done >three.log; show three.log
trainspec log --format json three.log | grep -o '"runs".*runs_s": [^]]*]'
# TensorBoard's own file: whole, and cut off within a record; numbers as a simple value, and as a tensor of TF2.
python3 - <<'END'
import struct
key = lambda n, t: bytes([n << 3 | t])
held = lambda n, b: key(n, 2) + bytes([len(b)]) + b
simple = lambda v: key(2, 5) + struct.pack("<f", v)
tensor = lambda v: held(8, key(1, 0) + b"\x01" + held(4, struct.pack("<f", v)))
record = lambda b: struct.pack("<Q", len(b)) + bytes(4) + b + bytes(4)
event = lambda t, step, tag, value: record(key(1, 1) + struct.pack("<d", t) + key(2, 0) + bytes([step]) + held(5, held(1, held(1, tag) + value)))
rows = [record(key(1, 1) + struct.pack("<d", 1) + held(3, b"brain.Event:2"))]
rows += [event(100 + i, i, *what) for i in range(1, 9) for what in [(b"iteration-time", simple(9 if i == 1 else 1.5)), (b"batch-size", tensor(64))]]
open("events.tfevents", "wb").write(b"".join(rows)); open("cut.tfevents", "wb").write(b"".join(rows)[:-60])
END
show events.tfevents; show cut.tfevents
# ... and that of Weights & Biases, whose records are cut into chunks at blocks of 32 KiB.
python3 - <<'END'
import struct
def size(n): return bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14])
held = lambda n, b: (bytes([n << 3 | 2]) if n < 16 else bytes([n << 3 & 127 | 128 | 2, n >> 4])) + size(len(b)) + b
item = lambda key, json: held(1, b"".join(held(2, part) for part in key.split(b"/")) + held(16, json))
out = bytearray(b":W&B\xe1\xbe\x00")
for i in range(1, 9):
    items = [item(b"_step", b"%d" % i), item(b"_timestamp", b"%.1f" % (100 + i)), item(b"step_time", b"9.5" if i == 1 else b"1.25"), item(b"a/b", b'"x"')]
    rest, kind = b"\x08\x01" + held(2, b"".join(items) + held(1, held(1, b"filling") + held(16, b"0" * 9000))), 1
    while rest:
        room = 32768 - len(out) % 32768
        if room < 7: out += bytes(room); continue
        part, rest = rest[:room - 7], rest[room - 7:]
        kind = (2 if rest else 1) if kind == 1 else (3 if rest else 4)
        out += bytes(4) + struct.pack("<HB", len(part), kind) + part
open("run.wandb", "wb").write(out); open("cut.wandb", "wb").write(out[:-500])
END
show run.wandb; show cut.wandb
printf 'nothing of a step\n' >none.log; show none.log; : >empty.log; show empty.log; show missing.log
printf 'iteration 1/ 2 | elapsed time per iteration (ms): nan | \n' >nan.log; show nan.log
printf '\x1b]0;x\x07iteration 1/ 2 | elapsed time per iteration (ms): 5.5 |\n' >"$(printf 'a\x1bb.log')"; show "$(printf 'a\x1bb.log')"
printf '{"log_history": [{"step": 1' >cut.json; show cut.json
formats() { printf 'import std.import.logs (LogFormat, LogReading)\nlet log_formats%s = [{ name: "x", lines: [%s] }]\nlet log_columns: List[LogReading] = []\nlet log_lists: List[String] = []\n' "$1" "$2" >bad.ts; show --formats bad.ts none.log; }
formats ': List[LogFormat]' '{ has: ["a"], kind: "stp" }'; formats ': List[LogFormat]' '{ has: [] }'; formats ': List[LogFormat]' '{ has: ["a"], reads: [{ figure: "step" }] }'
formats ': List[LogFormat]' '{ has: ["a"], reads: [{ figure: "stp", after: "a" }] }'; formats ': List[LogFormat]' '{ has: "a" }'; formats '' '{ has: ["a"] }'
 echo 'let x = 1' >worse.ts; show --formats worse.ts none.log
trainspec log; echo "exit $?"; trainspec log a b; echo "exit $?"
