/* GOAL schedules (the text of LogGOPSim's txt2bin): for each rank of a job computations, sends and
 * receives, and what requires what. Statements end with the line; `;` ends one too. The interface
 * that an operation names (`nic`) is not kept. */
#include "trace/read/goal.h"

#include <stdio.h>
#include <string.h>

#include "trace/read/readers.h"

enum { LONGEST_WORD = 63, CPUS = 256, MOST_RANKS = 1 << 20 };

typedef enum kind { END, LINE_END, WORD, NUMBER, ANY, COLON, OPEN, CLOSE } kind; /* ANY: -1 */

/* rank + 1 that it was last seen in; 0: none */
typedef struct label { uint32_t rank, event; } label;

typedef struct reader {
  ts_events *e;
  ts_feed *feed;
  kind kind;            /* of the token at hand */
  char text[LONGEST_WORD + 1];
  uint64_t value;
  bool bytes;           /* a number with `b` behind it */
  uint32_t rank, track_of[CPUS];
  char where[24];       /* "rank 3: ", or nothing before the first */
  TS_VEC(label) labels; /* by string */
  TS_VEC(bool) seen;    /* ranks */
} reader;

static const char form[] = "lines are as `a: calc 1200 cpu 0`, `s: send 4096b to 1 tag 5`, `r: "
                           "recv 4096b from 0 tag 5`, `s requires a`";

/* ---- Tokens ---- */

static int peek(reader *r, size_t ahead)
{
  ts_feed *f = r->feed;
  if (f->end - f->at <= ahead && !ts_feed_need(f, ahead + 1))
    return -1;
  return (unsigned char)f->buffer[f->at + ahead];
}

static void pass_blanks(reader *r)
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

static bool take_number(reader *r)
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

static bool take_word(reader *r)
{
  size_t length = 0;
  r->kind = WORD;
  for (int c; is_letter(c = peek(r, 0)) || is_digit(c); r->feed->at++) {
    if (length == LONGEST_WORD)
      return ts_feed_fail(r->feed, NULL, "a word of more than %d characters", LONGEST_WORD);
    r->text[length++] = (char)c;
  }
  r->text[length] = 0;
  return true;
}

/* The next token; false after an error. */
static bool next(reader *r)
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
    return take_number(r);
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

static bool is_word(const reader *r, const char *word)
{
  return r->kind == WORD && strcmp(r->text, word) == 0;
}

/* ---- Statements ---- */

/* What was to come did not: at the end of the file that is no error of the text. */
static bool expected(reader *r, const char *what)
{
  if (r->feed->error->message[0])
    return false;
  if (r->kind == END || peek(r, 0) < 0) {
    r->e->cut = true;
    return false;
  }
  return ts_feed_fail(r->feed, form, "%sexpected %s", r->where, what);
}

static bool number(reader *r, const char *what, uint64_t most, int64_t *value)
{
  if (!next(r) || r->kind != NUMBER)
    return expected(r, what);
  if (r->value > most)
    return ts_feed_fail(r->feed, NULL, "%s%s is %llu; at most %llu", r->where, what,
                        (unsigned long long)r->value, (unsigned long long)most);
  *value = (int64_t)r->value;
  return true;
}

static bool number_or_any(reader *r, const char *what, uint64_t most, int64_t *value)
{
  *value = -1;
  pass_blanks(r);
  return peek(r, 0) == '-' ? next(r) && (r->kind == ANY || expected(r, what)) :
                             number(r, what, most, value);
}

static uint32_t track_of(reader *r, int64_t cpu)
{
  uint32_t *track = &r->track_of[cpu];
  if (*track == TS_EVENT_NONE) {
    char digits[24];
    ts_event_track t = {.process = r->rank, .thread = cpu, .device = true};
    t.process_name =
      ts_events_string(r->e, digits, (size_t)snprintf(digits, sizeof digits, "%u", r->rank));
    t.thread_name =
      ts_events_string(r->e, digits, (size_t)snprintf(digits, sizeof digits, "%d", (int)cpu));
    *track = (uint32_t)r->e->tracks.count;
    TS_PUSH(r->e->arena, &r->e->tracks, t);
  }
  return *track;
}

