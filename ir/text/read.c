/* Reader of the text form: fields by the rows of ir/records.def, and statements at the outermost
 * level. */
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/diag.h"
#include "ir/layout.h"
#include "ir/text/text.h"

/* ---- names ---- */

void ts_ir_declare(ts_ir_reader *r, ts_ir_section_kind kind, const char *name, uint32_t value)
{
  if (r->lexer.failed)
    return;
  ts_ir_symbol *symbol = ts_ir_symbol_of(&r->symbols, kind, name);
  if (symbol->value != TS_IR_NONE)
    ts_ir_syntax(&r->lexer, "there is a %s `%.60s` already", ts_ir_title(kind), name);
  symbol->value = value;
}

static void read_unknown(ts_ir_reader *r, ts_ir_section_kind kind, const char *name)
{
  TS_VEC(const char *) names = {0};
  const char *best[3];
  for (size_t i = 0; i < r->symbols.all.count; i++)
    if (r->symbols.all.at[i].space == (uint32_t)kind)
      TS_PUSH(r->arena, &names, r->symbols.all.at[i].name);
  if (ts_suggest(name, names.at, names.count, best))
    ts_ir_syntax(&r->lexer, "there is no %s `%.60s` above; did you mean `%.60s`?",
                 ts_ir_title(kind), name, best[0]);
  else
    ts_ir_syntax(&r->lexer, "there is no %s `%.60s` above", ts_ir_title(kind), name);
}

uint32_t ts_ir_use(ts_ir_reader *r, ts_ir_section_kind kind, const char *what)
{
  ts_ir_lexer *l = &r->lexer;
  if (!ts_ir_at_name(l)) {
    ts_ir_expected(l, what);
    return 0;
  }
  const ts_ir_symbol *symbol = ts_ir_find_symbol(&r->symbols, kind, l->text);
  if (!symbol) {
    read_unknown(r, kind, l->text);
    return 0;
  }
  uint32_t value = symbol->value;
  ts_ir_next(l);
  return value;
}

/* An axis stands for the group of that axis alone. */
uint32_t ts_ir_use_group(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  const ts_ir_symbol *axis =
    ts_ir_at_name(l) ? ts_ir_find_symbol(&r->symbols, TS_IR_AXES, l->text) : NULL;
  if (axis && !ts_ir_find_symbol(&r->symbols, TS_IR_GROUPS, l->text)) {
    ts_ir_group group = {.name = ts_ir_add_string(r->out, l->text), .axes = 1u << axis->value};
    ts_ir_declare(r, TS_IR_GROUPS, l->text, ts_ir_intern(r->out, TS_IR_GROUPS, &group));
  }
  return ts_ir_use(r, TS_IR_GROUPS, "a group or an axis");
}

ts_ir_str ts_ir_take_string(ts_ir_reader *r, const char *what)
{
  return ts_ir_add_string(r->out, ts_ir_take_name(&r->lexer, what));
}

uint32_t ts_ir_take_loc(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_loc loc = {.source = ts_ir_use(r, TS_IR_SOURCES, "a source")};
  loc.line = (uint32_t)ts_ir_take_count(l, "a line", UINT32_MAX);
  ts_ir_need(l, ":");
  loc.column = loc.end_column = (uint32_t)ts_ir_take_count(l, "a column", UINT32_MAX);
  if (ts_ir_take(l, "-"))
    loc.end_column = (uint32_t)ts_ir_take_count(l, "a column", UINT32_MAX);
  return l->failed ? TS_IR_NONE : ts_ir_intern(r->out, TS_IR_LOCS, &loc);
}

/* ---- blocks ---- */

void ts_ir_begin_block(ts_ir_reader *r)
{
  if (ts_ir_is(&r->lexer, "{"))
    ts_ir_next(&r->lexer);
  else
    ts_ir_expected(&r->lexer, "`{`");
}

bool ts_ir_in_block(ts_ir_reader *r)
{
  while (r->lexer.token == TS_IR_END_OF_LINE)
    ts_ir_next(&r->lexer);
  if (r->lexer.token == TS_IR_END_OF_FILE)
    ts_ir_expected(&r->lexer, "`}`");
  return !r->lexer.failed && !ts_ir_take(&r->lexer, "}");
}

/* ---- values ---- */

