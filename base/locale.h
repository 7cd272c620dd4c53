/* Numbers are read and printed, and letters compared, as in the C locale, whatever the program
 * around has set for its process: with a decimal comma files would be refused, or read wrongly. The
 * library's functions and the threads that it starts are inside of it; programs set no locale. */
#ifndef TS_BASE_LOCALE_H
#define TS_BASE_LOCALE_H

typedef struct ts_locale { void *ours, *before; } ts_locale;

/* Of this thread, until ts_locale_leave() gives it back the one before. */
ts_locale ts_locale_enter(void);
void ts_locale_leave(ts_locale state);
/* What the program around gave to be called is called in its own locale. */
void ts_locale_pause(const ts_locale *state);
void ts_locale_resume(const ts_locale *state);

#endif