static label *label_of(reader *r, uint32_t string)
{
  while (r->labels.count <= string) TS_PUSH(r->e->arena, &r->labels, ((label){0, 0}));
  return &r->labels.at[string];
}

/* `tag T`, `cpu C`, `nic N`, up to the end of the statement. */
static bool take_options(reader *r, ts_event_comm *c, int64_t *cpu)
{
  int64_t nic;
  while (next(r) && r->kind != LINE_END && r->kind != CLOSE && r->kind != END) {
    bool good = c && is_word(r, "tag") ? number_or_any(r, "the tag", UINT32_MAX, &c->tag) :
                is_word(r, "cpu")      ? number(r, "the cpu", CPUS - 1, cpu) :
                is_word(r, "nic")      ? number(r, "the nic", UINT8_MAX, &nic) :
                                    expected(r, c ? "`tag`, `cpu`, `nic` or the end of the line" :
                                                    "`cpu` or the end of the line");
    if (!good)
      return false;
  }
  return !r->feed->error->message[0];
}

static bool take_message(reader *r, bool send, ts_event_comm *c)
{
  *c = (ts_event_comm){
    .kind = send ? TS_COMM_SEND : TS_COMM_RECV, .in = -1, .out = -1, .size = -1, .sequence = -1};
  if (!number(r, "a size", INT64_MAX / 16, &c->bytes))
    return false;
  if (!r->bytes)
    return expected(r, "a size in bytes, as `4096b`");
  if (!next(r) || !is_word(r, send ? "to" : "from"))
    return expected(r, send ? "`to`" : "`from`");
  uint64_t last = (uint64_t)r->e->world - 1;
  return send ? number(r, "the receiver", last, &c->peer) :
                number_or_any(r, "the sender", last, &c->peer);
}

/* At `calc`, `send` or `recv`; `name`: of the label, or 0. */
static bool take_operation(reader *r, uint32_t name)
{
  ts_events *e = r->e;
  bool calc = is_word(r, "calc"), send = is_word(r, "send");
  ts_event_comm c;
  int64_t time = -1, cpu = 0;
  const char *what = calc ? "calc" : send ? "send" : "recv";
  if (!calc && !send && !is_word(r, "recv"))
    return expected(r, "`calc`, `send` or `recv`");
  if (calc ? !number(r, "a time", INT64_MAX / 4, &time) : !take_message(r, send, &c))
    return false;
  if (!take_options(r, calc ? NULL : &c, &cpu))
    return false;
  if (e->count >= TS_EVENTS_MOST)
    return ts_feed_fail(r->feed, NULL, "more than %u operations", TS_EVENTS_MOST);
  uint32_t event = e->count;
  ts_event *v = ts_events_add(e, TS_EVENT_DEVICE, calc ? TS_KERNEL_OTHER : TS_KERNEL_COMMUNICATION);
  v->id = event + 1;
  v->start = event;
  v->duration = time;
  v->track = track_of(r, cpu);
  v->name = name ? name : ts_events_string(e, what, 4);
  if (!calc) {
    c.name = ts_events_string(e, what, 4);
    v->detail = (uint32_t)e->comms.count;
    TS_PUSH(e->arena, &e->comms, c);
  }
  if (name) {
    label *l = label_of(r, name);
    if (l->rank == r->rank + 1)
      return ts_feed_fail(r->feed, NULL, "rank %u: the label `%s` is there twice", r->rank,
                          ts_events_text(e, name));
    *l = (label){r->rank + 1, event};
  }
  e->seen++;
  return true;
}

