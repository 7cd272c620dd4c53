# bash as it splits words at `=`; fish as it stands; zsh can read its script. They are those that are installed.
. <(trainspec completion bash); complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _trainspec; echo "$* -> ${COMPREPLY[*]}"; }
complete_words trainspec ""; complete_words trainspec fit ""; complete_words tsc --li; complete_words trainspec compile --st; complete_words tsc --color a; complete_words tsrun --trace-; complete_words tsc _pl
complete_words tsrun --format = ""; complete_words tsrun --format j; complete_words trainspec fit network --model = w; complete_words tsrun -W no-idle; complete_words tsrun _plan.ts -D ""; complete_words tsrun -D tp = 8; complete_words tsrun --by = l
complete_words trainspec init --model gpt2_; complete_words trainspec init --gpu = machine_h1; complete_words trainspec show local_; complete_words trainspec list sch; complete_words trainspec --v; complete_words tsrun --color = al
COMP_WORDS=(tsrun -D h _plan.ts); COMP_CWORD=2; COMPREPLY=(); _trainspec; echo "${COMPREPLY[*]}"; tsrun --complete 0 --sensi; tsrun --complete 7 x; tsrun --complete x; trainspec export --complete 9
! command -v zsh >/dev/null || zsh -n ../../share/zsh/_trainspec
! command -v fish >/dev/null || fish -c 'source ../../share/fish/trainspec.fish; complete -C "tsrun --format=j"; complete -C "tsrun _plan.ts -D la"; complete -C "trainspec lis"' >"$scratch/fish"
[ ! -s "$scratch/fish" ] || printf '%s\n' --format=json "la	" "list" | diff - <(sed -E 's/(launch|layers)=	.*/la	/; s/^list	.*/list/' "$scratch/fish" | uniq)
trainspec completion tcsh; trainspec completion
