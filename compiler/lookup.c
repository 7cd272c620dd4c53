#include "compiler/lookup.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "compiler/eval/action_form.h"
#include "compiler/eval/files.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/record_type.h"
#include "compiler/eval/running.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/eval/vocabulary.h"
#include "ir/spelling.h"

enum { MAX_SIGNATURE = 160 };

static const struct {
  const char *name, *type;
} plan_fields[] = {
#define FIELD(name, type) {#name, #type},
#include "compiler/plan/plan_fields.def"
#undef FIELD
};

static const char *const keywords[] = {
#define RESERVED(token, spelling) spelling,
#define CONTEXTUAL(token, spelling) spelling,
#include "lang/keywords.def"
#undef RESERVED
#undef CONTEXTUAL
};

static const char *const units[] = {
#define UNIT(name, factor, ...) name,
#include "lang/units.def"
#undef UNIT
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool lookup_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const ts_source *lookup_text_of(const ts_session *s, uint32_t file)
{
  return ts_sources_get(s->sources, file);
}

/* ---- Names ---- */

const ts_use *ts_lookup_use(const ts_session *s, uint32_t file, uint32_t offset)
{
  const ts_use *found = NULL;
  for (size_t i = 0; s->running->uses && i < s->running->uses->all.count; i++) {
    const ts_use *use = &s->running->uses->all.at[i];
    if (use->span.file == file && use->span.begin <= offset && offset <= use->span.end &&
        (!found || use->span.begin > found->span.begin))
      found = use; /* between two names that touch, the one that begins here */
  }
  return found;
}

const char *ts_lookup_dotted(ts_session *s, uint32_t file, uint32_t offset)
{
  const ts_source *source = lookup_text_of(s, file);
  size_t begin = offset, end = offset;
  while (begin > 0 && (lookup_is_word(source->text[begin - 1]) || source->text[begin - 1] == '.'))
    begin--;
  while (end < source->size && (lookup_is_word(source->text[end]) || source->text[end] == '.'))
    end++;
  return end > begin ? ts_arena_string(s->arena, source->text + begin, end - begin) : NULL;
}

static void find_labels(ts_session *s, const ts_ast *node, const char *label, ts_spans *places)
{
  if (!node)
    return;
  if (node->kind == TS_AST_LABEL && !strcmp(node->name, label))
    TS_PUSH(s->arena, &places->all, node->span);
  for (uint32_t i = 0; i < node->count; i++)
    find_labels(s, node->child[i], label, places);
}

void ts_lookup_labels(ts_session *s, const char *label, ts_spans *places)
{
  for (size_t i = 0; i < ts_module_count(s); i++)
    find_labels(s, ts_module_at(s, i)->ast, label, places);
}

const ts_module *ts_lookup_import(ts_session *s, const ts_module *m, uint32_t offset)
{
  (void)s;
  for (size_t i = 0; i < m->imports.count; i++) {
    ts_span span = m->imports.at[i].span;
    if (span.file == m->file && span.begin <= offset && offset <= span.end)
      return m->imports.at[i].module;
  }
  return NULL;
}

/* ---- What a name means ---- */

/* On one line, cut where a body begins or where it grows too long. */
static const char *line_of(const ts_session *s, ts_span span)
{
  const char *text = lookup_text_of(s, span.file)->text + span.begin;
  size_t size = span.end - span.begin, used = 0;
  char *line = ts_arena_alloc(s->arena, size + 4);
  bool blank = false, quoted = false;
  for (size_t i = 0; i < size && used < MAX_SIGNATURE; i++) {
    quoted ^= text[i] == '"';
    if (!quoted && !strncmp(text + i, "//", 2))
      i += strcspn(text + i, "\n");
    if (isspace((unsigned char)text[i])) {
      blank = used > 0;
      continue;
    }
    if (blank)
      line[used++] = ' ';
    blank = false;
    line[used++] = text[i];
  }
  if (used >= MAX_SIGNATURE) {
    memcpy(line + used, "...", 3);
    used += 3;
  }
  line[used] = '\0';
  return line;
}

static const ts_ast *lookup_source_of(const ts_ast *node)
{
  switch (node->kind) {
  case TS_AST_LET:
  case TS_AST_PARAM:
  case TS_AST_GPU:
  case TS_AST_GPU_IS:
  case TS_AST_FORMAL:
  case TS_AST_FIELD: return ts_ast_source(node);
  default: return NULL;
  }
}

const char *ts_lookup_signature(const ts_session *s, const ts_ast *node)
{
  ts_span span = node->span;
  const ts_ast *params = ts_decl_params(node);
  const char *brace;
  switch (node->kind) {
  case TS_AST_FN:
  case TS_AST_EXTERN:
    span.end = ts_ast_type(node) ? ts_ast_type(node)->span.end : params->span.end;
    break;
  case TS_AST_GPU:
  case TS_AST_PROTOCOL:
  case TS_AST_SEARCH:
  case TS_AST_FOR:
  case TS_AST_AT:
    brace = memchr(lookup_text_of(s, span.file)->text + span.begin, '{', span.end - span.begin);
    span.end = brace ? (uint32_t)(brace - lookup_text_of(s, span.file)->text) : span.end;
    break;
  case TS_AST_LABEL: return ts_arena_printf(s->arena, "repeat ... as %s", node->name);
  default: span.end = params ? params->span.end : span.end;
  }
  if (lookup_source_of(node) && lookup_source_of(node)->span.begin < span.end)
    span.end = lookup_source_of(node)->span.begin - (uint32_t)strlen(" source ");
  return line_of(s, span);
}

/* The line that ends at `end`, if it is a comment: *begin and its text from *from on. */
static bool comment_line(const char *text, size_t end, size_t *begin, size_t *from)
{
  for (*begin = end; *begin > 0 && text[*begin - 1] != '\n';)
    --*begin;
  for (*from = *begin; *from < end && isblank((unsigned char)text[*from]);)
    ++*from;
  if (end - *from < 2 || memcmp(text + *from, "//", 2) != 0)
    return false;
  *from += 2;
  *from += *from < end && text[*from] == ' ';
  return true;
}

/* The comment at the end of the line, behind a parameter or a field that is alone on it; "": none.
 * */
static const char *comment_behind(const ts_session *s, const ts_ast *node)
{
  const char *text = lookup_text_of(s, node->span.file)->text, *end = text + node->span.end;
  end += strspn(end, ", ");
  if (strncmp(end, "//", 2) != 0)
    return "";
  end += 2 + (end[2] == ' ');
  return ts_arena_string(s->arena, end, strcspn(end, "\n"));
}

static bool is_part(const ts_ast *node)
{
  return node->kind == TS_AST_FORMAL || node->kind == TS_AST_FIELD;
}

const char *ts_lookup_comment(const ts_session *s, const ts_ast *node)
{
  const char *text = lookup_text_of(s, node->span.file)->text;
  size_t line = node->span.begin, begin, from, used;
  bool alone = true;
  for (; line > 0 && text[line - 1] != '\n'; line--)
    alone &= isblank((unsigned char)text[line - 1]) != 0;
  if (is_part(node) && (!alone || *comment_behind(s, node)))
    return alone ? comment_behind(s, node) : "";
  size_t first = line;
  while (first > 0 && comment_line(text, first - 1, &begin, &from))
    first = begin;
  char *comment = ts_arena_alloc(s->arena, line - first + 1);
  used = line - first;
  comment[used] = '\0';
  for (size_t end = line; end > first; end = begin) { /* backwards, as their beginnings are found */
    comment_line(text, end - 1, &begin, &from);
    used -= end - from;
    memcpy(comment + used, text + from, end - from);
  }
  return comment + used;
}

static const char *lookup_value_of(ts_session *s, const ts_plan *plan, const ts_use *use)
{
  ts_value v = ts_none_value();
  const ts_module *m = ts_module_of(s, use->node->span.file);
  const ts_visible *top = m ? ts_module_find(m, use->node->name) : NULL;
  if (top && top->entry->decl == use->node &&
      (use->node->kind == TS_AST_LET || use->node->kind == TS_AST_PARAM)) {
    v = ts_entry_value(s, top->entry);
  } else if (plan && use->node->kind == TS_AST_FORMAL &&
             plan->decl->span.file == use->node->span.file &&
             plan->decl->span.begin <= use->node->span.begin &&
             use->node->span.end <= plan->decl->span.end) {
    if (!ts_env_lookup(plan->env, use->node->name, &v))
      return NULL;
  } else {
    for (uint32_t i = 0; plan && use->node->kind == TS_AST_FIELD && i < s->mesh->count; i++)
      if (!strcmp(s->mesh->axis[i].name, use->node->name))
        return ts_arena_printf(s->arena, "%" PRId64 " ranks", s->mesh->axis[i].size);
    return NULL;
  }
  return v.type == TS_T_ERROR || v.type == TS_T_NONE || v.type == TS_T_FUNCTION ?
           NULL :
           ts_value_print(s->arena, v);
}

static const char *built_in(ts_session *s, const char *name)
{
  const ts_value *v = ts_names_get(&s->vocabulary->builtins, name);
  const ts_type_info *type = v ? NULL : ts_record_type_built_in(s, name);
  if (type)
    return ts_arena_printf(s->arena, "```\n%s\n```\nbuilt in", line_of(s, type->record->span));
  if (!v || v->type != TS_T_FUNCTION)
    return ts_arena_printf(s->arena, "```\n%s\n```\nbuilt in", name);
  const ts_function *f = v->u.function;
  const char *list = "";
  for (uint32_t i = 0; i < f->formal_count; i++) {
    const ts_maker_formal *formal = &f->formals[i];
    bool typed = formal->type && *formal->type;
    list =
      ts_arena_printf(s->arena, "%s%s%s%s%s%s", list, i ? ", " : "", formal->name,
                      typed ? ": " : "", typed ? formal->type : "", formal->optional ? "?" : "");
  }
  return ts_arena_printf(s->arena, "```\n%s(%s)\n```\nbuilt in", name, list);
}

/* Bytes of a code span that is one wherever its line stands; 0: none begins here. */
static size_t code_span(const char *text)
{
  size_t inside = *text == '`' ? strcspn(text + 1, "`|\n") : 0;
  return inside && text[1 + inside] == '`' && text[2 + inside] != '`' ? inside + 2 : 0;
}

/* Markdown of strangers: emphasis, lists and code stay, but nothing that an editor would fetch,
 * link or take for HTML. */
static const char *prose(ts_arena *arena, const char *text)
{
  char *all = ts_arena_alloc(arena, 2 * strlen(text) + 1), *end = all;
  for (size_t n; *text; text += n, end += n) {
    n = code_span(text);
    if (!n && strchr("<[\\`", *text))
      *end++ = '\\';
    n = n ? n : 1;
    memcpy(end, text, n);
  }
  *end = '\0';
  return all;
}

/* A code span ends at a backtick. */
static const char *code(ts_arena *arena, const char *text)
{
  char *all = ts_arena_string(arena, text, strlen(text));
  for (char *at = all; (at = strchr(at, '`'));) *at = '\'';
  return all;
}

static void add_note(ts_session *s, const ts_ast *part, ts_notes *notes)
{
  const ts_ast *source = lookup_source_of(part);
  char *comment = ts_arena_printf(s->arena, "%s", ts_lookup_comment(s, part));
  for (char *at = comment; (at = strchr(at, '\n'));) /* on one line */
    *at = at[1] ? ' ' : '\0';
  if (*comment || source)
    TS_PUSH(s->arena, &notes->all, (ts_note){part->name, comment, source ? source->literal : NULL});
}

void ts_lookup_notes(ts_session *s, const ts_ast *decl, ts_notes *notes)
{
  const ts_ast *parts = ts_decl_params(decl);
  if (decl->kind == TS_AST_RECORD_TYPE || decl->kind == TS_AST_GPU)
    parts = decl;
  else if (decl->kind == TS_AST_LET || decl->kind == TS_AST_GPU_IS)
    parts = ts_ast_value(decl);
  notes->source = lookup_source_of(decl) ? lookup_source_of(decl)->literal : NULL;
  for (uint32_t i = 0; parts && i < parts->count; i++)
    if (parts->child[i] && is_part(parts->child[i]))
      add_note(s, parts->child[i], notes);
}

static const char *notes_of(ts_session *s, const ts_ast *decl)
{
  ts_notes notes = {0};
  const char *text = "";
  ts_lookup_notes(s, decl, &notes);
  for (size_t i = 0; i < notes.all.count; i++) {
    const ts_note *n = &notes.all.at[i];
    text = ts_arena_printf(s->arena, "%s\n- `%s`%s%s", text, n->name, *n->comment ? ": " : "",
                           prose(s->arena, n->comment));
    if (n->source)
      text = ts_arena_printf(s->arena, "%s (source: %s)", text, prose(s->arena, n->source));
  }
  return notes.source ?
           ts_arena_printf(s->arena, "\nSource: %s\n%s", prose(s->arena, notes.source), text) :
           text;
}

const char *ts_lookup_describe(ts_session *s, const ts_plan *plan, const ts_use *use)
{
  if (!use->node)
    return built_in(s, use->name);
  const char *value = lookup_value_of(s, plan, use), *comment = ts_lookup_comment(s, use->node);
  const ts_module *m = ts_module_of(s, use->node->span.file);
  bool elsewhere = m && use->node->span.file != use->span.file;
  return ts_arena_printf(s->arena, "```\n%s\n```\n%s%s%s%s%s%s%s%s",
                         ts_lookup_signature(s, use->node), value ? "= `" : "",
                         value ? code(s->arena, value) : "", value ? "`\n\n" : "",
                         prose(s->arena, comment), notes_of(s, use->node), elsewhere ? "\n*" : "",
                         elsewhere ? prose(s->arena, m->name) : "", elsewhere ? "*" : "");
}

/* ---- Calls that are open ---- */

static uint32_t word_before(const char *text, uint32_t offset)
{
  while (offset > 0 && lookup_is_word(text[offset - 1]))
    offset--;
  return offset;
}

/* The text before `offset`, with blanks for what opens nothing: text in quotes and comments.
 * *inside: `offset` is in such. */
static const char *bare(ts_arena *arena, const char *text, uint32_t offset, bool *inside)
{
  char *copy = ts_arena_string(arena, text, offset);
  bool quoted = false, comment = false;
  for (uint32_t i = 0; i < offset; i++) {
    if (text[i] == '\n')
      quoted = comment = false;
    comment |= !quoted && text[i] == '/' && text[i + 1] == '/';
    copy[i] = quoted || comment ? ' ' : text[i];
    if (text[i] == '"' && !comment && (i == 0 || text[i - 1] != '\\'))
      quoted = !quoted;
  }
  *inside = quoted || comment;
  return copy;
}

static const char *name_of_argument(ts_session *s, const char *text, uint32_t begin, uint32_t end)
{
  while (begin < end && isspace((unsigned char)text[begin]))
    begin++;
  uint32_t stop = begin;
  while (stop < end && lookup_is_word(text[stop]))
    stop++;
  uint32_t colon = stop;
  while (colon < end && isblank((unsigned char)text[colon]))
    colon++;
  return stop > begin && colon < end && text[colon] == ':' ?
           ts_lang_intern(s->lang, text + begin, stop - begin) :
           NULL;
}

bool ts_lookup_call(ts_session *s, const ts_module *m, uint32_t offset, ts_open_call *call)
{
  const char *text = lookup_text_of(s, m->file)->text;
  uint32_t depth = 0, argument = 0, begin = offset;
  bool first = true, inside;
  const char *plain = bare(s->arena, text, offset, &inside);
  *call = (ts_open_call){0};
  for (uint32_t i = offset; i-- > 0;) {
    if (!plain[i] || !strchr("()[]{},", plain[i]))
      continue;
    if (strchr(")]}", plain[i])) {
      depth++;
    } else if (plain[i] == ',') {
      argument += depth == 0;
    } else if (depth > 0) {
      depth--;
    } else if (plain[i] == '(') {
      uint32_t name = word_before(text, i);
      if (name == i)
        return false;
      call->name = ts_lang_intern(s->lang, text + name, i - name);
      call->begin = i + 1;
      call->argument = argument;
      break;
    } else if (plain[i] == '{') {
      return false;
    } else {
      argument = 0; /* a list is one argument */
    }
    if (first && depth == 0 && plain[i] == ',')
      begin = i + 1, first = false;
  }
  if (!call->name)
    return false;
  call->named = name_of_argument(s, text, first ? call->begin : begin, offset);
  const ts_visible *v = ts_module_find(m, call->name);
  const ts_value *built = v ? NULL : ts_names_get(&s->vocabulary->builtins, call->name);
  call->params = v ? ts_decl_params(v->entry->decl) : NULL;
  call->maker = built && built->type == TS_T_FUNCTION ? built->u.function : NULL;
  return call->params || call->maker;
}

/* ---- What may be written ---- */

typedef struct proposing {
  ts_session *s;
  const ts_module *m;
  const char *text, *bare;
  uint32_t begin, offset;
  ts_proposals *list;
} proposing;

static void propose(const proposing *p, ts_proposal_kind kind, const char *text, const char *detail)
{
  size_t typed = p->offset - p->begin;
  if (strncmp(text, p->text + p->begin, typed) == 0)
    TS_PUSH(p->s->arena, &p->list->all, (ts_proposal){kind, text, detail});
}

static ts_proposal_kind lookup_kind_of(ts_kind kind)
{
  bool value = kind == TS_AST_LET || kind == TS_AST_PARAM || kind == TS_AST_GPU ||
               kind == TS_AST_GPU_IS;
  return kind == TS_AST_RECORD_TYPE ? TS_PROPOSE_TYPE :
         value                      ? TS_PROPOSE_VALUE :
                                      TS_PROPOSE_FUNCTION;
}

static uint32_t line_begin(const char *text, uint32_t offset)
{
  while (offset > 0 && text[offset - 1] != '\n')
    offset--;
  return offset;
}

static bool is_import(const char *line)
{
  return !strncmp(line, "import ", 7) || !strncmp(line, "export import ", 14);
}

/* The file of the standard library, or one that was read, that a path of an import names. */
static const ts_ast *imported_tree(ts_session *s, const char *path, size_t length,
                                   const ts_module **m)
{
  bool quoted = length > 1 && *path == '"';
  char *name = quoted ? ts_arena_string(s->arena, path + 1, length - 2) :
                        ts_arena_printf(s->arena, "%.*s.ts", (int)length, path);
  for (char *c = name; !quoted && c < name + length; c++)
    *c = *c == '.' ? '/' : *c;
  const char *other =
    quoted ? name : ts_arena_printf(s->arena, "%.*s.trainspec", (int)length, name);
  for (size_t i = 0; i < ts_module_count(s); i++)
    if (!strcmp(ts_module_at(s, i)->name, name) || !strcmp(ts_module_at(s, i)->name, other)) {
      *m = ts_module_at(s, i);
      return (*m)->ast;
    }
  const ts_embedded_file *file = quoted ? NULL : ts_session_embedded(name);
  return file ? ts_parse_file(s->lang, ts_sources_add(s->sources, name, "stdlib",
                                                      (const char *)file->bytes, file->size)) :
                NULL;
}

/* `import std.schedules.hop (ri|`: what the file has for others. */
static bool propose_imported(const proposing *p)
{
  uint32_t open = p->begin;
  while (open > 0 && (lookup_is_word(p->bare[open - 1]) ||
                      (p->bare[open - 1] && strchr(", \n", p->bare[open - 1]))))
    open--;
  if (open == 0 || p->bare[open - 1] != '(' || !is_import(p->text + line_begin(p->text, open)))
    return false;
  uint32_t end = open - 1;
  while (end > 0 && p->text[end - 1] == ' ')
    end--;
  uint32_t begin = end;
  while (begin > 0 && !strchr(" ,", p->text[begin - 1]))
    begin--;
  const ts_module *m = NULL;
  const ts_ast *tree = imported_tree(p->s, p->text + begin, end - begin, &m);
  ts_seen_list seen = {0};
  if (m)
    ts_module_exports(p->s, m, &seen);
  for (size_t i = 0; i < seen.all.count; i++)
    propose(p, lookup_kind_of(seen.all.at[i].entry->decl->kind), seen.all.at[i].name,
            ts_lookup_signature(p->s, seen.all.at[i].entry->decl));
  for (uint32_t i = 0; !m && tree && i < tree->count; i++)
    if (tree->child[i] && tree->child[i]->name && *tree->child[i]->name != '_')
      propose(p, lookup_kind_of(tree->child[i]->kind), tree->child[i]->name,
              ts_lookup_signature(p->s, tree->child[i]));
  return true;
}

/* `import std.mod|`: the word goes back over its dots. */
static bool propose_files(proposing *p)
{
  uint32_t line = line_begin(p->text, p->offset), begin = p->begin;
  if (!is_import(p->text + line))
    return false;
  while (begin > line && (lookup_is_word(p->text[begin - 1]) || p->text[begin - 1] == '.'))
    begin--;
  p->begin = p->list->begin = begin;
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const char *path = ts_stdlib_files[i].path;
    size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 3, ".ts") || !strcmp(path, "prelude.ts"))
      continue;
    char *name = ts_arena_printf(p->s->arena, "std.%.*s", (int)(length - 3), path);
    for (char *c = name; *c; c++)
      *c = *c == '/' ? '.' : *c;
    propose(p, TS_PROPOSE_FILE, name, NULL);
  }
  return true;
}

