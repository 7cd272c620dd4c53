#include "compiler/command_line.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/settings.h"
#include "base/source.h"
#include "base/text.h"
#include "compiler/argument_value.h"
#include "compiler/command_line_plan.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/module.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/launch_script.h"

typedef TS_VEC(char) text;
typedef TS_VEC(const char *) strings;

/* A word that names an argument, as it was written, and its values. */
typedef struct given {
  const char *name, *shown; /* as a name of the language; as whoever wrote it wrote it */
  const char *const *word;
  uint32_t count;
  ts_span at;
  const char *from; /* the file and line of the key; NULL: the command line */
} given;

typedef struct command_line_reader {
  ts_session *s;
  ts_command_line own; /* with the words of scripts */
  const ts_command_line *line;
  const char *const *given; /* NAME=VALUE of the command line and of scripts */
  uint32_t given_count;
  const char *reading;              /* the file of settings whose keys are taken; NULL: none */
  const char *script, *script_text; /* the one whose words stand from `script_begin` on */
  uint32_t script_begin, script_end;
  const ts_launch_file *written; /* by scripts */
  uint32_t file;   /* the words, one after the other, in the source map */
  uint32_t *begin; /* of each word in it */
  ts_module *module;
  const ts_record *table;
  ts_ast_list formals; /* of the record type of its arguments */
  TS_VEC(ts_plan_argument) found;
  TS_VEC(ts_plan_passed) passed;
  bool files; /* the framework's settings are files, whose keys have dots */
  bool read;  /* a file or a script */
} command_line_reader;

static void command_line_put(command_line_reader *r, text *to, const char *bytes)
{
  for (; *bytes; bytes++)
    TS_PUSH(r->s->arena, to, *bytes);
}

static const char *ended(command_line_reader *r, text *t)
{
  TS_PUSH(r->s->arena, t, 0);
  return t->at;
}

/* As a name of the language: --num-layers and NUM_LAYERS are num_layers, a.b of a file is a_b. */
static const char *as_name(command_line_reader *r, const char *word, size_t length)
{
  char *name = ts_arena_string(r->s->arena, word, length);
  for (char *c = name; *c; c++)
    *c = *c == '-' || *c == '.' ? '_' : (char)tolower((unsigned char)*c);
  return name;
}

/* Whether the texts of a list, with blanks between names, hold this one; `x_*` stands for many. */
static bool among(const ts_value *list, const char *name)
{
  for (uint32_t i = 0; list && list->type == TS_T_LIST && i < list->u.list->count; i++)
    if (list->u.list->at[i].type == TS_T_STRING &&
        ts_text_among(list->u.list->at[i].u.string, name))
      return true;
  return false;
}

/* -- the table -- */

static const ts_value *field(const command_line_reader *r, const char *name)
{
  return ts_record_find(r->table, name);
}

/* The record of a list, `{ why, names, but }`, whose names hold this one. */
static const ts_record *entry(const command_line_reader *r, const char *list, const char *name)
{
  const ts_value *v = field(r, list);
  for (uint32_t i = 0; v && v->type == TS_T_LIST && i < v->u.list->count; i++) {
    const ts_value *one = &v->u.list->at[i];
    if (one->type == TS_T_RECORD && among(ts_record_find(one->u.record, "names"), name))
      return one->u.record;
  }
  return NULL;
}

/* Its sentence; NULL: it is not listed, or all words are of those that change nothing (`but`). */
static const char *reason(const command_line_reader *r, const char *list, const char *name,
                          const char *const *word, uint32_t count)
{
  const ts_record *found = entry(r, list, name);
  const ts_value *why = found ? ts_record_find(found, "why") : NULL;
  uint32_t plain = 0;
  while (found && plain < count && among(ts_record_find(found, "but"), word[plain]))
    plain++;
  return !why || why->type != TS_T_STRING || (count && plain == count) ? NULL : why->u.string;
}

/* What stands for the first of `prefixes`, `{ given, as }`, that begins the name; for that again
 * where it is shorter, so that it ends. */
static const char *renamed(command_line_reader *r, const char *name)
{
  const ts_value *list = field(r, "prefixes");
  for (uint32_t i = 0; list && list->type == TS_T_LIST && i < list->u.list->count; i++) {
    const ts_record *one = list->u.list->at[i].u.record;
    const char *given = ts_record_text(one, "given"), *as = ts_record_text(one, "as");
    if (strncmp(name, given, strlen(given)) != 0)
      continue;
    name = ts_arena_printf(r->s->arena, "%s%s", as, name + strlen(given));
    return strlen(as) < strlen(given) ? renamed(r, name) : name;
  }
  return name;
}

