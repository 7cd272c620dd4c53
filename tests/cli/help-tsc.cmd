tsc --help
