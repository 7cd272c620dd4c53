tsc -S _plan.ts >/dev/full
