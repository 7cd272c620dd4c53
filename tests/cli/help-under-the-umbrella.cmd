trainspec compile --help | head -1; trainspec run --help | head -1; trainspec fmt --help | head -1
