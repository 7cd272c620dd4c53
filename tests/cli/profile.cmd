# trainspec profile: its help; the program that measures gets the words as they are; without it, a message.
PYTHONDONTWRITEBYTECODE=1
trainspec profile --help | sed -n '1,8p;/^  DIR/,$p'
trainspec profile mine --minute 3 2>&1; echo "exit $?"
own=$(command -v trainspec)
(PATH=/nowhere; "$own" profile mine; echo "exit $?") 2>&1
mkdir "$scratch/tools"
printf '#!/bin/sh\necho "$@"; exit 3\n' >"$scratch/tools/trainspec-profile"; chmod +x "$scratch/tools/trainspec-profile"
(PATH=$scratch/tools:$PATH; trainspec profile mine --minutes 3 --only=kernels; echo "exit $?")
# What Python takes is what the help lists.
options() { grep -oE -- '--[a-z][a-z-]*' | sort -u | grep -vxE -- '--(help|version|color|diagnostics|max-memory)'; }
PYTHONPATH=../../packages/tracer python3 -m trainspec_profile --help | options | diff - <(trainspec profile --help | sed '/^DIR has/,$d' | options) && echo the same options
