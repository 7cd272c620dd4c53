/* GOAL schedules as text (that of LogGOPSim's txt2bin): for each rank of a job computations, sends
 * and receives, and what requires what. Statements end with the line; `;` ends one too. */
#include <stdio.h>
#include <string.h>

#include "base/hash_table.h"
#include "trace/read/goal_ranks.h"
#include "trace/read/readers.h"

enum { LONGEST_WORD = 63 };

typedef enum kind { END, LINE_END, WORD, NUMBER, ANY, COLON, OPEN, CLOSE } kind; /* ANY: -1 */

typedef struct goal_text_reader {
  const ts_goal_sink *sink;
  ts_feed *feed;
  kind kind;            /* of the token at hand */
  char text[LONGEST_WORD + 1];
  uint32_t length;      /* of it */
  uint64_t value;
  bool bytes;           /* a number with `b` behind it */
  bool cut;
  uint32_t world;
  ts_goal_rank rank;
  ts_arena *work;       /* of the rank */
  ts_hash_table labels; /* of the rank's operations */
  char where[24];       /* "rank 3: ", or nothing before the first */
  uint8_t *seen;        /* [world] ranks */
} goal_text_reader;

static const char form[] = "lines are as `a: calc 1200 cpu 0`, `s: send 4096b to 1 tag 5`, `r: "
                           "recv 4096b from 0 tag 5`, `s requires a`";

/* ---- Tokens ---- */

static int peek_beyond(goal_text_reader *r, size_t ahead)
{
  ts_feed *f = r->feed;
  return ts_feed_need(f, ahead + 1) ? (unsigned char)f->buffer[f->at + ahead] : -1;
}

static inline int peek(goal_text_reader *r, size_t ahead)
{
  const ts_feed *f = r->feed;
  return f->at + ahead < f->end ? (unsigned char)f->buffer[f->at + ahead] : peek_beyond(r, ahead);
}

