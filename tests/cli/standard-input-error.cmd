printf "plan p {\n  modl = 1\n}\n" | tsc -S -
