#!/usr/bin/env bash
# compile.sh MODES MODEL...: each model compiled on ranks of every mode; what the compiler says where it refuses.
#   dp  two replicas    tp  tensor parallel, two ranks (tp5: five)    sp  with sequence parallelism    cp  context parallel, two ranks (uly: by heads)    ep  experts over four
#   pp  two stages    all  two by two by two of dp, tp, pp    most  of dp, ep, sp, pp
export LC_ALL=C
modes=$1; shift
status=0
for model; do
  line=$(printf '%-34s' "$model")
  for mode in $modes; do
    case $mode in
      dp) options='-D dp=2' ;;
      tp) options='-D tp=2' ;;
      tp5) options='-D tp=5' ;;
      sp) options='-D tp=2 -D sequence=true' ;;
      pp) options='-D pp=2' ;;
      cp) options='-D cp=2' ;;
      uly) options='-D cp=2 -D heads=true' ;;
      ep) options='-D ep=4' ;;
      most) options='-D dp=2 -D ep=2 -D tp=2 -D sequence=true -D pp=2' ;;
      all) options='-D dp=2 -D tp=2 -D pp=2' ;;
    esac
    if tsc --check $options -D "model=$model" _plan.ts 2>"$scratch/said"; then
      line+=" $mode"
    else
      line+=" $mode: $(head -1 "$scratch/said")"; status=1
    fi
  done
  echo "$line"
done
exit $status