static void take_sha256(ts_ir_lexer *l, uint8_t digest[32])
{
  static const char hex[] = "0123456789abcdef";
  bool ok = l->token == TS_IR_QUOTED && strlen(l->text) == 64 && strspn(l->text, hex) == 64;
  for (int i = 0; ok && i < 32; i++)
    digest[i] =
      (uint8_t)((strchr(hex, l->text[2 * i]) - hex) * 16 + (strchr(hex, l->text[2 * i + 1]) - hex));
  if (ok)
    ts_ir_next(l);
  else
    ts_ir_expected(l, "a SHA-256, 64 of 0-9 and a-f in quotes");
}

/* "0, 4 and 1, 5": one instance after the other, all of one size. */
static void read_lists(ts_ir_reader *r, ts_ir_group *group)
{
  ts_ir_lexer *l = &r->lexer;
  ts_arena *scratch = ts_arena_new("ranks of a group");
  TS_VEC(uint32_t) ranks = {0};
  uint32_t size = 0;
  do {
    TS_PUSH(scratch, &ranks, (uint32_t)ts_ir_take_count(l, "a rank", (1u << 24) - 1));
    size++;
    bool ended = !ts_ir_take(l, ",");
    if (!ended)
      continue;
    if (group->size && group->size != size)
      ts_ir_syntax(l, "instances of a group have equal numbers of ranks");
    group->size = size;
    size = 0;
    if (!ts_ir_take(l, "and"))
      break;
  } while (!l->failed);
  group->rank_count = (uint32_t)ranks.count;
  void *at;
  group->first_rank = ts_ir_append(r->out, TS_IR_GROUP_RANKS, group->rank_count, &at);
  memcpy(at, ranks.at, ranks.count * sizeof *ranks.at);
  ts_arena_free(scratch);
}

static double take_signed(ts_ir_lexer *l)
{
  bool negative = ts_ir_take(l, "-");
  double value = ts_ir_take_real(l, TS_IR_DIMENSIONS);
  return negative ? -value : value;
}

static void take_covariance(ts_ir_lexer *l, ts_ir_calibration *k)
{
  uint32_t terms = 0;
  do {
    double term = take_signed(l);
    if (terms == TS_IR_MOST_CALIBRATED)
      ts_ir_syntax(l, "more than %u covariances", TS_IR_MOST_CALIBRATED);
    else
      k->covariance[terms++] = term;
  } while (ts_ir_take(l, ","));
}

static uint32_t take_axes(ts_ir_reader *r)
{
  uint32_t axes = 0;
  do
    axes |= 1u << ts_ir_use(r, TS_IR_AXES, "an axis");
  while (ts_ir_take(&r->lexer, ","));
  return axes;
}

static uint32_t take_collectives(ts_ir_lexer *l)
{
  uint32_t mask = 0;
  if (ts_ir_take(l, "any"))
    return (1u << TS_IR_COLLECTIVE_KINDS) - 1;
  if (ts_ir_take(l, "none"))
    return 0;
  do
    mask |= 1u << ts_ir_take_choice(l, "`any`, `none` or a collective", ts_ir_collective_names);
  while (ts_ir_take(l, ","));
  return mask;
}

static void take_tenths(ts_ir_lexer *l, uint8_t *at)
{
  const char *digits = ts_ir_take_name(l, "tenths, a digit each, A for 10");
  size_t count = strlen(digits);
  for (size_t i = 0; i < count && !l->failed; i++) {
    int tenths = digits[i] == 'A' ? 10 : digits[i] - '0';
    if (i == TS_IR_NET_SIZES || tenths < 1 || tenths > 10)
      ts_ir_syntax(l, "`%.60s` is not 1 to %d digits from 1 to 9 or A", digits, TS_IR_NET_SIZES);
    else
      at[i] = (uint8_t)tenths;
  }
}

static void make_pipeline(ts_ir_reader *r)
{
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  if (meta->pipeline_axis != TS_IR_NONE)
    ts_ir_syntax(&r->lexer, "a second pipeline axis");
  meta->pipeline_axis = r->index;
}

static uint64_t take_arrow(ts_ir_lexer *l, const char *what)
{
  bool duplex = l->token == TS_IR_DUPLEX;
  if (duplex || l->token == TS_IR_ARROW)
    ts_ir_next(l);
  else
    ts_ir_expected(l, what);
  return duplex;
}

static uint64_t take_change(ts_ir_lexer *l)
{
  uint64_t bytes = ts_ir_take_whole(l, TS_IR_BYTES);
  if (bytes > INT64_MAX)
    ts_ir_syntax(l, "more bytes than 63 bits hold");
  return bytes & INT64_MAX;
}

static uint64_t most_of(const ts_ir_field *f)
{
  return f->most ? f->most : UINT64_MAX >> (64 - 8 * f->size);
}

