/* What may stand in the place of a word of a command line: for shells, which ask a program with
 * `PROGRAM --complete PLACE WORD...`. PLACE is the word's place among the WORDs, from 0. A line of
 * the answer is a word, a tab and what it is for; or, where the shell knows better, `:files`,
 * `:folders`, `:params FILE` (names of parameters of a plan, each with `=`) or `:names TYPE` (those
 * that `trainspec list` prints). */
#ifndef TS_BASE_COMPLETE_H
#define TS_BASE_COMPLETE_H

#include "base/options.h"

/* Is this such a question? */
bool ts_complete_requested(int argc, char **argv);
/* Answers it from the program's tables; `common` are the options of all programs. Where only the
 * program knows the words that an option takes, that option, for which ts_options_choice answers:
 * *begun is what is there of its value, behind *lead of the word ("--format="). Else NULL. */
const ts_option *ts_complete(const ts_program *program, const ts_option *common, int argc,
                             char **argv, const char **lead, const char **begun, FILE *out);
/* A line of the answer if the word may stand there. */
void ts_complete_word(const char *begun, const char *word, const char *about, FILE *out);

#endif
