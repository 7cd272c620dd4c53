tsrun --format=svg report_pipeline.tsir
