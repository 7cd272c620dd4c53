# Values that name axes of the mesh: of a search, and of -D.
trainspec sweep _sweep_axes.ts; trainspec sweep --plan small --vary 'm=[4, 8]' --vary 'schedule=[gpipe(p: pp, m: pp * m)]' --require 'pp * m > 8' _sweep_axes.ts 2>&1; tsrun -D 'schedule=gpipe(p: pp, m: 2 * pp)' _sweep_axes.ts | head -2
