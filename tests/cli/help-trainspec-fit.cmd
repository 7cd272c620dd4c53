trainspec fit --help