/* `a requires b`, or `a irequires b`: when b has started. */
static bool take_requirement(reader *r, uint32_t name, bool started)
{
  uint32_t event[2];
  for (int i = 0; i < 2; i++) {
    if (i && (!next(r) || r->kind != WORD))
      return expected(r, "a label");
    uint32_t string = i ? ts_events_string(r->e, r->text, strlen(r->text)) : name;
    label l = *label_of(r, string);
    if (l.rank != r->rank + 1)
      return ts_feed_fail(r->feed, "labels are defined before they are required",
                          "rank %u has no operation `%s`", r->rank, ts_events_text(r->e, string));
    event[i] = l.event;
  }
  TS_PUSH(r->e->arena, &r->e->edges, ((ts_event_edge){event[1], event[0], started}));
  if (event[0] == event[1])
    return ts_feed_fail(r->feed, NULL, "rank %u: `%s` requires itself", r->rank,
                        ts_events_text(r->e, name));
  if (!next(r) || (r->kind != LINE_END && r->kind != CLOSE && r->kind != END))
    return expected(r, "the end of the line");
  return true;
}

/* A word leads it: a label, or the operation itself. */
static bool take_statement(reader *r)
{
  bool operation = is_word(r, "calc") || is_word(r, "send") || is_word(r, "recv");
  pass_blanks(r);
  if (operation && is_digit(peek(r, 0)))
    return take_operation(r, 0);
  uint32_t name = ts_events_string(r->e, r->text, strlen(r->text));
  if (!next(r))
    return false;
  if (r->kind == COLON)
    return next(r) && take_operation(r, name);
  bool started = is_word(r, "irequires");
  return started || is_word(r, "requires") ?
           take_requirement(r, name, started) :
           expected(r, "`:`, `requires` or `irequires` after a label");
}

static bool take_rank(reader *r)
{
  int64_t rank;
  if (!number(r, "the number of a rank", (uint64_t)r->e->world - 1, &rank))
    return false;
  r->rank = (uint32_t)rank;
  snprintf(r->where, sizeof r->where, "rank %u: ", r->rank);
  if (r->seen.at[rank])
    return ts_feed_fail(r->feed, NULL, "rank %u is there twice", r->rank);
  r->seen.at[rank] = true;
  memset(r->track_of, 0xff, sizeof r->track_of);
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
  r->where[0] = 0;
  return r->kind == CLOSE || expected(r, "`}`");
}

static bool take_ranks(reader *r)
{
  ts_events *e = r->e;
  do
    if (!next(r))
      return false;
  while (r->kind == LINE_END);
  if (!is_word(r, "num_ranks") || !number(r, "the number of ranks", MOST_RANKS, &e->world) ||
      e->world < 1)
    return expected(r, "`num_ranks` and how many there are");
  for (int64_t i = 0; i < e->world; i++) TS_PUSH(e->arena, &r->seen, false);
  while (next(r) && r->kind != END) {
    if (r->kind == LINE_END)
      continue;
    if (!is_word(r, "rank"))
      return expected(r, "`rank`");
    if (!take_rank(r))
      return false;
  }
  return true;
}

bool ts_is_goal(const ts_feed *feed)
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

bool ts_read_goal(ts_events *e, ts_feed *feed)
{
  reader r = {.e = e, .feed = feed};
  ts_named_edges none = {0};
  e->format = TS_TRACE_GOAL;
  take_ranks(&r);
  if (feed->error->message[0])
    return false;
  if (!e->count)
    return ts_fail(feed->error, form, "the schedule has no operations");
  if (!ts_trace_graph_finish(e, &none, feed->error))
    return false;
  return !e->nested || ts_fail(feed->error, NULL, "what requires what forms a cycle");
}

/* ---- Rank by rank ---- */

typedef struct splitter {
  const ts_events *e;
  ts_arena *work;
  /* what each operation waits for: of i those from first[i] to first[i + 1] */
  uint32_t *first, *before;
  bool *started;              /* ... to begin, not to end */
  uint32_t *rank_of, *place;  /* by event; place: in its rank's table + 1 */
  uint32_t *stream_of[2];     /* by cpu: of computations, of sends */
  uint32_t streams;           /* of those */
} splitter;

static bool is_message(const ts_event *v) { return v->kind == TS_KERNEL_COMMUNICATION; }

