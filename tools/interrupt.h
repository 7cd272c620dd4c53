/* What an interrupt (SIGINT, SIGTERM) does to a program. Signals that the caller has switched off, as nohup does, stay off. */
#ifndef TS_TOOLS_INTERRUPT_H
#define TS_TOOLS_INTERRUPT_H

/* It ends the program at once, of the signal, saying `message`, a line with its newline that must live as long: for work that nothing remains of, such as compiling. */
void ts_interrupt_ends(const char *message);
/* The first one is kept, and the work has to ask for it; a second one ends the program. */
void ts_interrupt_asks(void);
/* The signal that was kept, or 0. */
int ts_interrupt_kept(void);
/* As the system does: ends the program, silently. */
void ts_interrupt_plain(void);

#endif