static const ts_ast *formal(const command_line_reader *r, const char *name)
{
  for (uint32_t i = 0; i < r->formals.count; i++)
    if (strcmp(r->formals.at[i]->name, name) == 0)
      return r->formals.at[i];
  return NULL;
}

/* -- values -- */

static ts_span span_of(const command_line_reader *r, uint32_t first, uint32_t last)
{
  return (ts_span){r->file, r->begin[first],
                   r->begin[last] + (uint32_t)strlen(r->line->word[last])};
}

/* NULL: the words are not of the type. */
static const char *command_line_value_of(command_line_reader *r, const char *name,
                                         const ts_ast *type, const char *const *word,
                                         uint32_t count)
{
  if (!among(field(r, "layouts"), name))
    return ts_argument_value(r->s->arena, type, word, count);
  return count == 1 ? ts_argument_layout(r->s->arena, word[0]) : NULL;
}

static void found(command_line_reader *r, const char *name, const char *value, const char *from)
{
  for (size_t i = 0; i < r->found.count; i++)
    if (strcmp(r->found.at[i].name, name) == 0) {
      r->found.at[i] = (ts_plan_argument){name, value, from}; /* the last one counts */
      return;
    }
  TS_PUSH(r->s->arena, &r->found, (ts_plan_argument){name, value, from});
}

/* num_layers as --num-layers */
static const char *as_argument(command_line_reader *r, const char *name)
{
  char *argument = ts_arena_printf(r->s->arena, "--%s", name);
  for (char *c = argument; *c; c++)
    *c = *c == '_' ? '-' : *c;
  return argument;
}

static void command_line_unknown(command_line_reader *r, const given *g)
{
  const char *shown = r->files ? g->shown : as_argument(r, g->name);
  ts_diag *d = ts_diag_add(r->s->diags, TS_E0708, g->at, "unknown %s `%s`",
                           r->files ? "key" : "argument", shown);
  ts_name_list names = {0};
  for (uint32_t i = 0; i < r->formals.count; i++)
    TS_PUSH(r->s->arena, &names.names,
            r->files ? r->formals.at[i]->name : as_argument(r, r->formals.at[i]->name));
  if (!ts_suggest_names(d, r->files ? g->name : shown, &names))
    ts_diag_help(d, "what it changes is not known here; leave it out if that is neither time nor "
                    "memory");
}

/* What a type takes, in words. */
static const char *wanted(const char *type)
{
  static const struct {
    const char *type, *words;
  } all[] = {
    {"Int", "a whole number"}, {"Real", "a number"}, {"String", "one word"}, {"Bool", "no value"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i].type, type) == 0)
      return all[i].words;
  return "a list";
}

static bool is_listed(const command_line_reader *r, const char *name)
{
  return entry(r, "harmless", name) || entry(r, "refused", name) || entry(r, "partly", name);
}

static void command_line_follow(command_line_reader *r, const given *g)
{
  const ts_ast *type = ts_ast_type(formal(r, g->name));
  const char *value = command_line_value_of(r, g->name, type, g->word, g->count);
  if (value)
    found(r, g->name, value, g->from);
  else
    ts_diag_add(r->s->diags, TS_E0708, g->at, "`%s` takes %s",
                r->files ? g->shown : as_argument(r, g->name),
                r->files && strcmp(type->name, "Bool") == 0 ? "true or false" : wanted(type->name));
}

static const char *harmless(const command_line_reader *r, const char *name)
{
  const ts_record *found = entry(r, "harmless", name);
  const ts_value *why = found ? ts_record_find(found, "why") : NULL;
  return why && why->type == TS_T_STRING ? why->u.string : "as set, it changes nothing";
}

/* Of words that no variable stands for any more: the first; NULL: there is none. */
static const char *unset_word(const given *g)
{
  for (uint32_t i = 0; i < g->count; i++)
    if (strstr(g->word[i], "${"))
      return g->word[i];
  return NULL;
}

/* Words with variables of the command line and of scripts in place; of flags, those that are left
 * are none. */
