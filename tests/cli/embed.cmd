# A program of its own, linked with the library; and a plan that does not compile.
embed() { "$(dirname "$(command -v tsc)")/tests/library/embed" "$@" 2>&1; echo "exit $?"; }
embed ../../examples/my_schedule.ts; embed ../errors/name/name-unknown-argument.ts; embed nowhere.ts
