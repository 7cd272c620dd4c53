trainspec trace _execution.json _workload.txt
