// What devices draw while they do not compute, and what of a machine is not its boards.
//
// Nodes of eight H100 (700 W each; `./dev accuracy power`) draw 2.1 to 2.8 kW before a run, and 7.0 to
// 7.3 kW at the wall during runs that fill the boards. So 1.6 kW of a node, 200 W a board, is not the
// boards', and an idle board draws an eighth of its limit. NVIDIA's data sheet of the DGX H100 allows
// 10.2 kW, 575 W a board more than the boards: nodes draw 0.35 of that. Other machines have only their
// data sheets, and the same two shares are taken. Cooling of the building and switches outside of the
// node are not in it.
let idle = 0.12 source "MLPerf Training v4.0, power logs of Supermicro's nodes of eight H100"
fn host(machine: Power, boards: Int, board: Power) -> Power = 0.35 * (machine / boards - board)
