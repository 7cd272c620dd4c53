tsrun ir-run-text-error.tsir
