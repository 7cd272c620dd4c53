/* doc/ir.md spells the statements as ir/records.def has them. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/forms.h"
#include "ir/layout.h"
#include "tests/unit/ir_text.h"

static char *load(const char *name)
{
  char path[4096];
  const char *root = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  ir_text text = {0};
  char part[4096];
  for (size_t got; (got = fread(part, 1, sizeof part, file));)
    ir_text_put(&text, part, got);
  fclose(file);
  return text.at;
}

static const char *const values[] = {[TS_IR_TYPE_NAME] = "NAME",
                                     [TS_IR_TYPE_QUOTED] = "STRING",
                                     [TS_IR_TYPE_COUNT] = "N",
                                     [TS_IR_TYPE_TIME] = "TIME",
                                     [TS_IR_TYPE_BYTES] = "SIZE",
                                     [TS_IR_TYPE_CHANGE] = "SIZE",
                                     [TS_IR_TYPE_SIZE] = "SIZE",
                                     [TS_IR_TYPE_RATE] = "RATE",
                                     [TS_IR_TYPE_FLOP] = "WORK",
                                     [TS_IR_TYPE_FLOP_RATE] = "RATE",
                                     [TS_IR_TYPE_NUMBER] = "NUMBER",
                                     [TS_IR_TYPE_SIGNED] = "NUMBER",
                                     [TS_IR_TYPE_STATED] = "NUMBER",
                                     [TS_IR_TYPE_REF] = "NAME",
                                     [TS_IR_TYPE_GROUP] = "GROUP",
                                     [TS_IR_TYPE_LOC] = "LOC",
                                     [TS_IR_TYPE_AXES] = "AXIS, AXIS...",
                                     [TS_IR_TYPE_COLLECTIVES] = "COLLECTIVE, COLLECTIVE...",
                                     [TS_IR_TYPE_TENTHS] = "DIGITS",
                                     [TS_IR_TYPE_SHA256] = "\"HEX\"",
                                     [TS_IR_TYPE_VERTEX] = "VERTEX",
                                     [TS_IR_TYPE_ARROW] = "ARROW",
                                     [TS_IR_TYPE_RANKS] = "R, R... and R, R...",
                                     [TS_IR_TYPE_COVARIANCE] = "NUMBER, NUMBER...",
                                     [TS_IR_TYPE_RESERVED] = NULL};

/* ` [word VALUE]`: a choice goes by the name of its field. */
static int spell(const ts_ir_field *f, char *out, size_t room)
{
  char value[64] = "";
  const char *name = strrchr(f->name, '.') ? strrchr(f->name, '.') + 1 : f->name;
  if (f->type != TS_IR_TYPE_WORD)
    snprintf(value, sizeof value, "%s", values[f->type] ? values[f->type] : "");
  for (size_t i = 0; f->type == TS_IR_TYPE_WORD && i <= strlen(name); i++)
    value[i] = (char)toupper((unsigned char)name[i]);
  bool needed = f->place == TS_IR_PLACE_NEEDED && !f->when;
  return snprintf(out, room, " %s%s%s%s%s", needed ? "" : "[", f->word,
                  *f->word && *value ? " " : "", value, needed ? "" : "]");
}

static void grammar(const ts_ir_form *form, char *out, size_t room)
{
  int used = snprintf(out, room, "%s%s", form == &ts_ir_forms[TS_IR_FORM_point] ? "" : form->word,
                      form->title ? " NAME" : "");
  const char *last = ""; /* some fields have two spellings, of one place */
  for (const ts_ir_field *f = form->fields; f->name; last = f++->name)
    if (f->place != TS_IR_PLACE_BY_HAND && f->type != TS_IR_TYPE_NAMED &&
        (f->type == TS_IR_TYPE_FLAG || strcmp(f->name, last)))
      used += spell(f, out + used, room - (size_t)used);
}

