# A ring of a torus uses one link of a chip, a gathering all of them. v5p has 6 of 100 GB/s, v5e 4 of 50, of which 70 % are left: 45 shifts of 0.5 GiB at 70 and 35 GB/s with 18 us each, 345.9 and 691.1 ms; three calls of 8 GiB, of which 15/16 travel at 420 GB/s, 57.6 ms and 51 us.
play() { tsrun --ignore-memory "$@" _torus.ts 2>/dev/null | grep -E '^  (cp|alpha_beta   (shift|all inside)) '; }
play; play -D machine=machine_v5e -D how=ring; play -D how=false
