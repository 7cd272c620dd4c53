trainspec --help
