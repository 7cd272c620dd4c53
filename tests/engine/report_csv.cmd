tsrun --format=csv report_pipeline.tsir
