#include "compiler/model/traced_mapping.h"

#include <string.h>

#include "compiler/eval/label.h"
#include "compiler/eval/module.h"
#include "compiler/model/graph.h"

enum { MAX_PATTERNS = 128 };

typedef struct traced_mapping_reader {
  ts_session *s;
  const ts_applied *model;
  ts_mapping *map;
} traced_mapping_reader;

static bool bad_mapping(traced_mapping_reader *r, ts_span span, const char *what,
                        const char *needed)
{
  ts_diag *d = ts_diag_add(r->s->diags, TS_E0523, span.file ? span : r->model->span, "%s", what);
  ts_diag_here(d, "%s", needed);
  return false;
}

static bool read_patterns(traced_mapping_reader *r, const ts_record *record, const char *field,
                          ts_patterns *list)
{
  const ts_value *v = ts_record_find(record, field);
  const char *at[MAX_PATTERNS];
  *list = (ts_patterns){0};
  if (!v)
    return true;
  if (v->type != TS_T_STRING)
    return bad_mapping(r, v->span,
                       ts_arena_printf(r->s->arena, "`%s` must be a string of patterns", field),
                       "as \"view|permute|get*\"");
  for (const char *p = v->u.string; *p;) {
    size_t length = strcspn(p, "|");
    if (list->count == MAX_PATTERNS)
      return bad_mapping(
        r, v->span,
        ts_arena_printf(r->s->arena, "`%s` has more than %d patterns", field, MAX_PATTERNS),
        "split it in two entries");
    at[list->count++] = ts_lang_intern(r->s->lang, p, length);
    p += length + (p[length] == '|');
  }
  list->at = ts_arena_copy(r->s->arena, at, (list->count + 1) * sizeof *at);
  return true;
}

bool ts_patterns_match(const ts_patterns *list, const char *text)
{
  size_t length = strlen(text);
  for (uint32_t i = 0; i < list->count; i++)
    if (ts_glob(list->at[i], text, length))
      return true;
  return false;
}

static bool read_entry(traced_mapping_reader *r, ts_value v)
{
  ts_mapped_kind e = {.span = v.span};
  if (v.type != TS_T_RECORD)
    return bad_mapping(r, v.span, "an entry of `ops` must be a record",
                       "as { kind: \"softmax\", op: softmax }");
  const ts_value *op = ts_record_find(v.u.record, "op"), *args = ts_record_find(v.u.record, "args");
  if (!ts_record_find(v.u.record, "kind") || !op || op->type != TS_T_DECL ||
      op->u.decl->kind != TS_AST_OP)
    return bad_mapping(r, v.span, "an entry of `ops` names a kind of rows and the op it is",
                       "as { kind: \"softmax\", op: softmax }");
  if (args && args->type != TS_T_RECORD)
    return bad_mapping(r, args->span, "`args` must be a record",
                       "values, or functions of the row, by the name of the op's parameter");
  if (!read_patterns(r, v.u.record, "kind", &e.kind) ||
      !read_patterns(r, v.u.record, "backward", &e.backward))
    return false;
  const ts_value *when = ts_record_find(v.u.record, "when"), *guessed = ts_record_find(v.u.record, "guessed"),
                 *work = ts_record_find(v.u.record, "work");
  e.op = *op;
  e.args = args ? args->u.record : NULL;
  e.when = when ? *when : ts_none_value();
  e.work = work ? *work : ts_none_value();
  e.guessed = guessed && guessed->type == TS_T_BOOL && guessed->u.truth;
  TS_PUSH(r->s->arena, &r->map->entries, e);
  return true;
}

static bool read_label(traced_mapping_reader *r, ts_value v)
{
  ts_mapped_label l;
  const ts_value *label = v.type == TS_T_RECORD ? ts_record_find(v.u.record, "label") : NULL;
  if (!label || label->type != TS_T_STRING || !ts_record_find(v.u.record, "path"))
    return bad_mapping(r, v.span, "an entry of `labels` names a path and the label it gets",
                       "as { path: \"*.c_attn\", label: \"attn.qkv\" }");
  l.label = label->u.string;
  if (!read_patterns(r, v.u.record, "path", &l.path))
    return false;
  TS_PUSH(r->s->arena, &r->map->labels, l);
  return true;
}

static bool read_list(traced_mapping_reader *r, const ts_record *map, const char *field,
                      bool (*read)(traced_mapping_reader *, ts_value), bool needed)
{
  const ts_value *v = ts_record_find(map, field);
  if (!v && !needed)
    return true;
  if (!v || v->type != TS_T_LIST)
    return bad_mapping(
      r, v ? v->span : r->model->span,
      ts_arena_printf(r->s->arena, "`%s` of a trace's mapping must be a list", field),
      "see std.import");
  for (uint32_t i = 0; i < v->u.list->count; i++)
    if (!read(r, v->u.list->at[i]))
      return false;
  return true;
}

const ts_applied *ts_with_mapping(ts_session *s, const ts_applied *model, const char *file,
                                  const char *name)
{
  const ts_value *given = model ? ts_record_find(&model->args, "ops") : NULL;
  ts_applied *with = TS_NEW(s->arena, ts_applied);
  ts_value library;
  if (given && given->type != TS_T_NONE)
    return model;
  *with = model ? *model : *with;
  ts_module *m = ts_module_of_library(s, file);
  if (m && !ts_diags_errors(s->diags))
    ts_module_lookup(s, m, ts_lang_intern(s->lang, name, strlen(name)), with->span, &library);
  if (!m || ts_diags_errors(s->diags))
    return NULL;
  uint32_t count = with->args.count, remaining = 0;
  ts_field *fields = TS_NEW_ARRAY(s->arena, ts_field, count + 1);
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(with->args.at[i].name, "ops") != 0)
      fields[remaining++] = with->args.at[i];
  fields[remaining++] = (ts_field){ts_lang_intern(s->lang, "ops", 3),
                                   ts_arena_copy(s->arena, &library, sizeof library), with->span};
  with->args = (ts_record){.count = remaining, .at = fields};
  return with;
}

bool ts_mapping_read(ts_session *s, const ts_applied *model, ts_mapping *map)
{
  traced_mapping_reader reader = {s, model, map}, *r = &reader;
  const ts_value *v = ts_record_find(&model->args, "ops");
  if (!v || v->type != TS_T_RECORD)
    return bad_mapping(r, model->span, "`trace` needs a mapping from kinds of rows to ops",
                       "give `ops:`, a record as in std.import");
  const ts_record *in = v->u.record;
  const ts_value *sums = ts_record_find(in, "sums"), *modules = ts_record_find(in, "modules");
  const struct { const char *field; ts_patterns *list;
  } lists[] = {{"given", &map->given},         {"ignored", &map->ignored},
               {"optimizer", &map->optimizer}, {"floor", &map->floor},
               {"lists", &map->lists},         {"values", &map->values},
               {"constants", &map->constants}, {"joined", &map->joined}};
  *map = (ts_mapping){.sums = sums && sums->type == TS_T_BOOL && sums->u.truth,
                      .modules = modules && modules->type == TS_T_BOOL && modules->u.truth};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!read_patterns(r, in, lists[i].field, lists[i].list))
      return false;
  return read_list(r, in, "ops", read_entry, true) && read_list(r, in, "labels", read_label, false);
}
