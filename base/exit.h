/* Exit codes of the programs. */
#ifndef TS_BASE_EXIT_H
#define TS_BASE_EXIT_H

enum ts_exit {
  TS_EXIT_DONE = 0,
  TS_EXIT_REJECTED = 1,    /* the input has errors */
  TS_EXIT_USAGE = 2,       /* the command line is wrong */
  TS_EXIT_NO = 3,          /* the input is fine, the answer is no: out of memory, stalled */
  TS_EXIT_ENVIRONMENT = 4, /* cannot open, cannot write, disk full, missing library */
  TS_EXIT_BUG = 70
};

#endif