static given filled(command_line_reader *r, given g)
{
  strings words = {0};
  const ts_ast *of = formal(r, g.name);
  bool flag = of && ts_ast_type(of)->name && strcmp(ts_ast_type(of)->name, "Bool") == 0;
  if (!unset_word(&g))
    return g;
  for (uint32_t i = 0; i < g.count; i++) {
    const char *word = ts_launch_expanded(r->s->arena, g.word[i], r->given, r->given_count,
                                          field(r, "defaults") != NULL);
    if (*word && (!flag || !strstr(word, "${")))
      TS_PUSH(r->s->arena, &words, word);
  }
  g.word = words.at;
  g.count = (uint32_t)words.count;
  return g;
}

/* A key that is null says nothing, but is one that is known. */
static void take_nothing(command_line_reader *r, const given *g)
{
  if (formal(r, g->name) || is_listed(r, g->name))
    TS_PUSH(r->s->arena, &r->passed, (ts_plan_passed){g->shown, "left open by the file"});
  else
    command_line_unknown(r, g);
}

static void read_named(command_line_reader *r, const given *g);

/* Why a key is followed in part; NULL: it is not. A pattern speaks of keys without a parameter: it
 * alone holds a longer name, too. */
static const char *partly(command_line_reader *r, const given *g)
{
  const ts_record *found = entry(r, "partly", g->name);
  const char *longer = ts_arena_printf(r->s->arena, "%s ", g->name);
  if (found && formal(r, g->name) && among(ts_record_find(found, "names"), longer))
    return NULL;
  return reason(r, "partly", g->name, g->word, g->count);
}

static void command_line_take(command_line_reader *r, const given *as_given)
{
  given own = filled(r, *as_given), *g = &own;
  bool open = own.count == 1 && among(field(r, "open"), own.word[0]);
  if (open || (as_given->count && !own.count && unset_word(as_given))) {
    take_nothing(r, g);
    return;
  }
  if (among(field(r, "reads"), g->name)) {
    read_named(r, g);
    return;
  }
  if (unset_word(g) && among(field(r, "loose"), g->name)) {
    take_nothing(r, g); /* what a file leaves to its launcher */
    return;
  }
  if (formal(r, g->name) && unset_word(g)) {
    ts_diag *d = ts_diag_add(r->s->diags, TS_E0708, g->at, "`%s` is `%s`, which nobody sets",
                             g->shown, unset_word(g));
    ts_diag_help(d, "say NAME=VALUE on the command line, or a script that sets it before the file");
    return;
  }
  const char *why = reason(r, "refused", g->name, g->word, g->count);
  if (why) {
    ts_diag *d = ts_diag_add(r->s->diags, TS_E0708, g->at, "`%s` is not followed", g->shown);
    ts_diag_help(d, "%s", why);
    return;
  }
  if ((why = partly(r, g))) {
    ts_diag *d = ts_diag_add(r->s->diags, TS_W0708, g->at, "`%s` is followed in part", g->shown);
    ts_diag_help(d, "%s", why);
  }
  if (formal(r, g->name))
    command_line_follow(r, g);
  else if (!why && is_listed(r, g->name))
    TS_PUSH(r->s->arena, &r->passed, (ts_plan_passed){g->shown, harmless(r, g->name)});
  else if (!why)
    command_line_unknown(r, g);
}

/* -- files of settings: each key is an argument -- */

typedef struct settings_file {
  command_line_reader *r;
  const char *name;
  uint32_t file; /* in the source map */
} settings_file;

static bool formats(const command_line_reader *r, const char *name)
{
  ts_settings_format format;
  static const char *const names[] = {"json", "toml", "yaml"};
  return ts_settings_format_of(name, &format) && among(field(r, "files"), names[format]);
}

static ts_span line_span(const settings_file *f, uint32_t line)
{
  const ts_source *source = ts_sources_get(f->r->s->sources, f->file);
  uint32_t begin = 0, end, size = (uint32_t)source->size;
  for (uint32_t n = 1; begin < size && n < line; begin++)
    n += source->text[begin] == '\n';
  while (begin < size && strchr(" \t", source->text[begin]))
    begin++;
  for (end = begin; end < size && source->text[end] != '\n' && source->text[end] != '\r';)
    end++;
  return (ts_span){f->file, begin, end};
}

static const char *word_of(settings_file *f, const ts_setting *s)
{
  ts_arena *arena = f->r->s->arena;
  switch (s->kind) {
  case TS_SETTING_BOOL: return s->u.truth ? "true" : "false";
  case TS_SETTING_WHOLE: return ts_arena_printf(arena, "%lld", (long long)s->u.whole);
  case TS_SETTING_REAL: return ts_arena_printf(arena, "%.15g", s->u.real);
  case TS_SETTING_TEXT:
  case TS_SETTING_TIME: return s->u.text;
  default: return "none";
  }
}