/* After a number and a blank, or none. */
static bool propose_units(const proposing *p)
{
  uint32_t at = p->begin;
  while (at > 0 && p->text[at - 1] == ' ')
    at--;
  if (at == 0 || !isdigit((unsigned char)p->text[at - 1]))
    return false;
  uint32_t number = at;
  while (number > 0 && (lookup_is_word(p->text[number - 1]) || p->text[number - 1] == '.'))
    number--;
  if (!isdigit((unsigned char)p->text[number]) ||
      (at == p->begin && p->begin < p->offset && isdigit((unsigned char)p->text[p->begin])))
    return false;
  for (size_t i = 0; i < COUNT(units); i++)
    propose(p, TS_PROPOSE_UNIT, units[i], NULL);
  return true;
}

static const ts_ast *declaration_at(const ts_module *m, uint32_t offset)
{
  for (size_t i = 0; i < m->own.count; i++)
    if (m->own.at[i]->decl->span.begin <= offset && offset <= m->own.at[i]->decl->span.end)
      return m->own.at[i]->decl;
  return NULL;
}

/* At the beginning of a line of a plan, outside of all parentheses. */
static bool propose_fields(const proposing *p)
{
  const ts_ast *decl = declaration_at(p->m, p->offset);
  uint32_t line = p->begin;
  int depth = 0;
  while (line > 0 && isblank((unsigned char)p->text[line - 1]))
    line--;
  if (!decl || decl->kind != TS_AST_PLAN || line == 0 || p->text[line - 1] != '\n')
    return false;
  for (uint32_t i = decl->span.begin; i < p->begin; i++)
    depth += !p->bare[i] ? 0 : strchr("([{", p->bare[i]) ? 1 : strchr(")]}", p->bare[i]) ? -1 : 0;
  if (depth != 1)
    return false;
  for (size_t i = 0; i < COUNT(plan_fields); i++) {
    bool there = false;
    for (uint32_t k = 1; k < decl->count && !there; k++)
      there = !strcmp(decl->child[k]->name, plan_fields[i].name) &&
              decl->child[k]->name_span.begin != p->begin;
    if (!there)
      propose(p, TS_PROPOSE_FIELD, ts_arena_printf(p->s->arena, "%s = ", plan_fields[i].name),
              "field of a plan");
  }
  return true;
}

