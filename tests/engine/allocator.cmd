for kind in caching caching:expandable caching:max_split=32MiB; do tsrun --allocator $kind allocator.tsir | sed -n "/caching allocator/,/^$/p"; done