static bool is_plain(const ts_setting *s)
{
  return s->kind != TS_SETTING_TABLE && s->kind != TS_SETTING_LIST;
}

/* "[a b]" of a file whose framework takes arguments is a and b. */
static void put_words(command_line_reader *r, strings *words, const char *word)
{
  size_t length = strlen(word);
  if (r->files || *word != '[' || word[length - 1] != ']' ||
      strspn(word, "[]0123456789*+(), ") == length) {
    TS_PUSH(r->s->arena, words, word);
    return;
  }
  for (const char *c = word + 1; *c != ']' && *c;) {
    size_t one = strcspn(c, " ,]");
    if (one)
      TS_PUSH(r->s->arena, words, ts_arena_string(r->s->arena, c, one));
    c += one + strspn(c + one, " ,");
  }
}

static void take_key(settings_file *f, const char *key, const ts_setting *s)
{
  command_line_reader *r = f->r;
  strings words = {0};
  bool flag = !r->files && s->kind == TS_SETTING_BOOL; /* --flag: true is there, false is not */
  for (const ts_setting *c = s->kind == TS_SETTING_LIST ? s->child : NULL; c; c = c->next)
    TS_PUSH(r->s->arena, &words, word_of(f, c));
  if (is_plain(s) && !flag)
    put_words(r, &words, word_of(f, s));
  given g = {.name = renamed(r, as_name(r, key, strlen(key))),
             .shown = key,
             .word = words.at,
             .count = (uint32_t)words.count,
             .at = line_span(f, s->line),
             .from = s->line ? ts_arena_printf(r->s->arena, "%s, %s:%u", key, f->name, s->line) :
                               ts_arena_printf(r->s->arena, "%s, %s", key, f->name)};
  if (s->kind == TS_SETTING_NONE || (flag ? !s->u.truth : !words.count))
    take_nothing(r, &g);
  else
    command_line_take(r, &g);
}

/* A list of lists for a parameter that takes lists: as one value. False: it is none. */
static bool take_lists(settings_file *f, const char *key, const ts_setting *s)
{
  command_line_reader *r = f->r;
  const ts_ast *of = formal(r, renamed(r, as_name(r, key, strlen(key))));
  text t = {0};
  if (s->kind != TS_SETTING_LIST || !s->child || !of || !ts_ast_type(of)->name ||
      strcmp(ts_ast_type(of)->name, "List") != 0)
    return false;
  for (const ts_setting *c = s->child; c; c = c->next) {
    if (c->kind != TS_SETTING_LIST)
      return false;
    command_line_put(r, &t, c == s->child ? "[" : ", ");
    command_line_put(r, &t, "[");
    for (const ts_setting *e = c->child; e; e = e->next) {
      if (!is_plain(e))
        return false;
      command_line_put(r, &t, e == c->child ? "" : ", ");
      command_line_put(r, &t, ts_argument_quoted(r->s->arena, word_of(f, e)));
    }
    command_line_put(r, &t, "]");
  }
  command_line_put(r, &t, "]");
  found(r, of->name, ended(r, &t),
        ts_arena_printf(r->s->arena, "%s, %s:%u", key, f->name, s->line));
  return true;
}

/* `key`: the names of the tables that it is in, with dots between. Tables of a list have its
 * name. */
static void take_settings(settings_file *f, const char *key, const ts_setting *s)
{
  const ts_setting *c = s->child;
  if (take_lists(f, key, s))
    return;
  while (c && s->kind == TS_SETTING_LIST && is_plain(c))
    c = c->next;
  if ((s->kind != TS_SETTING_TABLE || !s->child) && !c) {
    take_key(f, key, s);
    return;
  }
  for (c = s->child; c; c = c->next) {
    const char *dot = *key ? "." : "";
    take_settings(f,
                  s->kind == TS_SETTING_TABLE ?
                    ts_arena_printf(f->r->s->arena, "%s%s%s", key, dot, c->name) :
                    key,
                  c);
  }
}

/* A file of settings: what a script writes under its name, else what stands there. */
static const char *text_of(command_line_reader *r, const char *name, ts_span at, size_t *size)
{
  int error = 0;
  for (const ts_launch_file *f = r->written; f; f = f->next)
    if (strcmp(ts_base_name(f->name), ts_base_name(name)) == 0) {
      *size = strlen(f->text);
      return f->text;
    }
  const char *text = ts_read_file(r->s->arena, name, size, &error);
  if (!text)
    ts_diag_add(r->s->diags, TS_E0701, at, "cannot read `%s`: %s", name,
                strerror(error ? error : EIO));
  return text;
}

