/* trainspec sweep merge: journals of the parts of a sweep become one. */
#ifndef TS_TOOLS_SWEEP_MERGE_H
#define TS_TOOLS_SWEEP_MERGE_H

int ts_sweep_merge_main(int argc, char **argv);

#endif
