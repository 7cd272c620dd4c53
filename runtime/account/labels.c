/* Labels as names of modules. Each label is worked out once. */
#include "runtime/account/labels.h"

#include <string.h>

#include "base/hash_table.h"

struct ts_labels {
  ts_arena *arena, *texts;
  const char *strings;
  ts_label_view view;
  uint32_t *of; /* [strings_count] 1 + number of a label; 0: not asked for yet */
  TS_VEC(const char *) names;
  ts_hash_table named;
};

ts_labels *ts_labels_new(ts_arena *arena, ts_arena *names, const ts_ir *ir, ts_label_view view)
{
  ts_labels *l = TS_NEW(arena, ts_labels);
  l->arena = arena;
  l->texts = names;
  l->strings = ir->strings;
  l->view = view;
  l->of = TS_NEW_ARRAY(arena, uint32_t, ir->strings_count + 1);
  return l;
}

/* The end of the part of a label that begins at `part`: a point outside of brackets. */
static size_t part_length(const char *part)
{
  size_t n = 0;
  for (bool inside = false; part[n] && (inside || part[n] != '.'); n++)
    inside = part[n] == '[' || (inside && part[n] != ']');
  return n;
}

/* Length of a number in brackets, "[3]", or of one that counts from the stage's first, "[+3]"; 0:
 * there is none. */
static size_t number_length(const char *text)
{
  size_t sign = text[0] == '[' && text[1] == '+', digits;
  if (text[0] != '[')
    return 0;
  digits = strspn(text + 1 + sign, "0123456789");
  return digits && text[1 + sign + digits] == ']' ? digits + sign + 2 : 0;
}

/* Copies a part to `out` with its numbers as one; returns the end. "[3]" is as long as "[*]". */
static char *copy_merged(char *out, const char *part, size_t length)
{
  if (length && strspn(part, "0123456789") >= length) {
    *out++ = '*';
    return out;
  }
  for (size_t i = 0; i < length;) {
    size_t number = number_length(part + i);
    if (number) {
      memcpy(out, "[*]", 3);
      out += 3;
      i += number;
    } else {
      *out++ = part[i++];
    }
  }
  return out;
}

/* Where the operator begins in a label of a graph, "blocks.0.qkv aten::addmm" or, outside of all
 * modules, "aten::add"; at the end: there is none, as in "gradient norm". */
static size_t operator_at(const char *label)
{
  size_t path = strcspn(label, " "), length = strlen(label);
  if (path == length)
    return strstr(label, "::") ? 0 : length;
  bool one_word = !strchr(label + path + 1, ' ');
  return one_word && (strstr(label + path, "::") || memchr(label, '.', path)) ? path : length;
}

/* The part that begins at `part`, at most up to `end`. */
static size_t labels_length_of(const char *part, const char *end)
{
  size_t length = part_length(part);
  return length < (size_t)(end - part) ? length : (size_t)(end - part);
}

static const char *module_of(ts_arena *arena, const char *label, ts_label_view view)
{
  char *name = ts_arena_string(arena, label, strlen(label)), *out = name;
  const char *part = label, *end = label + operator_at(label);
  if (view.depth && end == label && *label)
    return "(outside modules)";
  for (uint32_t depth = 0; part < end && (!view.depth || depth < view.depth); depth++) {
    size_t length = labels_length_of(part, end);
    if (part > label)
      *out++ = '.';
    if (view.repeats) {
      memmove(out, part, length);
      out += length;
    } else {
      out = copy_merged(out, part, length);
    }
    part += length;
    part += *part == '.';
    if (part < end && strspn(part, "0123456789") >= labels_length_of(part, end))
      depth--; /* a number belongs to what it counts */
  }
  if (!view.depth) /* in full */
    while (*end) *out++ = *end++;
  *out = 0;
  return name;
}

uint32_t ts_labels_named(ts_labels *l, const char *name)
{
  uint32_t number = ts_hash_find_text(&l->named, name, l->names.at, sizeof *l->names.at);
  if (number == TS_HASH_NONE) {
    number = (uint32_t)l->names.count;
    TS_PUSH(l->arena, &l->names, name);
    ts_hash_add(l->arena, &l->named, ts_hash_text(name), number);
  }
  return number;
}

uint32_t ts_labels_number(ts_labels *l, ts_ir_str label)
{
  if (!l->of[label])
    l->of[label] = 1 + ts_labels_named(l, module_of(l->texts, l->strings + label, l->view));
  return l->of[label] - 1;
}

uint32_t ts_labels_count(const ts_labels *l) { return (uint32_t)l->names.count; }
const char *ts_labels_name(const ts_labels *l, uint32_t number) { return l->names.at[number]; }