/* The table, and the record type of its arguments. */
static bool take_table(command_line_reader *r, const ts_record *table)
{
  const char *name = ts_record_text(table, "arguments");
  ts_value type;
  if (!ts_module_lookup(r->s, r->module, ts_lang_intern(r->s->lang, name, strlen(name)), TS_NO_SPAN,
                        &type) ||
      type.type != TS_T_DECL || type.u.decl->kind != TS_AST_RECORD_TYPE)
    return false;
  r->table = table;
  r->formals = ts_ast_formals(type.u.decl);
  return true;
}

/* What a file says can pick another table (`picks`, { key, value, table }). */
static void pick_table(command_line_reader *r, const ts_setting *root)
{
  const ts_value *list = field(r, "picks");
  for (uint32_t i = 0; list && list->type == TS_T_LIST && i < list->u.list->count; i++) {
    const ts_record *one = list->u.list->at[i].u.record;
    const char *text = ts_settings_text(root, ts_record_text(one, "key"));
    if (text && strcmp(text, ts_record_text(one, "value")) == 0)
      take_table(r, ts_record_find(one, "table")->u.record);
  }
}

static void command_line_settings(command_line_reader *r, const char *name, ts_span at)
{
  ts_settings_format format;
  ts_settings_wrong wrong;
  size_t size = 0;
  const char *text = text_of(r, name, at, &size);
  if (!text)
    return;
  settings_file f = {r, ts_base_name(name),
                     ts_sources_add(r->s->sources, name, "settings", text, size)};
  ts_settings_format_of(name, &format);
  r->read = true;
  const ts_setting *root = ts_settings_read(r->s->arena, format, text, size, &wrong);
  if (root && root->kind == TS_SETTING_TABLE) {
    const char *outer = r->reading;
    r->reading = name;
    pick_table(r, root);
    take_settings(&f, "", root);
    r->reading = outer;
    return;
  }
  ts_diag_add(r->s->diags, TS_E0708, wrong.line ? line_span(&f, wrong.line) : TS_NO_SPAN,
              "`%s` cannot be used as settings: %s", name, root ? "it has no keys" : wrong.why);
}

static bool is_there(const char *name) { return access(name, R_OK) == 0; }

/* A file that is named in another: beside it, or from a folder above, as where jobs begin at the
 * top of their repository. */
static const char *beside(command_line_reader *r, const char *name)
{
  const char *from = r->reading ? r->reading : r->script ? r->script : "";
  for (size_t length = strlen(from); length; length--) {
    if (from[length - 1] != '/')
      continue;
    const char *path = ts_arena_printf(r->s->arena, "%.*s%s", (int)length, from, name);
    if (is_there(path))
      return path;
  }
  return name;
}

/* A file that is not there, of a name that says what is in it (`named`, { names, keys, why }). */
static bool take_by_name(command_line_reader *r, const given *g, const char *name)
{
  const ts_record *known = is_there(name) ? NULL : entry(r, "named", ts_base_name(name));
  const ts_value *keys = known ? ts_record_find(known, "keys") : NULL;
  if (!keys || keys->type != TS_T_LIST)
    return false;
  ts_diag *d = ts_diag_add(r->s->diags, TS_W0708, g->at, "cannot read `%s`", name);
  ts_diag_help(d, "%s", ts_record_text(known, "why"));
  for (uint32_t i = 0; i < keys->u.list->count; i++) {
    const ts_value *of = &keys->u.list->at[i];
    const char *key = of->type == TS_T_STRING ? of->u.string : "", *equals = strchr(key, '=');
    if (!equals) /* the library's table has them all */
      continue;
    const char *value = equals + 1;
    given one = *g;
    one.name = ts_arena_string(r->s->arena, key, (size_t)(value - key - 1));
    one.word = ts_arena_copy(r->s->arena, &value, sizeof value);
    one.count = 1;
    command_line_take(r, &one);
  }
  return true;
}