/* What is a statement by itself, or a line in the block of a network model. */
static bool is_spelled(uint32_t form)
{
  switch (form) {
  case TS_IR_FORM_method: case TS_IR_FORM_curve: case TS_IR_FORM_point: return true;
  /* these begin with what is no field, or are a part of other statements */
  case TS_IR_FORM_devices: case TS_IR_FORM_vertex: case TS_IR_FORM_fragment: case TS_IR_FORM_program:
    return false;
  default: return !ts_ir_forms[form].inner && ts_ir_forms[form].fields->name;
  }
}

/* Lines of the page may be wrapped. */
static void join_lines(char *page)
{
  char *out = page;
  for (const char *at = page; *at; at++)
    if (!isspace((unsigned char)*at))
      *out++ = *at;
    else if (out > page && out[-1] != ' ')
      *out++ = ' ';
  *out = 0;
}

Test(ir_forms, the_page_spells_each_statement)
{
  char *page = load("doc/ir.md"), line[2000];
  int missing = 0;
  join_lines(page);
  for (uint32_t form = 0; form < TS_IR_FORMS; form++) {
    if (!is_spelled(form))
      continue;
    grammar(&ts_ir_forms[form], line, sizeof line);
    const char *spelled = line + (*line == ' ');
    missing += !strstr(page, spelled);
    if (!strstr(page, spelled))
      fprintf(stderr, "doc/ir.md lacks: %s\n", spelled);
  }
  cr_assert_eq(missing, 0);
  free(page);
}

/* What a reader and a writer leave to others stands last, so that it parts no clauses. */
Test(ir_forms, clauses_stand_together)
{
  for (uint32_t form = 0; form < TS_IR_FORMS; form++) {
    bool any = false, ended = false;
    int count = 0; /* the reader has a bit for each */
    for (const ts_ir_field *f = ts_ir_forms[form].fields; f->name; f++) {
      bool is = f->place == TS_IR_PLACE_ANY;
      cr_assert((count += is) <= 64, "%s", ts_ir_forms[form].word);
      cr_assert(!(is && ended), "%s: `%s` stands apart", ts_ir_forms[form].word, f->name);
      ended |= any && !is;
      any |= is;
    }
  }
}

/* Whoever complains of a field has a message for it. */
Test(ir_forms, fields_out_of_range_have_messages)
{
  static const struct { uint32_t form, number; } messages[] = {
#define WRONG(form, number, message) {TS_IR_FORM_##form, number},
#include "ir/records.def"
  };
  for (uint32_t form = 0; form < TS_IR_FORMS; form++)
    for (const ts_ir_field *f = ts_ir_forms[form].fields; f->name; f++) {
      bool found = !f->wrong;
      for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        found |= messages[i].form == form && messages[i].number == f->wrong;
      cr_assert(found, "%s: `%s` has no message %u", ts_ir_forms[form].word, f->name, f->wrong);
    }
}

/* A field that is added to a record without a row would be read, written and checked by nobody. */
Test(ir_forms, every_byte_of_a_record_has_a_row)
{
  static uint8_t seen[TS_IR_SECTION_KINDS][TS_IR_LARGEST];
  for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
    for (const ts_ir_field *f = form->fields; f->name; f++)
      memset(&seen[form->kind][f->offset], 1, f->size);
  for (const ts_ir_run_fields *run = ts_ir_runs; run < ts_ir_runs + ts_ir_run_count; run++) {
    memset(&seen[run->kind][run->first], 1, sizeof(uint32_t));
    memset(&seen[run->kind][run->count], 1, run->count_size);
  }
  for (uint32_t kind = TS_IR_META; kind < TS_IR_SECTION_KINDS; kind++)
    for (uint32_t at = 0; at < ts_ir_tables[kind].record_size; at++)
      cr_expect(seen[kind][at] || ts_ir_tables[kind].record_size == sizeof(uint32_t),
                "%s: byte %u has no row", ts_ir_tables[kind].name, at);
}
