# Long.
./pairs.sh | tee "$scratch/table"; sed -n '/^| | tp/,$p' ../../doc/strategies.md | diff - "$scratch/table" && echo "as in doc/strategies.md"