/* An argument that names a file of settings. */
static void read_named(command_line_reader *r, const given *g)
{
  const char *name = g->count ? g->word[0] : "";
  bool written = false;
  for (const ts_launch_file *f = r->written; f; f = f->next)
    written |= strcmp(ts_base_name(f->name), ts_base_name(name)) == 0;
  if (*name && *name != '/' && !written)
    name = beside(r, name);
  if (!g->count) {
    take_nothing(r, g);
  } else if (!written && take_by_name(r, g, name)) {
    return;
  } else if (formats(r, name)) {
    command_line_settings(r, name, g->at);
  } else {
    ts_diag *d = ts_diag_add(r->s->diags, TS_E0708, g->at, "`%s` names `%s`, which is not read",
                             g->shown, name);
    ts_diag_help(d, "settings are files that end in .json, .toml or .yaml");
  }
}

/* Where the word stands, if a script has it. */
static const char *where(command_line_reader *r, uint32_t i, const char *word)
{
  if (i < r->script_begin || i >= r->script_end)
    return NULL;
  uint32_t line = ts_launch_line(r->script_text, word);
  const char *file = ts_base_name(r->script);
  return line ? ts_arena_printf(r->s->arena, "%s, %s:%u", word, file, line) :
                ts_arena_printf(r->s->arena, "%s, %s", word, file);
}

/* NAME=VALUE */
static bool sets_variable(const char *word)
{
  size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  return length && word[length] == '=';
}

/* Before the arguments it is a variable of the environment. */
static bool variable(command_line_reader *r, uint32_t i)
{
  const char *word = r->line->word[i], *equals = strchr(word, '=');
  if (!sets_variable(word))
    return false;
  const char *value = equals + 1;
  given g = {as_name(r, word, (size_t)(equals - word)),
             word,
             &value,
             1,
             span_of(r, i, i),
             where(r, i, word)};
  if (formal(r, g.name) && !strstr(value, "${"))
    command_line_take(r, &g);
  return true; /* what the table does not follow: NCCL's, CUDA's, a user's */
}

/* KEY=VALUE, --KEY=VALUE */
static bool take_equals(command_line_reader *r, uint32_t i, const char *word)
{
  const char *equals = strchr(word, '=');
  if (!equals || equals == word)
    return false;
  const char *value = equals + 1;
  const char *key = ts_arena_string(r->s->arena, word, (size_t)(equals - word));
  given g = {
    renamed(r, as_name(r, key, strlen(key))),
    r->files ? key : r->line->word[i],
    &value,
    1,
    span_of(r, i, i),
    where(r, i, ts_arena_string(r->s->arena, r->line->word[i], strcspn(r->line->word[i], "=")))};
  command_line_take(r, &g);
  return true;
}

static bool begins_argument(const char *word)
{
  return word[0] == '-' && word[1] == '-' && isalpha((unsigned char)word[2]);
}

/* The k-th word that is no argument is a value of its own, if the table names it (`words`). */
static const char *named_word(const command_line_reader *r, uint32_t k)
{
  const ts_value *list = field(r, "words");
  return list && list->type == TS_T_LIST && k < list->u.list->count ? list->u.list->at[k].u.string :
                                                                      NULL;
}

/* The framework's program, x.py; words before it are a launcher's. UINT32_MAX: it is not named. */
static uint32_t program_of(const ts_command_line *l)
{
  for (uint32_t i = 0; i < l->word_count; i++) {
    const char *dot = strrchr(l->word[i], '.');
    if (dot && strcmp(dot, ".py") == 0 && !begins_argument(l->word[i]))
      return i;
  }
  return UINT32_MAX;
}

/* Word i, which is no argument. False: nobody knows what it is. */
static bool take_word(command_line_reader *r, uint32_t i, uint32_t program, uint32_t *named)
{
  const char *word = r->line->word[i], *base = ts_base_name(word);
  if (i == program && formal(r, "script")) {
    const char *script = ts_arena_string(r->s->arena, base, strlen(base) - 3);
    found(r, "script", ts_argument_quoted(r->s->arena, script), NULL);
    return true;
  }
  if (named_word(r, *named) && !sets_variable(word)) {
    found(r, named_word(r, (*named)++), ts_argument_quoted(r->s->arena, word), NULL);
    return true;
  }
  if (formats(r, word)) {
    command_line_settings(r, word, span_of(r, i, i));
    return true;
  }
  return variable(r, i) || (r->files && take_equals(r, i, word)) || program != UINT32_MAX ||
         (i >= r->script_begin && i < r->script_end);
}

