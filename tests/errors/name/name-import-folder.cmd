tsc -o $scratch/plan.ir name-import-folder.ts 2>"$scratch/message"; status=$?; sed 's/its files are .*/its files are .../' "$scratch/message" >&2; exit $status
