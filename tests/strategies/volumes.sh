#!/usr/bin/env bash
# volumes.sh: what each strategy of volumes.csv sends and holds, beside its closed form. `off` marks a difference; then the exit code is 1.
export LC_ALL=C
status=0
printf '%-32s %-22s %14s %14s\n' strategies what found 'closed form'
while IFS=';' read -r name options what closed; do
  case $name in '' | '#'*) continue ;; esac
  case $what in
    held*) tsc -W no-unsummed-gradients -S -o "$scratch/volumes" $options _plan.ts || exit 1 ;;
    *) tsrun --format json $options _plan.ts >"$scratch/volumes" 2>"$scratch/said" || { cat "$scratch/said"; exit 1; } ;;
  esac
  awk -v name="$name" -v what="$what" "
    function unit(u) { return u == \"B\" ? 1 : 1024 ^ index(\"KMGT\", substr(u, 1, 1)) }
    # of the report
    \$1 == \"\\\"group\\\":\" { gsub(/[\\\",]/, \"\", \$0); group = \$2; for (i = 3; i <= NF; i++) group = group \" \" \$i }
    \$1 == \"\\\"kind\\\":\" { kind = \$2; gsub(/[\\\",]/, \"\", kind) }
    \$1 == \"\\\"calls\\\":\" && !seen[group kind] { if (what == \"calls \" group) found += \$2 }
    \$1 == \"\\\"bytes\\\":\" && !seen[group kind]++ { if (what == \"bytes \" group) found += \$2 }
    # of the text of the IR: what is held, what the step frees of gradients, and the copies
    what ~ /^held/ && \$1 == \"hold\" { if (what == \"held \" \$4) found += \$2 * unit(\$3) }
    \$1 == \"fragment\" { step = \$2 == \"S\" }
    step && what == \"held gradients\" { for (i = 1; i < NF - 2; i++) if (\$i == \"free\" && \$(i + 3) == \"gradients\") found += \$(i + 1) * unit(\$(i + 2)) }
    END {
      V = 32000; h = 1024; f = 4096; L = 8; s = 1024; m = 2
      layer = 4 * h * h + 3 * f * h + 2 * h; P = L * layer + 2 * V * h + h
      closed = $closed
      off = found - closed > 0.0005 * closed || closed - found > 0.0005 * closed
      printf \"%-32s %-22s %14.0f %14.0f%s\n\", name, what, found, closed, off ? \" off\" : \"\"
      exit off
    }" "$scratch/volumes" || status=1
done <volumes.csv
exit $status
