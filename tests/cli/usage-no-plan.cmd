tsc