/* `let h: Host = { la|`, `host = { la|`: what stands before the brace says the type. */
static const ts_ast *record_around(const proposing *p)
{
  uint32_t open = p->begin, end, begin;
  for (uint32_t depth = 0; open > 0; open--) {
    char c = p->bare[open - 1];
    if (c && strchr(")]}", c))
      depth++;
    else if (c && strchr("([{", c) && depth-- == 0)
      break;
  }
  if (open == 0 || p->bare[open - 1] != '{')
    return NULL;
  for (end = open - 1; end > 0 && p->bare[end - 1] && strchr(" =[", p->bare[end - 1]); end--)
    ;
  while (end > 0 && p->bare[end - 1] == ']')
    end--;
  begin = word_before(p->bare, end);
  ts_span span = {p->m->file, begin, end};
  ts_ast type = {.kind = TS_AST_TYPE, .span = span, .name_span = span};
  type.name = ts_lang_intern(p->s->lang, p->text + begin, end - begin);
  for (size_t i = 0; i < COUNT(plan_fields); i++)
    if (!strcmp(plan_fields[i].name, type.name))
      type.name = ts_lang_intern(p->s->lang, plan_fields[i].type, strlen(plan_fields[i].type));
  const ts_type_info *info = ts_type_of(p->s, &type);
  return info ? info->record : NULL;
}

