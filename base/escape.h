/* Printing for people and for other programs. Names come from plans, IRs, recordings and databases
 * of strangers, so each place where text goes has one way of escaping it, and one function like
 * printf: what %s gives is escaped for that place; the format is ours and is printed as it is.
 * Widths and what the functions return count columns. tests/run-tree.sh forbids other ways of
 * printing strings. */
#ifndef TS_BASE_ESCAPE_H
#define TS_BASE_ESCAPE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Text for people: characters that steer a terminal or turn the direction of text, and bytes that
 * are no UTF-8, are shown as \x1b and \u202e, also a line break, which would make a line of its
 * own. The others show them in the same way and then escape what means something to them. */
int ts_put_text(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int ts_vput_text(FILE *out, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* also HTML: content, and attributes in double quotes */
int ts_put_xml(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Markdown: %s becomes a code span, with its backticks, also in a table's cell. There nothing means
 * a link, a mention, a picture or HTML. */
int ts_put_code(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Graphviz: inside double quotes */
int ts_put_dot(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* %s goes inside double quotes of JSON in a <script>, as text for people: no name ends the script.
 * */
int ts_put_script(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* %s is a whole field (RFC 4180), in quotes where it needs them; one that a spreadsheet would
 * compute gets an apostrophe in front, unless it is a number. */
int ts_put_csv(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* %s goes inside double quotes. Nothing is lost but bytes that are no UTF-8, which become U+FFFD.
 * */
int ts_put_json(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int ts_vput_json(FILE *out, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

void ts_put_json_string(FILE *out, const char *text);   /* in its quotes */
/* What stands before a value: its key, or with NULL none, and a comma before that. */
void ts_put_json_key(FILE *out, bool comma, const char *key, bool spaced);
void ts_put_digits(FILE *out, uint64_t value, unsigned min); /* so many of them at least, to 20 */
/* JSON that a library made of strings as they are: what lies outside of ASCII, which is inside of
 * its strings only, escaped as above. */
void ts_put_json_made(FILE *out, const char *text);
/* as ts_put_text, but with its line breaks */
void ts_put_lines(FILE *out, const char *text);
void ts_put_xml_lines(FILE *out, const char *text);     /* the same of ts_put_xml */
/* As it is: a text of our own, or one that is escaped already. */
void ts_put_raw(FILE *out, const char *text);

#endif
