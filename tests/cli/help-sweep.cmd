trainspec sweep --help
