/* Which TrainSpec this is. */
#ifndef TS_BASE_VERSION_H
#define TS_BASE_VERSION_H

const char *ts_version(void); /* "0.1.0" */

#endif
