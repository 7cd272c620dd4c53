tsrun --ignore-memory report_out_of_memory.tsir