/* --nproc_per_node N before the program: `launch_nproc_per_node`, if the framework has it. */
static void take_launcher(command_line_reader *r, uint32_t i)
{
  const char *word = r->line->word[i] + 2, *equals = strchr(word, '=');
  const char *value = equals ? equals + 1 : i + 1 < r->line->word_count ? r->line->word[i + 1] : "";
  given g = {ts_arena_printf(r->s->arena, "launch_%s",
                             as_name(r, word, equals ? (size_t)(equals - word) : strlen(word))),
             r->line->word[i],
             &value,
             1,
             span_of(r, i, i),
             where(r, i, r->line->word[i])};
  value = ts_launch_expanded(r->s->arena, value, r->given, r->given_count, false);
  if (!strstr(value, "${") && (formal(r, g.name) || among(field(r, "reads"), g.name)))
    command_line_take(r, &g);
}

/* Words before the arguments end with the program; those of files have theirs behind it, too. */
static bool before_arguments(const command_line_reader *r, uint32_t i, uint32_t program)
{
  bool started = program >= r->script_begin && program < r->script_end;
  return (program == UINT32_MAX || r->files) && !started ? !begins_argument(r->line->word[i]) :
                                                           i <= program;
}

static void read_words(command_line_reader *r)
{
  const ts_command_line *l = r->line;
  uint32_t program = program_of(l), i = 0, named = 0;
  for (; i < l->word_count && before_arguments(r, i, program); i++)
    if (begins_argument(l->word[i]))
      take_launcher(r, i);
    else if (!take_word(r, i, program, &named))
      ts_diag_add(r->s->diags, TS_E0708, span_of(r, i, i),
                  "`%s` is no argument, no program and no variable", l->word[i]);
  while (i < l->word_count) {
    uint32_t first = i++;
    const char *word = l->word[first] + 2;
    if (!begins_argument(l->word[first]) && first >= r->script_begin && first < r->script_end)
      continue; /* of a value with blanks, or a shell's */
    if (take_equals(r, first, word))
      continue;
    while (i < l->word_count && !begins_argument(l->word[i]))
      i++;
    given g = {renamed(r, as_name(r, word, strlen(word))),
               r->files ? word : l->word[first],
               l->word + first + 1,
               i - first - 1,
               span_of(r, first, i - 1),
               where(r, first, l->word[first])};
    command_line_take(r, &g);
  }
}

/* A file of Python is no settings: what it says is known when it runs. */
static void refuse_python(command_line_reader *r)
{
  uint32_t program = program_of(r->line);
  if (r->files && !r->read && !r->found.count && program != UINT32_MAX)
    ts_diag_add(r->s->diags, TS_E0708, span_of(r, program, program),
                "`%s` is Python, which is not run here: give what `trainspec.registry` reads in it",
                r->line->word[program]);
}

/* -- scripts: their words, as a shell would hand them over, stand for them -- */

static bool is_script(const command_line_reader *r, const char *word)
{
  const char *dot = strrchr(word, '.');
  return dot && !begins_argument(word) && among(field(r, "files"), "sh") &&
         ts_text_among("sh slurm sbatch bash", dot + 1);
}

static void put_script(command_line_reader *r, strings *words, strings *given, const char *name)
{
  ts_arena *arena = r->s->arena;
  size_t size = 0;
  const char *text = text_of(r, name, TS_NO_SPAN, &size);
  if (!text)
    return;
  ts_launch_script script =
    ts_launch_script_read(arena, text, size, given->at, (uint32_t)given->count);
  r->script_begin = (uint32_t)words->count;
  for (uint32_t i = 0; i < script.word_count; i++)
    TS_PUSH(arena, words, script.word[i]);
  for (const ts_launch_variable *v = script.variable; v; v = v->next)
    if (!strstr(v->value, "${"))
      TS_PUSH(arena, given, ts_arena_printf(arena, "%s=%s", v->name, v->value));
  r->script = name;
  r->script_text = text;
  r->script_end = (uint32_t)words->count;
  r->written = script.file;
  r->read = true;
  if (!script.word_count)
    ts_diag_add(r->s->diags, TS_E0708, TS_NO_SPAN, "`%s` starts nothing that takes arguments",
                name);
}

