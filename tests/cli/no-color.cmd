CLICOLOR_FORCE=1 NO_COLOR=1 tsc --check _idle.ts 2>&1 | grep -c "$(printf "\033")"; CLICOLOR_FORCE=1 tsc --check _idle.ts 2>&1 | grep -c "$(printf "\033")"