/* Values that whole numbers hold. */
static uint64_t take_whole(ts_ir_reader *r, const ts_ir_field *f, const void *record)
{
  ts_ir_lexer *l = &r->lexer;
  switch (f->type) {
  case TS_IR_TYPE_NAME: case TS_IR_TYPE_QUOTED: case TS_IR_TYPE_NAMED:
    return ts_ir_take_string(r, f->what);
  case TS_IR_TYPE_COUNT: return ts_ir_take_count(l, f->what, most_of(f));
  case TS_IR_TYPE_TIME: return ts_ir_take_whole(l, TS_IR_TIME);
  case TS_IR_TYPE_BYTES: return ts_ir_take_whole(l, TS_IR_BYTES);
  case TS_IR_TYPE_CHANGE: return take_change(l);
  case TS_IR_TYPE_WORD: return ts_ir_take_choice(l, f->what, f->words);
  case TS_IR_TYPE_FLAG: return ts_ir_get(f, record) | (f->bit ? f->bit : 1);
  case TS_IR_TYPE_REF: return ts_ir_use(r, f->table, f->what);
  case TS_IR_TYPE_GROUP: return ts_ir_use_group(r);
  case TS_IR_TYPE_LOC: return ts_ir_take_loc(r);
  case TS_IR_TYPE_AXES: return ts_ir_get(f, record) | take_axes(r);
  case TS_IR_TYPE_COLLECTIVES: return take_collectives(l);
  case TS_IR_TYPE_VERTEX: return ts_ir_take_vertex(r);
  case TS_IR_TYPE_ARROW: return take_arrow(l, f->what);
  default: return ts_ir_get(f, record);
  }
}

static void read_value(ts_ir_reader *r, const ts_ir_field *f, void *record)
{
  ts_ir_lexer *l = &r->lexer;
  char *at = (char *)record + f->offset;
  double real;
  switch (f->type) {
  case TS_IR_TYPE_SIZE: case TS_IR_TYPE_RATE: case TS_IR_TYPE_FLOP: case TS_IR_TYPE_FLOP_RATE:
  case TS_IR_TYPE_NUMBER: case TS_IR_TYPE_STATED:
    real = ts_ir_take_real(l, ts_ir_dimension_of(f->type));
    memcpy(at, &real, sizeof real);
    break;
  case TS_IR_TYPE_SIGNED:
    real = take_signed(l);
    memcpy(at, &real, sizeof real);
    break;
  case TS_IR_TYPE_TENTHS: take_tenths(l, (uint8_t *)at); break;
  case TS_IR_TYPE_SHA256: take_sha256(l, (uint8_t *)at); break;
  case TS_IR_TYPE_PIPELINE: make_pipeline(r); break;
  case TS_IR_TYPE_RANKS: read_lists(r, record); break;
  case TS_IR_TYPE_COVARIANCE: take_covariance(l, record); break;
  case TS_IR_TYPE_DEPS: ts_ir_read_after(r->body); break;
  case TS_IR_TYPE_ALLOC: ts_ir_read_mem(r->body, false); break;
  case TS_IR_TYPE_FREE: ts_ir_read_mem(r->body, true); break;
  default: ts_ir_put(f, record, take_whole(r, f, record));
  }
}

/* ---- fields ---- */

static void read_needed(ts_ir_reader *r, const ts_ir_field *f, void *record)
{
  if (!ts_ir_has_field(f, record))
    return;
  if (*f->word)
    ts_ir_need(&r->lexer, f->word);
  read_value(r, f, record);
}

/* One that may be left out, without a word before it: its first token, if it is not the word of one
 * behind. */
static bool value_comes(const ts_ir_lexer *l, const ts_ir_field *f)
{
  if (f->type == TS_IR_TYPE_QUOTED)
    return l->token == TS_IR_QUOTED;
  if (f->type != TS_IR_TYPE_WORD)
    return l->token == TS_IR_NUMBER;
  bool another = false;
  for (const ts_ir_field *next = f + 1; next->name; next++)
    another |= ts_ir_is(l, next->word);
  return l->token == TS_IR_WORD && !another;
}

static bool may_repeat(const ts_ir_field *f)
{
  return f->type == TS_IR_TYPE_DEPS || f->type == TS_IR_TYPE_ALLOC || f->type == TS_IR_TYPE_FREE;
}