static bool propose_record(const proposing *p)
{
  const ts_ast *decl = record_around(p);
  uint32_t before = p->begin;
  while (before > 0 && isspace((unsigned char)p->text[before - 1]))
    before--;
  if (!decl || before == 0 || !strchr("{,", p->text[before - 1]))
    return false;
  for (uint32_t i = 0; i < decl->count; i++)
    propose(p, TS_PROPOSE_FIELD, ts_arena_printf(p->s->arena, "%s: ", decl->child[i]->name),
            ts_lookup_signature(p->s, decl->child[i]));
  return true;
}

/* After a colon, an arrow or `List[`. */
static void propose_types(const proposing *p)
{
  uint32_t before = p->begin;
  while (before > 0 && isblank((unsigned char)p->text[before - 1]))
    before--;
  if (before == 0 || !strchr(":>[", p->text[before - 1]))
    return;
  ts_name_list names = {0};
  ts_type_names(p->s, &names);
  for (size_t i = 0; i < names.names.count; i++)
    propose(p, TS_PROPOSE_TYPE, names.names.at[i], "type");
}

/* Of the parameters of the open call those that are not named yet. */
static void propose_argument(const proposing *p, const ts_open_call *call, const char *name,
                             const char *detail)
{
  const char *argument = ts_arena_printf(p->s->arena, "%s: ", name);
  bool given = false;
  for (const char *at = p->text + call->begin;
       !given && (at = strstr(at, argument)) && at < p->text + p->offset; at++)
    given = !lookup_is_word(at[-1]);
  if (!given)
    propose(p, TS_PROPOSE_PARAMETER, argument, detail);
}

