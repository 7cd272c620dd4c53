# Why a search has no plans: conditions that nothing satisfies, and pairs that exclude each other.
s() { echo "== $*"; trainspec sweep --vary 'tp=[1, 2, 4, 8]' --vary 'dp=[1, 2, 4, 8]' "$@" _sweep.ts 2>&1; }
s --require 'tp > 4' --require 'tp < 2'; s --require 'tp > 100'; s --require 'tp * dp == 8' --require 'dp > 4' --require 'tp > 4'; s --require 'tp < 1' --require '8 / (tp - 1) > 0'; s --require 'tp > 4' --require 'step_time > 1 s' --require 'tp + dp < 3'
# What is asked for before it is given would have its default.
sweep() { echo "== $*"; trainspec sweep "$@" _sweep.ts 2>&1; echo "exit $?"; }; sweep --require 'm > 4' --set 'dp=4 / tp' --vary 'm=[1, 2]' --vary 'tp=[1, 2]'
sweep --require 'step_time > tp * 1 us' --require 'm < 9' --vary 'tp=[8]' --set dp=1 | sed -n '1,4p'
