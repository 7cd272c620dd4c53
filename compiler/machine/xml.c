#include "compiler/machine/xml.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

ts_xml ts_xml_new(ts_arena *arena, const char *text, size_t size)
{
  return (ts_xml){.arena = arena, .at = text, .end = text + size, .line = 1};
}

static ts_xml_event wrong(ts_xml *x, const char *error)
{
  x->error = error;
  return TS_XML_ERROR;
}

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == ':';
}

static void step(ts_xml *x)
{
  x->line += *x->at == '\n';
  x->at++;
}

static void skip_blanks(ts_xml *x)
{
  while (x->at < x->end && isspace((unsigned char)*x->at))
    step(x);
}

static bool take(ts_xml *x, const char *text)
{
  size_t length = strlen(text);
  if ((size_t)(x->end - x->at) < length || memcmp(x->at, text, length) != 0)
    return false;
  x->at += length;
  return true;
}

static bool skip_past(ts_xml *x, const char *text)
{
  while (x->at < x->end) {
    if (take(x, text))
      return true;
    step(x);
  }
  return false;
}

static const char *take_name(ts_xml *x)
{
  const char *begin = x->at;
  while (x->at < x->end && is_name(*x->at))
    x->at++;
  return x->at == begin ? NULL : ts_arena_string(x->arena, begin, (size_t)(x->at - begin));
}

/* One character or entity of a value. False: an entity that is none. */
static bool take_character(ts_xml *x, char *out)
{
  static const struct {
    const char *text;
    char c;
  } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  if (*x->at != '&') {
    *out = *x->at;
    step(x);
    return true;
  }
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (take(x, entities[i].text)) {
      *out = entities[i].c;
      return true;
    }
  if (!take(x, "&#"))
    return false;
  unsigned base = take(x, "x") ? 16 : 10, code = 0, digits = 0;
  for (; x->at < x->end && isxdigit((unsigned char)*x->at) && digits < 4; digits++, x->at++)
    code = code * base + (unsigned)(isdigit((unsigned char)*x->at) ?
                                      *x->at - '0' :
                                      tolower((unsigned char)*x->at) - 'a' + 10);
  *out = (char)code;
  return digits && code > 0 && code < 128 && take(x, ";"); /* names of devices are ASCII */
}

static bool take_attribute(ts_xml *x)
{
  const char *name = take_name(x);
  skip_blanks(x);
  if (!name || !take(x, "="))
    return wrong(x, "an attribute must be NAME=\"VALUE\""), false;
  skip_blanks(x);
  char quote = x->at < x->end ? *x->at : 0;
  if (quote != '"' && quote != '\'')
    return wrong(x, "the value of an attribute stands in quotes"), false;
  const char *close = memchr(x->at + 1, quote, (size_t)(x->end - x->at - 1));
  if (!close)
    return wrong(x, "the value of an attribute has no end"), false;
  char *value = ts_arena_alloc(x->arena, (size_t)(close - x->at)), *out = value;
  for (x->at++; x->at < close; out++)
    if (*x->at == '<' || !take_character(x, out) || x->at > close)
      return wrong(x, "`<` or an unknown entity in a value"), false;
  x->at = close + 1;
  if (x->attribute_count == TS_XML_ATTRIBUTES)
    return wrong(x, "an element has more than 64 attributes"), false;
  if (ts_xml_get(x, name))
    return wrong(x, ts_arena_printf(x->arena, "attribute `%s` is there twice", name)), false;
  x->attribute[x->attribute_count++] = (ts_xml_attribute){name, value};
  return true;
}

static ts_xml_event open_element(ts_xml *x)
{
  x->attribute_count = 0;
  x->name = take_name(x);
  if (!x->name)
    return wrong(x, "`<` must be followed by the name of an element");
  if (x->depth == TS_XML_DEPTH)
    return wrong(x, "elements are nested more than 64 deep");
  for (;;) {
    const char *before = x->at;
    skip_blanks(x);
    if (x->at == x->end)
      return wrong(x, ts_arena_printf(x->arena, "the file ends inside of `<%s`", x->name));
    x->closes = take(x, "/>");
    if (x->closes || take(x, ">"))
      break;
    if (before == x->at)
      return wrong(x,
                   ts_arena_printf(x->arena, "`<%s` is followed by what is no attribute", x->name));
    if (!take_attribute(x))
      return TS_XML_ERROR;
  }
  x->open[x->depth++] = x->name;
  return TS_XML_OPEN;
}

static ts_xml_event close_element(ts_xml *x)
{
  const char *name = take_name(x);
  skip_blanks(x);
  if (!name || !take(x, ">"))
    return wrong(x, "`</` must be followed by a name and `>`");
  if (!x->depth || strcmp(x->open[x->depth - 1], name) != 0)
    return wrong(x, x->depth ? ts_arena_printf(x->arena, "`</%s>` where `</%s>` must come", name,
                                               x->open[x->depth - 1]) :
                               ts_arena_printf(x->arena, "`</%s>` closes nothing", name));
  x->name = x->open[--x->depth];
  return TS_XML_CLOSE;
}

ts_xml_event ts_xml_next(ts_xml *x)
{
  if (x->closes) {
    x->closes = 0;
    x->name = x->open[--x->depth];
    return TS_XML_CLOSE;
  }
  for (;;) {
    while (x->at < x->end && *x->at != '<') {
      if (!x->depth && !isspace((unsigned char)*x->at))
        return wrong(x, "text outside of all elements: this is no XML");
      step(x);
    }
    if (x->at == x->end)
      return x->depth ? wrong(x, ts_arena_printf(x->arena, "the file ends inside of `%s`",
                                                 x->open[x->depth - 1])) :
                        TS_XML_END;
    if (take(x, "<!--")) {
      if (!skip_past(x, "-->"))
        return wrong(x, "a comment has no end");
    } else if (take(x, "<?") || take(x, "<!")) {
      if (!skip_past(x, ">"))
        return wrong(x, "a declaration has no end");
    } else if (take(x, "</")) {
      return close_element(x);
    } else {
      x->at++;
      return open_element(x);
    }
  }
}

const char *ts_xml_get(const ts_xml *x, const char *attribute)
{
  for (uint32_t i = 0; i < x->attribute_count; i++)
    if (!strcmp(x->attribute[i].name, attribute))
      return x->attribute[i].value;
  return NULL;
}