/* The one of these fields whose word comes; false: none does. `said`: bits of those before. */
static bool read_any(ts_ir_reader *r, const ts_ir_field *f, const ts_ir_field *end, void *record,
                     uint64_t *said)
{
  for (uint64_t bit = 1; f < end; f++, bit <<= 1)
    if (ts_ir_has_field(f, record) && ts_ir_take(&r->lexer, f->word)) {
      if (*said & bit && !may_repeat(f))
        ts_ir_syntax(&r->lexer, "a second `%s`: say it once", f->word);
      *said |= bit;
      read_value(r, f, record);
      return true;
    }
  return false;
}

void ts_ir_read_fields(ts_ir_reader *r, uint32_t kind, const ts_ir_field *f, void *record)
{
  ts_ir_lexer *l = &r->lexer;
  for (; f->name && f->place == TS_IR_PLACE_NEEDED; f++)
    read_needed(r, f, record);
  ts_ir_make_usual_here(kind, r->index, record);
  for (const ts_ir_field *end; f->name && !l->failed; f = end) {
    uint64_t said = 0;
    for (end = f + 1; f->place == TS_IR_PLACE_ANY && end->place == f->place;)
      end++;
    if (f->place == TS_IR_PLACE_ANY)
      while (!l->failed && read_any(r, f, end, record, &said))
        ;
    else if (f->place == TS_IR_PLACE_NEEDED)
      read_needed(r, f, record);
    else if (f->place == TS_IR_PLACE_IN_ORDER && ts_ir_has_field(f, record) &&
             (*f->word ? ts_ir_take(l, f->word) : value_comes(l, f)))
      read_value(r, f, record);
  }
}

void ts_ir_read_form(ts_ir_reader *r, uint32_t form, void *record)
{
  ts_ir_make_usual(&ts_ir_forms[form], record);
  ts_ir_read_fields(r, ts_ir_forms[form].kind, ts_ir_forms[form].fields, record);
}

/* ---- statements ---- */

/* The symbol of the next record of its kind, whose name it usually is. */
static void read_symbol(ts_ir_reader *r, const ts_ir_form *form, void *record)
{
  const char *name = ts_ir_take_name(&r->lexer, "a name");
  ts_ir_declare(r, form->kind, name, r->index);
  for (const ts_ir_field *f = form->fields; f->name; f++)
    if (f->type == TS_IR_TYPE_NAMED)
      ts_ir_put(f, record, ts_ir_add_string(r->out, name));
}

/* An axis multiplies the ranks. */
static void count_axis(ts_ir_reader *r, ts_ir_axis *axis)
{
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  uint64_t world = (uint64_t)meta->world * axis->size;
  axis->stride = meta->world;
  if (!axis->size || world > 1u << 24 || r->index == 32)
    ts_ir_syntax(&r->lexer, r->index == 32 ? "more than 32 axes" :
                            axis->size     ? "the axes span more than 2^24 ranks" :
                                             "an axis of size 0");
  else
    meta->world = (uint32_t)world;
}

static void read_record(ts_ir_reader *r, const ts_ir_form *form)
{
  uint64_t record[TS_IR_LARGEST / sizeof(uint64_t)] = {0};
  r->index = ts_ir_builder_count(r->out, form->kind);
  ts_ir_make_usual(form, record);
  if (form->title)
    read_symbol(r, form, record);
  if (form->kind == TS_IR_STREAMS && r->index == 256)
    ts_ir_syntax(&r->lexer, "more than 256 streams");
  ts_ir_read_fields(r, form->kind, form->fields, record);
  if (form->kind == TS_IR_AXES)
    count_axis(r, (ts_ir_axis *)record);
  if (form->kind == TS_IR_NET_MODELS)
    ts_ir_read_block(r, (ts_ir_net_model *)record);
  ts_ir_append_copies(r->out, form->kind, record, 1);
}

static void read_version(ts_ir_reader *r)
{
  uint64_t version = ts_ir_take_count(&r->lexer, "a version", UINT32_MAX);
  if (!r->lexer.failed && (version < 1 || version > TS_IR_VERSION))
    ts_ir_syntax(&r->lexer, "version %llu of the text form; this program reads 1 to %u",
                 (unsigned long long)version, TS_IR_VERSION);
}

static void read_warning(ts_ir_reader *r)
{
  ts_ir_remark warning = {.kind = TS_IR_REMARK_WARNING, .loc = TS_IR_NONE};
  ts_ir_read_fields(r, TS_IR_REMARKS, ts_ir_forms[TS_IR_FORM_remark].fields + 1, &warning);
  ts_ir_append_copies(r->out, TS_IR_REMARKS, &warning, 1);
}

