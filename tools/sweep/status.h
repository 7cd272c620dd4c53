/* trainspec sweep status: how far a sweep has come, from its journal, also while it runs. */
#ifndef TS_TOOLS_SWEEP_STATUS_H
#define TS_TOOLS_SWEEP_STATUS_H

int ts_sweep_status_main(int argc, char **argv);

#endif
