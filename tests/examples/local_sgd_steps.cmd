for steps in 1 2 4 8; do printf '%d' $steps; tsrun examples/local_sgd.ts -D steps=$steps | grep throughput; done