static void pass_blanks(goal_text_reader *r)
{
  for (int c; (c = peek(r, 0)) >= 0;) {
    if (c == '/' && peek(r, 1) == '/') {
      while ((c = peek(r, 0)) >= 0 && c != '\n') r->feed->at++;
    } else if (c == '/' && peek(r, 1) == '*') {
      r->feed->at += 2;
      while ((c = peek(r, 0)) >= 0 && !(c == '*' && peek(r, 1) == '/')) r->feed->at++;
      r->feed->at += c >= 0 ? 2 : 0;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      r->feed->at++;
    } else {
      return;
    }
  }
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool goal_text_take_number(goal_text_reader *r)
{
  r->kind = NUMBER;
  r->value = 0;
  for (int c; is_digit(c = peek(r, 0)); r->feed->at++) {
    if (r->value > (UINT64_MAX - 9) / 10)
      return ts_feed_fail(r->feed, NULL, "a number larger than can be counted");
    r->value = r->value * 10 + (uint64_t)(c - '0');
  }
  r->bytes = peek(r, 0) == 'b';
  r->feed->at += r->bytes;
  return !is_letter(peek(r, 0)) ||
         ts_feed_fail(r->feed, form, "found `%c` after a number", peek(r, 0));
}

static bool take_word(goal_text_reader *r)
{
  size_t length = 0;
  r->kind = WORD;
  for (int c; is_letter(c = peek(r, 0)) || is_digit(c); r->feed->at++) {
    if (length == LONGEST_WORD)
      return ts_feed_fail(r->feed, NULL, "a word of more than %d characters", LONGEST_WORD);
    r->text[length++] = (char)c;
  }
  r->text[length] = 0;
  r->length = (uint32_t)length;
  return true;
}

/* The next token; false after an error. */
static bool next(goal_text_reader *r)
{
  static const struct {
    char c;
    uint8_t kind;
  } signs[] = {{'\n', LINE_END}, {';', LINE_END}, {':', COLON}, {'{', OPEN}, {'}', CLOSE}};
  pass_blanks(r);
  int c = peek(r, 0);
  if (r->feed->error->message[0])
    return false;
  if (is_digit(c))
    return goal_text_take_number(r);
  if (is_letter(c))
    return take_word(r);
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (signs[i].c == c) {
      r->kind = (kind)signs[i].kind;
      r->feed->at++;
      return true;
    }
  if (c == '-' && peek(r, 1) == '1' && !is_digit(peek(r, 2))) {
    r->kind = ANY;
    r->feed->at += 2;
    return true;
  }
  r->kind = END;
  return c < 0 || ts_feed_fail(r->feed, form,
                               c > ' ' && c < 127 ? "found `%c`" : "found the byte 0x%02x", c);
}

static bool goal_text_is_word(const goal_text_reader *r, const char *word)
{
  return r->kind == WORD && strcmp(r->text, word) == 0;
}

/* ---- Statements ---- */

/* What was to come did not: at the end of the file that is no error of the text. */
static bool expected(goal_text_reader *r, const char *what)
{
  if (r->feed->error->message[0])
    return false;
  if (r->kind == END || peek(r, 0) < 0) {
    r->cut = true;
    return false;
  }
  return ts_feed_fail(r->feed, form, "%sexpected %s", r->where, what);
}

static bool goal_text_number(goal_text_reader *r, const char *what, uint64_t most, int64_t *value)
{
  if (!next(r) || r->kind != NUMBER)
    return expected(r, what);
  if (r->value > most)
    return ts_feed_fail(r->feed, NULL, "%s%s is %llu; at most %llu", r->where, what,
                        (unsigned long long)r->value, (unsigned long long)most);
  *value = (int64_t)r->value;
  return true;
}

static bool number_or_any(goal_text_reader *r, const char *what, uint64_t most, int64_t *value)
{
  *value = -1;
  pass_blanks(r);
  return peek(r, 0) == '-' ? next(r) && (r->kind == ANY || expected(r, what)) :
                             goal_text_number(r, what, most, value);
}

static bool same_label(const void *wanted, uint32_t number)
{
  const goal_text_reader *r = wanted;
  const ts_goal_op *op = &r->rank.ops.at[number];
  return op->label_length == r->length &&
         memcmp(r->rank.text.at + op->label, r->text, r->length) == 0;
}

/* The operation of this rank whose label is at hand, or TS_HASH_NONE. */
static uint32_t find_label(const goal_text_reader *r)
{
  return ts_hash_find(&r->labels, ts_hash_bytes(r->text, r->length), same_label, r);
}

/* `tag T`, `cpu C`, `nic N`, up to the end of the statement. */
static bool take_options(goal_text_reader *r, ts_goal_op *op)
{
  int64_t cpu = 0, nic = 0;
  bool message = op->kind != TS_GOAL_CALC;
  while (next(r) && r->kind != LINE_END && r->kind != CLOSE && r->kind != END) {
    const char *wanted =
      message ? "`tag`, `cpu`, `nic` or the end of the line" : "`cpu` or the end of the line";
    bool good = message && goal_text_is_word(r, "tag") ?
                  number_or_any(r, "the tag", UINT32_MAX, &op->tag) :
                goal_text_is_word(r, "cpu") ? goal_text_number(r, "the cpu", UINT8_MAX, &cpu) :
                goal_text_is_word(r, "nic") ? goal_text_number(r, "the nic", UINT8_MAX, &nic) :
                                              expected(r, wanted);
    if (!good)
      return false;
  }
  op->cpu = (uint8_t)cpu;
  op->nic = (uint8_t)nic;
  return !r->feed->error->message[0];
}

static bool take_message(goal_text_reader *r, ts_goal_op *op)
{
  bool send = op->kind == TS_GOAL_SEND;
  if (!goal_text_number(r, "a size", INT64_MAX / 16, &op->size))
    return false;
  if (!r->bytes)
    return expected(r, "a size in bytes, as `4096b`");
  if (!next(r) || !goal_text_is_word(r, send ? "to" : "from"))
    return expected(r, send ? "`to`" : "`from`");
  uint64_t last = r->world - 1;
  return send ? goal_text_number(r, "the receiver", last, &op->peer) :
                number_or_any(r, "the sender", last, &op->peer);
}

/* At `calc`, `send` or `recv`; `label`: the length of its label, which ends the rank's text. */
static bool take_operation(goal_text_reader *r, uint32_t hash, uint32_t label)
{
  ts_goal_op op = {.label = (uint32_t)r->rank.text.count - label, .label_length = (uint8_t)label};
  op.kind = goal_text_is_word(r, "calc") ? TS_GOAL_CALC :
            goal_text_is_word(r, "send") ? TS_GOAL_SEND :
                                           TS_GOAL_RECV;
  if (op.kind == TS_GOAL_RECV && !goal_text_is_word(r, "recv"))
    return expected(r, "`calc`, `send` or `recv`");
  if (op.kind == TS_GOAL_CALC ? !goal_text_number(r, "a time", INT64_MAX / 4, &op.size) :
                                !take_message(r, &op))
    return false;
  if (!take_options(r, &op))
    return false;
  if (r->rank.ops.count >= TS_EVENTS_MOST)
    return ts_feed_fail(r->feed, NULL, "%smore than %u operations", r->where, TS_EVENTS_MOST);
  uint32_t number = (uint32_t)r->rank.ops.count;
  TS_PUSH(r->work, &r->rank.ops, op);
  if (label)
    ts_hash_add(r->work, &r->labels, hash, number);
  return true;
}

/* `a requires b`, or `a irequires b`: when b has started. */
static bool take_requirement(goal_text_reader *r, const char *label, uint32_t op, bool started)
{
  if (op == TS_HASH_NONE)
    return ts_feed_fail(r->feed, "labels are defined before they are required",
                        "rank %u has no operation `%s`", r->rank.rank, label);
  if (!next(r) || r->kind != WORD)
    return expected(r, "a label");
  uint32_t before = find_label(r);
  if (before == TS_HASH_NONE)
    return ts_feed_fail(r->feed, "labels are defined before they are required",
                        "rank %u has no operation `%s`", r->rank.rank, r->text);
  TS_PUSH(r->work, &r->rank.requirements, ((ts_goal_requirement){op, before, started}));
  if (op == before)
    return ts_feed_fail(r->feed, NULL, "rank %u: `%s` requires itself", r->rank.rank, label);
  if (!next(r) || (r->kind != LINE_END && r->kind != CLOSE && r->kind != END))
    return expected(r, "the end of the line");
  return true;
}

/* A word leads it: a label, or the operation itself. */
static bool take_statement(goal_text_reader *r)
{
  bool operation =
    goal_text_is_word(r, "calc") || goal_text_is_word(r, "send") || goal_text_is_word(r, "recv");
  pass_blanks(r);
  if (operation && is_digit(peek(r, 0)))
    return take_operation(r, 0, 0);
  char label[LONGEST_WORD + 1];
  uint32_t length = r->length, hash = ts_hash_bytes(r->text, length), known = find_label(r);
  memcpy(label, r->text, length + 1);
  if (!next(r))
    return false;
  if (r->kind == COLON) {
    if (known != TS_HASH_NONE)
      return ts_feed_fail(r->feed, NULL, "rank %u: the label `%s` is there twice", r->rank.rank,
                          label);
    for (uint32_t i = 0; i < length; i++) TS_PUSH(r->work, &r->rank.text, label[i]);
    return next(r) && take_operation(r, hash, length);
  }
  bool started = goal_text_is_word(r, "irequires");
  return started || goal_text_is_word(r, "requires") ?
           take_requirement(r, label, known, started) :
           expected(r, "`:`, `requires` or `irequires` after a label");
}

static bool take_block(goal_text_reader *r)
{
  if (!next(r) || r->kind != OPEN)
    return expected(r, "`{`");
  while (next(r) && r->kind != CLOSE) {
    if (r->kind == LINE_END)
      continue;
    if (r->kind != WORD)
      return expected(r, "a label or `}`");
    if (!take_statement(r))
      return false;
    if (r->kind == CLOSE)
      break;
  }
  return r->kind == CLOSE || expected(r, "`}`");
}

/* What a rank has, up to where the file ends, goes to the sink. */
static bool take_rank(goal_text_reader *r)
{
  int64_t rank;
  if (!goal_text_number(r, "the number of a rank", (uint64_t)r->world - 1, &rank))
    return false;
  r->work = ts_arena_new("rank of a schedule");
  r->rank = (ts_goal_rank){.rank = (uint32_t)rank};
  r->labels = (ts_hash_table){0};
  snprintf(r->where, sizeof r->where, "rank %u: ", r->rank.rank);
  if (r->seen[rank])
    ts_feed_fail(r->feed, NULL, "rank %u is there twice", r->rank.rank);
  r->seen[rank] = true;
  bool whole = !r->feed->error->message[0] && take_block(r), good = whole || r->cut;
  good = good && r->sink->rank(r->sink->closure, &r->rank, r->feed->error);
  ts_arena_free(r->work);
  r->where[0] = 0;
  return good && whole;
}

static bool take_ranks(goal_text_reader *r, ts_arena *arena)
{
  int64_t world;
  do
    if (!next(r))
      return false;
  while (r->kind == LINE_END);
  if (!goal_text_is_word(r, "num_ranks") ||
      !goal_text_number(r, "the number of ranks", TS_GOAL_MOST_RANKS, &world) || world < 1)
    return expected(r, "`num_ranks` and how many there are");
  r->world = (uint32_t)world;
  r->seen = TS_NEW_ARRAY(arena, uint8_t, r->world);
  if (!r->sink->head(r->sink->closure, r->world))
    return false;
  while (next(r) && r->kind != END) {
    if (r->kind == LINE_END)
      continue;
    if (!goal_text_is_word(r, "rank"))
      return expected(r, "`rank`");
    if (!take_rank(r))
      return false;
  }
  return true;
}

bool ts_is_goal_text(const ts_feed *feed)
{
  static const char lead[] = "num_ranks";
  size_t i = feed->at;
  for (; i + 1 < feed->end && (strchr(" \t\r\n", feed->buffer[i]) ||
                               (feed->buffer[i] == '/' && strchr("/*", feed->buffer[i + 1])));
       i++) {
    bool line = feed->buffer[i + 1] == '/';
    if (feed->buffer[i] != '/')
      continue;
    for (i += 2;
         i + 1 < feed->end &&
         !(line ? feed->buffer[i] == '\n' : feed->buffer[i] == '*' && feed->buffer[i + 1] == '/');)
      i++;
    i += !line;
  }
  return feed->end - i >= sizeof lead - 1 && memcmp(feed->buffer + i, lead, sizeof lead - 1) == 0;
}

bool ts_goal_text(ts_feed *feed, const ts_goal_sink *sink, bool *cut)
{
  ts_arena *arena = ts_arena_new("schedule");
  goal_text_reader r = {.sink = sink, .feed = feed};
  take_ranks(&r, arena);
  ts_arena_free(arena);
  *cut = r.cut;
  return !feed->error->message[0];
}
