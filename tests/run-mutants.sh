#!/usr/bin/env bash
# Changes what a node means (runtime/play/node.h), a line at a time, and shows that every play follows: the step takes another time, with --overlap
# the same other time, and the tests that hold plays, timelines, paths and maps against each other still pass. Reported as TAP.
. "$(dirname "$0")/tap.sh"
[ -n "$TS_TEST_ALL" ] || skip_all "long: TS_TEST_ALL=1 runs it"
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
node=runtime/play/node.h
work=$(mktemp -d) scratch=$work && trap 'rm -rf "$work"' EXIT
cd "$build" || exit 1
plan=$work/plan.ir
./tsc -o "$plan" "$root/examples/gpt3_175b.ts" >/dev/null 2>&1
step() { "$1" --format=json "${@:2}" "$plan" 2>/dev/null | sed -n 's/^[[:space:]]*"step_time_ps":[[:space:]]*\([0-9]*\),.*/\1/p' | head -n 1; }
value() { make -s -f Makefile -f - show <<<"show: ; @echo '$1'" | tail -n 1; }
compile=$(value '$(CC) $(DEFS) -I. $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) -O0 -g0') link=$(value '$(tests_unit_unit_LDFLAGS) $(tests_unit_unit_LDADD)')
play=$(value '$(tsrun_OBJECTS)') unit=$(value '$(tests_unit_unit_OBJECTS)')
mapfile -t sources < <(grep -l "$node" -r --include='*.Po' runtime compiler/lower trace calibrate library | sed 's,\.deps/,,; s,\.Po$,.c,' |
  while read -r source; do [ ! -f "$root/$source" ] || echo "$source"; done) # of files that went, an old build has notes

mutant() { # NAME TESTS SED: what is changed, what must still pass, and how
  local ours=$work/$1 objects=() plain
  mkdir -p "$ours/runtime/play"
  sed "$3" "$root/$node" >"$ours/$node"
  ! cmp -s "$root/$node" "$ours/$node" || { echo "$1 changes nothing"; return 1; }
  for source in "${sources[@]}"; do objects+=("$ours/${source//\//-}.o"); done
  printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I@ bash -c \
    "source=@; $compile"' -iquote "$0" -c -o "$0/${source//\//-}.o" "$1/$source"' "$ours" "$root" || return
  ${compile%% *} -no-pie -o "$ours/tsrun" $play "${objects[@]}" $link && ${compile%% *} -no-pie -o "$ours/unit" $unit "${objects[@]}" $link || return
  plain=$(step "$ours/tsrun")
  echo "# $1: $(step ./tsrun) ps, changed $plain, with --overlap $(step "$ours/tsrun" --overlap=constant:1)"
  [ "$plain" != "$(step ./tsrun)" ] && [ "$plain" = "$(step "$ours/tsrun" --overlap=constant:1)" ] &&
    top_srcdir=$root top_builddir=$build "$ours/unit" --tap=- --jobs 1 --filter "@($2)" | tee "$ours/tap" | grep '^not ok'
  [ -s "$ours/tap" ] && ! grep -q '^not ok' "$ours/tap"
}

# Each compares two ways to one time, and has no times of its own.
follow='overlap/*|pipeline/times_*|never_below/*'
all="$follow|engine/folding_*|engine/parts_*|memory/peaks_*|memory/periods_*|repeats/change_*"
try() { check "plays follow: $1" mutant "$@"; }
try latency "$all" 's/return left + (int64_t)m->latency;/return left + 3 * (int64_t)m->latency;/'
try hold "$all" 's/return (int64_t)(shared ? m->overhead : m->hold);/return (int64_t)(shared ? m->overhead : 2 * m->hold);/'
try issued "$follow" 's/{ return ts_later(from, issued); }/{ return ts_later(from, issued + 900000); }/'
summary
