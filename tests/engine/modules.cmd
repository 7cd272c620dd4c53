for depth in 1 2; do tsrun --by module --depth $depth report_pipeline.tsir | sed -n '/^By module/,$p'; done
tsrun --by layer report_pipeline.tsir | sed -n '/^By layer/,$p'
tsrun --by layer --format=csv report_pipeline.tsir | head -4; tsrun --by module --depth 1 --format=json report_pipeline.tsir | sed -n '/"modules":/,/"rank":.*2/p' | head -40
tsrun --by stage report_pipeline.tsir  2>&1; echo "exit $?"; tsrun --depth 2 report_pipeline.tsir  2>&1; echo "exit $?"; tsrun --by layer --depth 0 report_pipeline.tsir  2>&1; echo "exit $?"
