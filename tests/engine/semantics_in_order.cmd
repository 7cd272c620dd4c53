sh _timeline.sh semantics_in_order.tsir
