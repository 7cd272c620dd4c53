tsrun --sources --diagnostics=json report_out_of_memory.tsir