static void sort_requirements(splitter *s)
{
  const ts_events *e = s->e;
  s->first = TS_NEW_ARRAY(s->work, uint32_t, e->count + 2);
  s->before = TS_NEW_ARRAY(s->work, uint32_t, e->edges.count + 1);
  s->started = TS_NEW_ARRAY(s->work, bool, e->edges.count + 1);
  for (size_t i = 0; i < e->edges.count; i++) s->first[e->edges.at[i].to + 1]++;
  for (uint32_t i = 0; i < e->count; i++) s->first[i + 1] += s->first[i];
  uint32_t *at = ts_arena_copy(s->work, s->first, sizeof *at * (e->count + 1));
  for (size_t i = 0; i < e->edges.count; i++) {
    uint32_t place = at[e->edges.at[i].to]++;
    s->before[place] = e->edges.at[i].from;
    s->started[place] = e->edges.at[i].control;
  }
}

/* Computations and sends of a cpu have a stream each, the same on all ranks. */
static void number_streams(splitter *s)
{
  bool used[2][CPUS] = {{false}};
  for (uint32_t i = 0; i < s->e->count; i++) {
    const ts_event *v = ts_event_at(s->e, i);
    if (!is_message(v) || s->e->comms.at[v->detail].kind == TS_COMM_SEND)
      used[is_message(v)][s->e->tracks.at[v->track].thread] = true;
  }
  used[0][0] = true; /* stream 0 computes */
  for (int message = 0; message < 2; message++) {
    s->stream_of[message] = TS_NEW_ARRAY(s->work, uint32_t, CPUS);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
      if (used[message][cpu])
        s->stream_of[message][cpu] = s->streams++;
  }
}

static uint32_t stream_named(ts_events *out, uint32_t number, const char *kind)
{
  while (out->tracks.count <= number) {
    char digits[24];
    uint32_t name = ts_events_string(
      out, digits, (size_t)snprintf(digits, sizeof digits, "%zu", out->tracks.count));
    TS_PUSH(out->arena, &out->tracks,
            ((ts_event_track){.thread_name = name,
                              .thread = (int64_t)out->tracks.count,
                              .device = true,
                              .label = ts_events_string(out, "compute", 7)}));
  }
  out->tracks.at[number].label = ts_events_string(out, kind, strlen(kind));
  return number;
}

/* Receives wait without keeping their cpu busy: each sender has a stream, as long as there are some
 * left. */
static uint32_t receiving_stream(const splitter *s, ts_events *out, int64_t sender)
{
  enum { MOST_STREAMS = 255 };
  for (uint32_t t = s->streams; t < out->tracks.count; t++)
    if (out->tracks.at[t].process == sender)
      return t;
  if (out->tracks.count >= MOST_STREAMS)
    return MOST_STREAMS - 1;
  uint32_t number = stream_named(
    out, out->tracks.count > s->streams ? (uint32_t)out->tracks.count : s->streams, "comm");
  out->tracks.at[number].process = sender;
  return number;
}

static void copy_operation(splitter *s, ts_events *out, uint32_t i)
{
  const ts_event *v = ts_event_at(s->e, i);
  const ts_event_comm *c = is_message(v) ? &s->e->comms.at[v->detail] : NULL;
  const char *name = ts_events_text(s->e, v->name);
  int64_t cpu = s->e->tracks.at[v->track].thread;
  ts_event *copy = ts_events_add(out, TS_EVENT_DEVICE, (ts_event_kind)v->kind);
  s->place[i] = out->count;
  copy->id = out->count;
  copy->start = out->count;
  copy->duration = v->duration;
  copy->name = ts_events_string(out, name, strlen(name));
  copy->track = c && c->kind == TS_COMM_RECV ?
                  receiving_stream(s, out, c->peer) :
                  stream_named(out, s->stream_of[c != NULL][cpu], c ? "comm" : "compute");
  if (c) {
    copy->detail = (uint32_t)out->comms.count;
    TS_PUSH(out->arena, &out->comms, *c);
    out->comms.at[copy->detail].name =
      ts_events_string(out, ts_comm_kind_name((ts_comm_kind)c->kind), 4);
  }
}

