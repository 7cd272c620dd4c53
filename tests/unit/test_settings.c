/* Files of settings: what TOML and YAML say twice, deeply, endlessly or not at all, and where. The public
 * cases of toml-test are run beside (tests/README.md). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/settings.h"

#define TOML TS_SETTINGS_TOML
#define YAML TS_SETTINGS_YAML

static void put(const ts_setting *s, char **to)
{
  const char *between = "";
  bool table = s->kind == TS_SETTING_TABLE;
  switch (s->kind) {
  case TS_SETTING_BOOL: *to += sprintf(*to, s->u.truth ? "true" : "false"); break;
  case TS_SETTING_WHOLE: *to += sprintf(*to, "%lld", (long long)s->u.whole); break;
  case TS_SETTING_REAL: *to += sprintf(*to, "%g.", s->u.real); break;
  case TS_SETTING_TEXT: *to += sprintf(*to, "'%s'", s->u.text); break;
  case TS_SETTING_TIME: *to += sprintf(*to, "@%s", s->u.text); break;
  case TS_SETTING_NONE: *to += sprintf(*to, "none"); break;
  default:
    *to += sprintf(*to, table ? "{" : "[");
    for (const ts_setting *c = s->child; c; c = c->next, between = " ") {
      *to += sprintf(*to, "%s%s%s", between, table ? c->name : "", table ? "=" : "");
      put(c, to);
    }
    *to += sprintf(*to, table ? "}" : "]");
  }
}

static void check(ts_settings_format format, const char *text, const char *wanted)
{
  if (!ts_settings_reads(format))
    return;
  char got[2000], *to = got;
  ts_arena *arena = ts_arena_new("test");
  ts_settings_wrong wrong;
  const ts_setting *s = ts_settings_read(arena, format, text, strlen(text), &wrong);
  if (s)
    put(s, &to);
  else
    snprintf(got, sizeof got, "%u: %s", wrong.line, wrong.why);
  cr_assert_str_eq(got, wanted, "%s\ngives  %s\nwanted %s", text, got, wanted);
  ts_arena_free(arena);
}

Test(settings, toml_is_read)
{
  check(TOML, "", "{}");
  check(TOML, "a.b = 1 # c\r\n'a'.\"c\" = 0x1F\n", "{a={b=1 c=31}}");
  check(
    TOML,
    "x = [1_000, 2.5e1,\n # c\n [],]\n[t]\ny = {a = true, b.c = inf}\n[[u.v]]\n[[u.v]]\nz = '\\n'",
    "{x=[1000 25. []] t={y={a=true b={c=inf.}}} u={v=[{} {z='\\n'}]}}");
  check(TOML, "a = \"\"\"\nx\\\n   y\"\"\"\"\nb = '''\n'\\'''\nc = \"\\u00e9\\t\"",
        "{a='xy\"' b=''\\' c='\xC3\xA9\t'}");
  check(TOML, "a = 2024-02-29 07:00:00.5-08:00\nb = 07:00:00\nc = 2024-02-29",
        "{a=@2024-02-29 07:00:00.5-08:00 b=@07:00:00 c=@2024-02-29}");
  check(TOML,
        "\xEF\xBB\xBF"
        "a = -9223372036854775808",
        "{a=-9223372036854775808}");
}

Test(settings, toml_is_refused_with_its_line)
{
  char deep[400] = "a = ";
  check(TOML, "a = 1\n\na = 2", "3: `a` stands twice in one table, in line 1 first");
  check(TOML, "[a]\nb.c = 1\n[a.b]\n", "3: `b` is in line 2 already, and takes no more");
  check(TOML, "a = {b = 1}\n[a.c]\n", "2: `a` is in line 1 already, and takes no more");
  check(TOML, "a = [{}]\n[[a]]\n", "2: `a` is in line 1 already, and takes no more");
  check(TOML, "[[a]]\n[a]\nb = 1\n", "2: `a` is in line 1 already, and takes no more");
  check(TOML, "a = 2023-02-29", "1: there is no time `2023-02-29`");
  check(TOML, "a = 9223372036854775808", "1: `9223372036854775808` is no number of 64 bits");
  check(TOML, "\na = \"x\n", "2: a text does not end");
  check(TOML, "a = 01", "1: `01` is no value and no name of TOML");
  check(TOML, "a = 1 b = 2", "1: `b` is no value and no name of TOML");
  check(TOML, "[a\n", "1: no line of TOML: `name = value`, `[table]` or a comment");
  check(TOML, "a = \"\\u0000\"",
        "1: an escape is none of TOML's, or no character (0 is none here)");
  check(TOML, "a = \"\xFF\"", "1: a byte is not UTF-8");
  memset(deep + 4, '[', 300);
  check(TOML, deep, "1: it is nested deeper than 64 levels");
  for (size_t i = 0; i < 198; i++)
    memcpy(deep + 2 * i, "a.", 2);
  memcpy(deep + 396, "a=1", 4);
  check(TOML, deep, "1: it is nested deeper than 64 levels");
}

Test(settings, yaml_is_read_as_by_pyyaml)
{
  check(YAML, "", "none");
  check(YAML, "a: 1_0\nb: [yes, 'yes', ~, 0x1f, 010, -1.5, 1e-5, .inf, 1.2.3]\n",
        "{a=10 b=[true 'yes' none 31 8 -1.5. 1e-05. inf. '1.2.3']}");
  check(YAML, "a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}\ne: *x\n",
        "{a={b=1 c=2} d={b=3 c=2} e={b=1 c=2}}");
  check(YAML, "a: 1\nb: 2\na: 3\n", "{a=3 b=2}");
  check(YAML, "--- !!map\n? a\n: |\n  x\n...\n", "{a='x\n'}");
}

Test(settings, yaml_is_refused_with_its_line)
{
  check(
    YAML, "a: !!python/object:os.system x\n",
    "1: `tag:yaml.org,2002:python/object:os.system` makes an object: only plain values are read");
  check(YAML, "a: &x [*x]\n", "1: `*x` stands inside of itself");
  check(YAML, "a: *y\n", "1: `*y` has no anchor before it");
  check(YAML, "a: 1\n---\nb: 2\n", "2: a second document begins: a file has one");
  check(YAML, "[a, b]: 1\n", "1: a name is one word here");
  check(YAML, "a: [1\nb: 2\n", "2: did not find expected ',' or ']'");
  check(YAML,
        "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
        "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
        "6: there are more than 200000 values");
}

Test(settings, the_format_is_that_of_the_name)
{
  ts_settings_format format;
  cr_assert(ts_settings_format_of("a/b.toml", &format) && format == TOML);
  cr_assert(ts_settings_format_of("b.yml", &format) && format == YAML);
  cr_assert(!ts_settings_format_of(".toml", &format) && !ts_settings_format_of("toml", &format));
}

Test(settings, texts_are_read)
{
  check(TS_SETTINGS_LINES, "", "[]");
  check(TS_SETTINGS_LINES, "a\r\n\n b", "['a' '' ' b']");
  check(TS_SETTINGS_LINES, "a\n", "['a']");
  check(TS_SETTINGS_LINES, "a\n\xFF", "2: a byte is not UTF-8");
  check(TS_SETTINGS_CSV, "", "[]");
  check(TS_SETTINGS_CSV, "# x\na,b\n", "[]");
  check(TS_SETTINGS_CSV, "a,b\n1,\"x, \"\"y\"\"\"\n", "[{a='1' b='x, \"y\"'}]");
  check(TS_SETTINGS_CSV, "a,b\n# of it\n1,2\n\n3,4", "[{a='1' b='2'} {a='3' b='4'}]");
  check(TS_SETTINGS_CSV, "a,b\n1\n", "2: it has 1 cells, the first line 2");
  check(TS_SETTINGS_CSV, "a,a\n1,2\n", "2: `a` stands twice in one table, in line 2 first");
  check(TS_SETTINGS_XML, "<a b='1'>x<c/>y</a>",
        "{name='a' line=1 attributes={b='1'} text='xy' inside=[{name='c' line=1 attributes={} "
        "text='' inside=[]}]}");
  check(TS_SETTINGS_XML, "", "1: no element found");
  check(TS_SETTINGS_XML, "<a>\n<b></a>", "2: mismatched tag");
  check(TS_SETTINGS_XML, "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "1: entities of a file's own are not known");
}