/* What makes more than one record. */
static void (*const by_hand[TS_IR_FORMS])(ts_ir_reader *) = {
  [TS_IR_FORM_devices] = ts_ir_read_devices,   [TS_IR_FORM_switches] = ts_ir_read_switches,
  [TS_IR_FORM_vertex] = ts_ir_read_vertex,     [TS_IR_FORM_place] = ts_ir_read_place,
  [TS_IR_FORM_fragment] = ts_ir_read_fragment, [TS_IR_FORM_program] = ts_ir_read_program,
  [TS_IR_FORM_warning] = read_warning};

static void read_form(ts_ir_reader *r, const ts_ir_form *form)
{
  uint32_t number = (uint32_t)(form - ts_ir_forms);
  if (form->kind == TS_IR_META && r->said[number])
    ts_ir_syntax(&r->lexer, "a second `%s`: say it once", form->word);
  r->said[number] = true;
  if (by_hand[number])
    by_hand[number](r);
  else if (form->kind == TS_IR_META)
    ts_ir_read_fields(r, form->kind, form->fields, ts_ir_builder_meta(r->out));
  else
    read_record(r, form);
}

/* The statement that a word begins, or NULL. */
static const ts_ir_form *form_of(const char *word, size_t length)
{
  for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
    if (!form->inner && *form->word == *word && strlen(form->word) == length &&
        !memcmp(form->word, word, length))
      return form;
  return NULL;
}

static void unknown_statement(ts_ir_lexer *l)
{
  const char *words[TS_IR_FORMS + 1] = {"version"}, *best[3];
  size_t count = 1;
  for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
    if (!form->inner)
      words[count++] = form->word;
  if (l->token == TS_IR_WORD && ts_suggest(l->text, words, count, best))
    ts_ir_syntax(l, "no statement begins with `%.60s`; did you mean `%s`?", l->text, best[0]);
  else
    ts_ir_expected(l, "a statement such as `kernel`, `fragment` or `program`");
}

static void read_statement(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  const ts_ir_form *form = l->token == TS_IR_WORD ? form_of(l->text, strlen(l->text)) : NULL;
  bool version = ts_ir_take(l, "version");
  if (!form && !version) {
    unknown_statement(l);
    return;
  }
  if (version) {
    read_version(r);
  } else {
    ts_ir_next(l);
    read_form(r, form);
  }
  if (l->token != TS_IR_END_OF_LINE && l->token != TS_IR_END_OF_FILE)
    ts_ir_expected(l, "the end of the line");
}

/* A `#` begins nothing else; of the words only `plan` begins a file of the language too, which goes
 * on with `(` or `{`. */
bool ts_ir_is_text(const char *text, size_t size)
{
  size_t blank = 0;
  while (blank < size && memchr(" \t\r\n", text[blank], 4))
    blank++;
  text += blank;
  size -= blank;
  const char *end = memchr(text, '\n', size);
  size_t line = end ? (size_t)(end - text) : size, length = ts_ir_word_length(text, size);
  if (size && text[0] == '#')
    return !ts_csv_is_table(text, size);
  if (length == 4 && memcmp(text, "plan", 4) == 0)
    return !memchr(text, '(', line) && !memchr(text, '{', line);
  return form_of(text, length) || (length == 7 && memcmp(text, "version", length) == 0);
}

static void read_finish(ts_ir_reader *r)
{
  ts_ir view;
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  if (!r->said[TS_IR_FORM_micro_batches])
    meta->micro_batches = r->played_micro_batches ? r->played_micro_batches : 1;
  ts_ir_builder_view(r->out, &view);
  if (!r->lexer.failed && ts_ir_verify(&view, r->lexer.error))
    r->lexer.failed = true;
}

ts_ir_builder *ts_ir_parse(const char *text, size_t size, ts_error *error)
{
  ts_error unseen;
  ts_arena *arena = ts_arena_new("text form of the IR");
  ts_ir_reader r = {.out = ts_ir_builder_new(), .arena = arena};
  r.symbols.arena = arena;
  r.lexer = (ts_ir_lexer){
    .at = text, .end = text + size, .line = 1, .arena = arena, .error = error ? error : &unseen};
  *r.lexer.error = (ts_error){0};
  ts_ir_next(&r.lexer);
  while (!r.lexer.failed && r.lexer.token != TS_IR_END_OF_FILE) {
    if (r.lexer.token == TS_IR_END_OF_LINE)
      ts_ir_next(&r.lexer);
    else
      read_statement(&r);
  }
  read_finish(&r);
  ts_arena_free(arena);
  if (!r.lexer.failed)
    return r.out;
  ts_ir_builder_free(r.out);
  return NULL;
}
