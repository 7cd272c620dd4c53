tsfmt --help
