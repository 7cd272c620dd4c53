# Bounds of goals of all kinds: on random small spaces the best, or the front, is that of all plans, and some are not played.
cp _money.ts $scratch; cd $scratch
n=7; draw() { n=$(((n * 1103515245 + 12345) % 2147483648)); eval "shift $((n / 65536 % $#))"; word=$1; }
left=0
for case in 1 2 3 4 5 6 7 8 9 10 11 12; do
  goals=; for i in 1 2 3; do
    draw '--minimize cost' '--minimize energy/tokens_per_step' '--minimize carbon' '--minimize step_time/tokens_per_step' '--minimize peak_memory' '--maximize tokens_per_second/devices' '--maximize mfu' '--minimize cost*(step_time/1s)' ''; goals="$goals $word"; done
  draw '--require=cost<$0.0001' '--require=energy/tokens_per_step<0.01J' '--require=mfu>0.4' '--require=step_time<20ms' '' ''; condition=$word
  draw 'tp=[1,2,4,8]' 'tp=[2,8]' 'tp=[1,2]'; tp=$word
  draw 'layers=[4,8,24]' 'layers=[2,16]' 'layers=4..9'; layers=$word
  s() { trainspec sweep --top 2 --vary $tp --vary $layers $goals $condition "$@" _money.ts 2>/dev/null | awk 'NR > 2 && !/^[ 0-9]/ && !/^tp/ { exit } NR > 2'; }
  s >one; s --all >all; cmp one all || echo "$goals $condition $tp $layers"
  played() { rm -f j; s -j1 --journal j "$@" >/dev/null; trainspec sweep status j | sed -n '1s/.*: \([0-9]*\) plan.*/\1/p'; }
  [ "$(played)" -lt "$(played --all)" ] && left=$((left + 1))
done
echo "$left of 12 leave plans out"
