tsrun --help