/* In the parentheses of what a rule does: `all_reduce(`, `shard(`. */
static void propose_for_action(const proposing *p, const ts_open_call *call)
{
  const char *called = call->name, *name;
  for (uint32_t i = 0; i <= TS_IR_BARRIER; i++)
    if (!strcmp(ts_ir_collective_names[i], call->name))
      called = "collective";
  for (size_t i = 0; (name = ts_action_argument(called, i)); i++)
    propose_argument(p, call, name, ts_arena_printf(p->s->arena, "of `%s`", call->name));
}

static void propose_arguments(const proposing *p, const ts_open_call *call)
{
  if (call->named)
    return;
  uint32_t count = call->params ? call->params->count : call->maker->formal_count;
  for (uint32_t i = 0; i < count; i++) {
    const char *name = call->params ? call->params->child[i]->name : call->maker->formals[i].name;
    const char *detail = call->params ? ts_lookup_signature(p->s, call->params->child[i]) :
                                        call->maker->formals[i].type;
    if (!call->maker || (detail && *detail))
      propose_argument(p, call, name, detail);
  }
}

static void propose_names(const proposing *p)
{
  const ts_ast *decl = declaration_at(p->m, p->offset);
  for (size_t i = 0; p->s->running->uses && decl && i < p->s->running->uses->all.count; i++) {
    const ts_use *use = &p->s->running->uses->all.at[i];
    bool local = use->node && use->node != decl && use->span.file == p->m->file &&
                 use->span.begin == use->declared.begin && use->declared.begin >= decl->span.begin;
    if (local && use->declared.end <= p->offset && use->declared.end != p->offset &&
        use->declared.end <= decl->span.end)
      propose(p, TS_PROPOSE_VALUE, use->name, ts_lookup_signature(p->s, use->node));
  }
  ts_seen_list visible = {0};
  ts_module_entries(p->s, p->m, &visible);
  for (size_t i = 0; i < visible.all.count; i++) {
    const ts_visible *v = ts_module_find(p->m, visible.all.at[i].name);
    if (!v || v->entry != visible.all.at[i].entry)
      continue;
    bool value = v->entry->decl->kind != TS_AST_PLAN && v->entry->decl->kind != TS_AST_SEARCH;
    /* what imports bring with them: once a letter is there */
    if (value && (v->direct || v->entry->module == p->m || p->begin < p->offset))
      propose(p, lookup_kind_of(v->entry->decl->kind), visible.all.at[i].name,
              ts_lookup_signature(p->s, v->entry->decl));
  }
  for (size_t i = 0; i < p->s->vocabulary->builtin_names.count; i++)
    propose(p, TS_PROPOSE_FUNCTION, p->s->vocabulary->builtin_names.at[i], "built in");
  for (size_t i = 0; i < COUNT(keywords); i++)
    propose(p, TS_PROPOSE_KEYWORD, keywords[i], NULL);
}

void ts_lookup_propose(ts_session *s, const ts_module *m, uint32_t offset, ts_proposals *list)
{
  const char *text = lookup_text_of(s, m->file)->text;
  bool inside;
  proposing p = {
    s, m, text, bare(s->arena, text, offset, &inside), word_before(text, offset), offset, list};
  list->begin = p.begin;
  if (inside || propose_imported(&p) || propose_files(&p) || propose_units(&p) ||
      propose_fields(&p) || propose_record(&p))
    return;
  ts_open_call call;
  if (ts_lookup_call(s, m, p.begin, &call))
    propose_arguments(&p, &call);
  else if (call.name && !call.named)
    propose_for_action(&p, &call);
  propose_types(&p);
  propose_names(&p);
}