/* `to` begins when what `on` waits for has ended: that is when `on` begins. */
static void wait_for_start(const splitter *s, ts_events *out, uint32_t to, uint32_t on)
{
  TS_VEC(uint32_t) open = {0};
  TS_PUSH(s->work, &open, on);
  while (open.count) {
    uint32_t i = open.at[--open.count];
    for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
      if (s->started[k])
        TS_PUSH(s->work, &open, s->before[k]);
      else
        TS_PUSH(out->arena, &out->edges,
                ((ts_event_edge){s->place[s->before[k]] - 1, s->place[to] - 1, false}));
  }
}

/* In the order of the file, what an operation waits for before it. */
static void copy_in_order(splitter *s, ts_events *const *ranks)
{
  typedef struct open_event {
    uint32_t event, next;
  } open_event;
  TS_VEC(open_event) open = {0};
  for (uint32_t i = 0; i < s->e->count; i++) {
    if (!s->place[i])
      TS_PUSH(s->work, &open, ((open_event){i, s->first[i]}));
    while (open.count) {
      open_event *v = &open.at[open.count - 1];
      if (v->next < s->first[v->event + 1]) {
        uint32_t before = s->before[v->next++];
        if (!s->place[before])
          TS_PUSH(s->work, &open, ((open_event){before, s->first[before]}));
        continue;
      }
      uint32_t event = v->event;
      open.count--;
      ts_events *out = ranks[s->rank_of[event]];
      copy_operation(s, out, event);
      for (uint32_t k = s->first[event]; k < s->first[event + 1]; k++)
        if (s->started[k])
          wait_for_start(s, out, event, s->before[k]);
        else
          TS_PUSH(out->arena, &out->edges,
                  ((ts_event_edge){s->place[s->before[k]] - 1, s->place[event] - 1, false}));
    }
  }
}

static bool can_split(const ts_events *e, ts_error *error)
{
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_event_comm *c = is_message(v) ? &e->comms.at[v->detail] : NULL;
    long long rank = (long long)e->tracks.at[v->track].process;
    const char *name = ts_events_text(e, v->name);
    if (c && (c->peer < 0 || c->tag < 0))
      return ts_fail(error, "state the sender and the tag",
                     "rank %lld, `%.40s`: receives from any rank or with any tag; which "
                     "message that is, is known only while it runs",
                     rank, name);
    if (c && c->peer == rank)
      return ts_fail(error, "leave out what a rank sends itself",
                     "rank %lld, `%.40s`: a message to or from itself", rank, name);
  }
  return !e->cut || ts_fail(error, "copy the file again", "the file ends early");
}

const ts_events **ts_goal_ranks(ts_arena *arena, const ts_events *e, ts_error *error)
{
  if (!can_split(e, error))
    return NULL;
  uint32_t world = (uint32_t)e->world;
  splitter s = {.e = e, .work = ts_arena_new("ranks")};
  ts_events **ranks = TS_NEW_ARRAY(arena, ts_events *, world);
  s.rank_of = TS_NEW_ARRAY(s.work, uint32_t, e->count + 1);
  s.place = TS_NEW_ARRAY(s.work, uint32_t, e->count + 1);
  for (uint32_t i = 0; i < e->count; i++)
    s.rank_of[i] = (uint32_t)e->tracks.at[ts_event_at(e, i)->track].process;
  sort_requirements(&s);
  number_streams(&s);
  for (uint32_t r = 0; r < world; r++) {
    ranks[r] = ts_events_new(arena, e->file);
    ranks[r]->format = TS_TRACE_GOAL;
    ranks[r]->rank = r;
    ranks[r]->world = world;
  }
  copy_in_order(&s, ranks);
  for (uint32_t r = 0; r < world; r++) {
    if (!ranks[r]->count) { /* a rank that has nothing to do */
      stream_named(ranks[r], 0, "compute");
      ts_events_add(ranks[r], TS_EVENT_DEVICE, TS_KERNEL_OTHER)->duration = 0;
      ts_event_at(ranks[r], 0)->id = 1;
    }
    ts_events_sort(ranks[r]);
  }
  ts_arena_free(s.work);
  return (const ts_events **)ranks;
}
