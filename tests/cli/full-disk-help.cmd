tsc --help >/dev/full
