# Steps are played with known factors and scattered by up to 0.4 %; what is fitted must be those factors. The sixth step is a fifth too long.
scratch=$scratch/calibrate; mkdir "$scratch"
measured() { tsrun -D products=1.1 -D others=1.15 -D hosts=1.3 "$@" --format=json _calibrate.ts | awk -v by="$by" '/"step_time_ps"/ { printf "%.7f", $2 * by / 1e12 } /"peak_memory_bytes"/ { printf ",%.0f", $2 + 3e8 }'; }
{
  echo tp,dp,pp,micro,seq,hidden,step_s,memory,group
  while read -r tp dp pp micro seq hidden by group; do
    by=$by measured -D tp=$tp -D dp=$dp -D pp=$pp -D micro=$micro -D seq=$seq -D hidden=$hidden |
      sed "s/^/$tp,$dp,$pp,$micro,$seq,$hidden,/; s/\$/,$group\n/"
  done <<END
1 1 1 1 512 1024 1.002 a
2 2 1 1 512 1024 0.997 a
1 2 1 4 1024 4096 1.003 b
2 1 1 8 1024 8192 0.998 b
4 1 2 4 2048 4096 1.001 b
1 4 1 4 512 2048 1.2 c
1 1 1 16 1024 2048 0.999 c
1 2 2 2 512 512 1.000 c
END
} >"$scratch/measured.csv"
trainspec calibrate --noise 0.5% -o "$scratch/fitted.json" _calibrate.ts "$scratch/measured.csv" 2>&1
echo "exit $?"
trainspec calibrate --noise 0.5% --jobs 1 -o "$scratch/again.json" _calibrate.ts "$scratch/measured.csv" >"$scratch/again.out" && cmp "$scratch/fitted.json" "$scratch/again.json" && echo 'the same file with one thread'
# The plan that imports it, played, has the same figures.
cp _calibrate.ts "$scratch/plan.ts"
sed -i 's|^  host = |  calibration = calibrated("fitted.json")\n  host = |' "$scratch/plan.ts"
step() { sed -n 's/.*"step_time_ps":\t\([0-9]*\).*/\1/p'; }
fitted=$(trainspec calibrate --noise 0.5% --format=json _calibrate.ts "$scratch/measured.csv" | sed -n 's/.*"fitted_s":\t\([0-9.]*\).*/\1/p' | sed -n 3p)
played=$(tsrun -D dp=2 -D tp=1 -D micro=4 -D seq=1024 -D hidden=4096 --format=json "$scratch/plan.ts" | step)
awk -v a="$fitted" -v b="$played" 'BEGIN { d = a * 1e12 / b - 1; print (d < 1e-9 && d > -1e-9 ? "the plan is played as it was fitted" : "fitted " a " played " b) }'
tsrun "$scratch/plan.ts" | sed -n '/^Calibrated/,/^$/p; s/ [0-9a-f]\{8\}//; /inputs/p'
# A step that was not measured, as it would be and with the interval around what is predicted of it.
by=1 measured -D tp=2 -D dp=4 -D seq=2048 -D hidden=2048 | sed 's/,.*//; s/^/would take s: /'; echo
tsrun -D tp=2 -D dp=4 -D seq=2048 -D hidden=2048 "$scratch/plan.ts" | sed -n '/step time/p; /^How sure/,/^$/p'
tsc -S -o "$scratch/plan.tsir" "$scratch/plan.ts" && tsc -o "$scratch/plan.ir" "$scratch/plan.ts" && [ "$(tsrun --format=json "$scratch/plan.tsir" | step)" = "$(tsrun --format=json "$scratch/plan.ir" | step)" ] && echo 'the text form is played alike'
# Of steps that are all bound by the same, only a sum is known.
{ head -1 "$scratch/measured.csv"; for micro in 4 8 16; do by=1 measured -D tp=1 -D dp=1 -D micro=$micro -D seq=1024 -D hidden=4096 | sed "s/^/1,1,1,$micro,1024,4096,/; s/\$/,a\n/"; done; } >"$scratch/alike.csv"
trainspec calibrate --noise 0.5% _calibrate.ts "$scratch/alike.csv" | sed -n '/^time of/,/^line/p'
# The log of a run of the plan as it stands is one measured step.
for i in 1 2 3 4 5; do echo "completed step: $i, seconds: 0.02$i"; done >"$scratch/run.log"; trainspec calibrate _calibrate.ts "$scratch/run.log" 2>/dev/null | sed -n '1p;/^line/,/^ /p'
