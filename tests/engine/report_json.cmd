tsrun --format=json report_out_of_memory.tsir --ignore-memory
