tsrun --format=html report_pipeline.tsir
