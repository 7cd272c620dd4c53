tsrun --trace=$scratch/trace.json --memory-trace --ignore-memory -o $scratch/report report_trace.tsir && cat $scratch/trace.json
