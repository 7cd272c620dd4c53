# Files that a plan names as its calibration.
mkdir "$scratch/imported" && cp _calibrate.ts "$scratch/imported/plan.ts" && cd "$scratch/imported"
sed -i 's|^  host = |  calibration = calibrated("c.json")\n  host = |' plan.ts
try() { printf '%s' "$1" >c.json; tsrun plan.ts 2>&1 | head -12; }
quantity='{"name": "x", "kind": "host", "prior": 0.1, "log": 0.1}'
good='{"trainspec-calibration": 1, "plan": "p", "device": "", "framework": "", "rows": 2, "noise": 0.1, "residual": 0.1'
tsrun plan.ts 2>&1
try '{'
try '{}'
try '{"trainspec-calibration": 2}'
try "$good}"
try "$good, \"quantities\": [{\"name\": \"x\", \"kind\": \"odd\"}], \"covariance\": []}"
try "$good, \"quantities\": [{\"name\": \"x\", \"kind\": \"host\", \"prior\": 0.1, \"log\": 99}], \"covariance\": []}"
try "$good, \"quantities\": [$quantity], \"covariance\": []}"
try "$good, \"quantities\": [$quantity], \"covariance\": [[-1]]}"
try "$good, \"quantities\": [$quantity, $quantity], \"covariance\": [[1, 2], [2, 1]]}"
try "$good, \"quantities\": [$quantity], \"covariance\": [[0.01]]}" | head -1
# of another device
try "$(sed 's|"device": ""|"device": "a100_sxm_80g"|' <<<"$good"), \"quantities\": [$quantity], \"covariance\": [[0.01]]}" >/dev/null; tsrun -o report plan.ts 2>&1
# and with another framework
try "$(sed 's|"framework": ""|"framework": "nemo"|' <<<"$good"), \"quantities\": [$quantity], \"covariance\": [[0.01]]}" >/dev/null
sed -i 's|^  host = |  framework = { name: "torchtitan" }\n  host = |' plan.ts; tsrun -o report plan.ts 2>&1
sed -i 's|calibrated("c.json")|table("c.json")|' plan.ts; tsrun plan.ts 2>&1
