/* Time that passes, for progress, estimates and speed figures; never for results. */
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

double ts_clock(void); /* seconds since some moment; it only grows */

#endif
