# Files of a plan are read below its folder and those of -I; neither `..` nor a link nor a path from the root leads out, and nothing of such a file is shown.
mkdir -p "$scratch/plans" "$scratch/beside" && cd "$scratch" && echo 'password = "hunter2"' >beside/secret.ts && ln -s ../beside/secret.ts plans/link.ts && mkfifo plans/pipe.ts
for name in '../beside/secret.ts' link.ts pipe.ts "$scratch/beside/secret.ts" /dev/zero; do printf 'import "%s"\nplan p { }\n' "$name" >plans/p.ts; timeout 20 tsc --check plans/p.ts; done 2>&1 | sed "s:$scratch:SCRATCH:g" | grep -vE '^$|\^|^ *\|' >&2
printf 'let x = column("../beside/secret.ts", "a")\nplan p { }\n' >plans/p.ts; tsc --check plans/p.ts 2>&1 | head -n 1 >&2
echo 'let a = 1' >beside/mine.ts; printf 'import "../beside/mine.ts"\nlet b = a\nplan p { }\n' >plans/p.ts; for allow in --allow-read=beside -I.; do tsc --check $allow plans/p.ts 2>&1 | head -n 1 >&2; done; exit 1
