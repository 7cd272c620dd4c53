for kind in caching caching:expandable caching:max_split=32MiB; do tsrun --allocator $kind allocator.tsir | sed -n "/caching allocator/,/^$/p"; done
tsrun --allocator caching:streams:channels=8 report_pipeline.tsir | sed -n "/caching allocator/,/^$/p"; tsrun --allocator caching:channels=0 allocator.tsir 2>&1; echo "exit $?"
