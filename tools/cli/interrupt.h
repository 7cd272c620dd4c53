/* What an interrupt (SIGINT, SIGTERM, SIGHUP) does to a program. Files that it was writing are then
 * as they were before. Signals that the caller has switched off, as nohup does, stay off. */
#ifndef TS_TOOLS_CLI_INTERRUPT_H
#define TS_TOOLS_CLI_INTERRUPT_H

/* It ends the program at once, of the signal, saying `message`, a line with its newline that must
 * live as long: for work that nothing remains of, such as compiling. */
void ts_interrupt_ends(const char *message);
/* The first one is kept, and the work has to ask for it; a second one ends the program. */
void ts_interrupt_asks(void);
/* The signal that was kept, or 0. */
int ts_interrupt_pending(void);
/* It ends the program at once, of the signal, silently: what all programs begin with. */
void ts_interrupt_plain(void);

#endif
