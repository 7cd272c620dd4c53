# Files and commands of the manual, page by page, in an empty folder: a block after `<!-- file NAME -->` is that file, one after `<!-- run -->` has
# commands (`$ ...`) and what they print on standard output (`<!-- run all -->`: on standard error too), where a line `...` stands for any lines;
# nothing is run that is not shown, and the name of a file stands in the text above it. `<!-- run with torch -->` runs where there is PyTorch and all is tested, `<!-- run with python -->` where Python can load the library.
root=$(cd ../.. && pwd) program=$(command -v trainspec); export root program; mkdir "$scratch/page" "$scratch/tools"; torch=
[ -z "$TS_TEST_ALL" ] || for p in python3 /usr/bin/python3; do [ -n "$torch" ] || ! "$p" -c 'import torch.distributed' 2>/dev/null || torch=$(command -v "$p"); done
printf '#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 PYTHONPATH="%s/packages/tracer" exec "%s" -m trainspec_tracer "$@"\n' "$root" "$torch" >"$scratch/tools/trainspec-trace"
chmod +x "$scratch/tools/trainspec-trace"; [ -z "$torch" ] || ln -s "$torch" "$scratch/tools/python"; PATH=$scratch/tools:$PATH
export PYTHONPATH=$root/packages/python PYTHONDONTWRITEBYTECODE=1 TRAINSPEC_LIBRARY; TRAINSPEC_LIBRARY=$(dirname "$(command -v tsc)")/libtrainspec.so
python=; ! python3 -c 'import trainspec' 2>/dev/null || python=yes
# Pages begin with the same plans, and each takes seconds of search: `trainspec init` copies a plan that it wrote for another page of this run.
cat >"$scratch/tools/trainspec" <<'END'
#!/bin/bash
plan=${*: -1}
if [ "$1" != init ] || [ "${*: -2:1}" != -o ] || [ -e "$plan" ]; then exec "$program" "$@"; fi
cache=$shared/init.$({ printf '%s\n' "$@"; for file; do [ ! -f "$file" ] || cat "$file"; done; } | cksum | tr ' ' .)
if [ ! -e "$cache" ]; then
  mkdir "$cache.$$"; "$program" "$@" >"$cache.$$/out" 2>"$cache.$$/err" && mv "$plan" "$cache.$$/plan" || exec "$program" "$@"
  mv -T "$cache.$$" "$cache" 2>/dev/null || rm -r "$cache.$$"
fi
cp "$cache/plan" "$plan"; cat "$cache/out"; cat "$cache/err" >&2
END
chmod +x "$scratch/tools/trainspec"
check() { # COMMAND SHOWN-FILE ALL
  if [ -n "$3" ]; then bash -c "$1" >"$scratch/printed" 2>&1; else bash -c "$1" >"$scratch/printed" 2>/dev/null; fi
  awk -v command="$1" 'NR == FNR { want[++wants] = $0; next } { got[++gots] = $0 }
    # Can lines w.. of want be matched by lines g.. of got? After `...` the first place that fits the run up to the next one.
    END {
      g = 1
      for (w = 1; w <= wants; w = e) {
        loose = want[w] == "..."
        if (loose) w++
        for (e = w; e <= wants && want[e] != "..."; e++) ;
        if (e == w) { if (w > wants) exit 0; continue }
        last = e > wants
        for (at = loose && last ? gots - (e - w) + 1 : g; ; at++) {
          for (i = w; i < e && want[i] == got[at + i - w]; i++) ;
          if (i == e && at >= g && (!last || at + e - w == gots + 1)) break
          if (!loose || at + e - w > gots) { print "shown and not printed by: " command; for (i = w; i < e; i++) print "  " want[i]; print "printed:"; for (i = g; i < g + e - w + 2 && i <= gots; i++) print "  " got[i]; exit 1 }
        }
        g = at + e - w
      }
      if (g <= gots && want[wants] != "...") { print "printed and not shown by: " command; for (i = g; i <= gots; i++) print "  " got[i] }
    }' "$2" "$scratch/printed"
}
page() {
  local mark= line command= all= above= number=0
  rm -rf "$scratch/page"; mkdir "$scratch/page"; cd "$scratch/page"; cp -r "$root/examples" .
  while IFS= read -r line; do
    case $mark:$line in
      *:'<!-- file '*) mark="file ${line#<!-- file }"; mark=${mark% -->}; : >"${mark#file }"; case $above in *"\`${mark#file }\`"*) ;; *) echo "$1: no reader sees the name of ${mark#file }" ;; esac ;;
      *:'<!-- run -->') mark=run; all= ;;
      *:'<!-- run all -->') mark=run; all=yes ;;
      *:'<!-- run with torch -->') mark=skip; [ -z "$torch" ] || mark=run; all= ;;
      *:'<!-- run with python -->') mark=skip; [ -z "$python" ] || mark=run; all= ;;
      skip:'$ '*) number=$((number + 1)) ;;
      *:'<!-- $ '*) echo "$1: a command that no reader sees: $line" ;;
      'file '*:'```'*) mark="in ${mark#file }" ;;
      'in '*:'```') mark= ;;
      'in '*) printf '%s\n' "$line" >>"${mark#in }" ;;
      run:'```') mark=runs; command= ;;
      runs:'$ '*) [ -z "$command" ] || check "$command" "$scratch/shown" "$all"; command=${line#\$ }; : >"$scratch/shown"; number=$((number + 1)) ;;
      runs:'```') check "$command" "$scratch/shown" "$all"; mark= ;;
      runs:*) printf '%s\n' "$line" >>"$scratch/shown" ;;
    esac
    case $line in '```'*) above= ;; *) above=$above$line ;; esac
  done <"$root/doc/$1"
  echo "$1: $number commands"
}
