tsc -o