/* Files of settings first, then the words of scripts, then arguments of the command line. */
static void put_all_words(command_line_reader *r, const ts_command_line *line)
{
  strings words = {0}, given = {0};
  uint32_t first = 0;
  while (first < line->word_count && !begins_argument(line->word[first]))
    first++;
  for (uint32_t i = 0; i < first; i++) {
    if (sets_variable(line->word[i]))
      TS_PUSH(r->s->arena, &given, line->word[i]);
    if (!is_script(r, line->word[i]))
      TS_PUSH(r->s->arena, &words, line->word[i]);
  }
  for (uint32_t i = 0; i < first; i++)
    if (is_script(r, line->word[i]))
      put_script(r, &words, &given, line->word[i]);
  for (uint32_t i = first; i < line->word_count; i++)
    TS_PUSH(r->s->arena, &words, line->word[i]);
  r->given = given.at;
  r->given_count = (uint32_t)given.count;
  r->own = *line;
  r->own.word = words.at;
  r->own.word_count = (uint32_t)words.count;
  r->line = &r->own;
}

static ts_module *framework(ts_session *s, const char *name)
{
  const char *import = ts_arena_printf(s->arena, "import std.frameworks.%s\n", name);
  ts_embedded_file *given = TS_NEW(s->arena, ts_embedded_file);
  *given = (ts_embedded_file){.path = ts_arena_printf(s->arena, "<framework %s>", name),
                              .bytes = (const unsigned char *)import,
                              .size = strlen(import)};
  s->files->given = given;
  s->files->given_count = 1;
  return ts_module_load(s, given->path);
}

static const char *table_name(ts_session *s) { return ts_lang_intern(s->lang, "command_line", 12); }

void ts_command_line_frameworks(ts_session *s, ts_name_list *names)
{
  size_t count;
  const char *const *files = ts_session_std_files(s, "std/frameworks/", &count);
  for (size_t i = 0; i < count; i++) {
    const ts_module *module = framework(s, files[i]);
    if (module && ts_module_find(module, table_name(s)))
      TS_PUSH(s->arena, &names->names, files[i]);
  }
}

static bool load(command_line_reader *r)
{
  ts_session *s = r->s;
  ts_value table;
  r->module = framework(s, r->line->framework);
  return r->module && !ts_diags_errors(s->diags) &&
         ts_module_lookup(s, r->module, table_name(s), TS_NO_SPAN, &table) &&
         table.type == TS_T_RECORD && take_table(r, table.u.record);
}

/* The words as one text, so that messages can point at them. */
static void map_words(command_line_reader *r)
{
  text t = {0};
  r->begin = TS_NEW_ARRAY(r->s->arena, uint32_t, r->line->word_count + 1);
  for (uint32_t i = 0; i < r->line->word_count; i++) {
    if (i)
      command_line_put(r, &t, begins_argument(r->line->word[i]) ? "\n" : " ");
    r->begin[i] = (uint32_t)t.count;
    command_line_put(r, &t, r->line->word[i]);
  }
  const char *all = ended(r, &t);
  r->file = ts_sources_add(r->s->sources, "<arguments>", "arguments", all, strlen(all));
}

static const char *plan_text(command_line_reader *r)
{
  const ts_command_line *l = r->line;
  const char *gpus = r->read ? ts_record_text(r->table, "gpus") : "";
  return ts_argument_plan_text(r->s->arena,
                               &(ts_argument_plan){
                                 .table = r->table,
                                 .framework = l->framework,
                                 .gpus = l->gpus ? l->gpus :
                                         *gpus   ? gpus :
                                                   "8",
                                 .gpu = l->gpu ? l->gpu : ts_record_text(r->table, "gpu"),
                                 .formals = &r->formals,
                                 .found = r->found.at,
                                 .found_count = r->found.count,
                                 .passed = r->passed.at,
                                 .passed_count = r->passed.count,
                                 .by_reason = r->files,
                               });
}

const char *ts_command_line_plan(ts_session *s, const ts_command_line *line, size_t *size)
{
  command_line_reader r = {.s = s, .line = line};
  if (!load(&r)) {
    if (!ts_diags_errors(s->diags))
      ts_diag_add(s->diags, TS_E0708, TS_NO_SPAN, "`std.frameworks.%s` has no `command_line`",
                  line->framework);
    return NULL;
  }
  r.files = field(&r, "files") && !field(&r, "dashes");
  put_all_words(&r, line);
  map_words(&r);
  read_words(&r);
  refuse_python(&r);
  if (ts_diags_errors(s->diags))
    return NULL;
  const char *plan = plan_text(&r);
  const char *formatted =
    ts_format(s->lang, ts_sources_add(s->sources, "<plan>", "plan", plan, strlen(plan)), size);
  return formatted ? ts_arena_string(s->arena, formatted, *size) : NULL;
}
