tsc -W list | grep -x unused-name
