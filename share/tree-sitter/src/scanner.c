/* A unit is a name of lang/units.def behind a number, on the same line: `4 GB/s`, but not `4 stages`.
 * Behind dollars it is what they are paid for: `$2/h`. `with` before a brace copies with changes;
 * it has another meaning in `partner`, `pair` and `tie`. `source` before a string says where a number
 * was found. A string is an argument of the name before
 * it on the same line: on the next one it begins another arm of `match`. */
#include <string.h>

#include "tree_sitter/parser.h"

static const char *const units[] = {
#include "units.h"
};

enum { UNIT, PER_UNIT, WITH_BRACE, BESIDE, SOURCE };
enum { LONGEST = 32 };

void *tree_sitter_trainspec_external_scanner_create(void) { return NULL; }
void tree_sitter_trainspec_external_scanner_destroy(void *state) { (void)state; }
unsigned tree_sitter_trainspec_external_scanner_serialize(void *state, char *buffer) { (void)state; (void)buffer; return 0; }
void tree_sitter_trainspec_external_scanner_deserialize(void *state, const char *buffer, unsigned length) { (void)state; (void)buffer; (void)length; }

static bool is_name(int32_t c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

static bool is_unit(const char *name)
{
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(units[i], name) == 0)
      return true;
  }
  return false;
}

/* Reads a name behind what `name` holds already. Returns its whole length. */
static size_t read_name(TSLexer *lexer, char *name, size_t length)
{
  while (is_name(lexer->lookahead) && length < 2 * LONGEST - 1) {
    name[length++] = (char)lexer->lookahead;
    lexer->advance(lexer, false);
  }
  name[length] = '\0';
  return length;
}

static bool per_unit(TSLexer *lexer, char *name, size_t length)
{
  name[length] = '/';
  lexer->advance(lexer, false);
  size_t all = read_name(lexer, name, length + 1);
  return all > length + 1 && !is_name(lexer->lookahead) && is_unit(name + length + 1);
}

static void skip_blanks(TSLexer *lexer, bool lines)
{
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || (lines && (lexer->lookahead == '\n' || lexer->lookahead == '\r')))
    lexer->advance(lexer, true);
}

bool tree_sitter_trainspec_external_scanner_scan(void *state, TSLexer *lexer, const bool *valid)
{
  char name[2 * LONGEST] = "";
  size_t length = 0;
  bool found = false;
  (void)state;
  if (valid[BESIDE]) {
    skip_blanks(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = BESIDE;
    if (lexer->lookahead == '"')
      return true;
  }
  if (!valid[PER_UNIT]) {
    skip_blanks(lexer, !valid[UNIT]);
    length = read_name(lexer, name, 0);
    if (!length && valid[UNIT] && valid[SOURCE]) { /* no unit on the line of a number */
      skip_blanks(lexer, true);
      length = read_name(lexer, name, 0);
    } else {
      found = valid[UNIT] && !is_name(lexer->lookahead) && is_unit(name);
    }
  }
  lexer->mark_end(lexer);
  if (valid[WITH_BRACE] && strcmp(name, "with") == 0) {
    skip_blanks(lexer, true);
    lexer->result_symbol = WITH_BRACE;
    return lexer->lookahead == '{';
  }
  if (valid[SOURCE] && strcmp(name, "source") == 0) {
    skip_blanks(lexer, true);
    lexer->result_symbol = SOURCE;
    return lexer->lookahead == '"';
  }
  lexer->result_symbol = valid[PER_UNIT] ? PER_UNIT : UNIT;
  if (lexer->lookahead == '/' && (found || valid[PER_UNIT]) && per_unit(lexer, name, length)) {
    lexer->mark_end(lexer); /* `4 s/x` divides by x */
    return true;
  }
  return found;
}
