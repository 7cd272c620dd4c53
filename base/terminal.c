#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/text.h"

unsigned ts_terminal_columns(FILE *out, unsigned usual)
{
  enum { LEAST = 40, MOST = 1000 };
  struct winsize size;
  if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || !size.ws_col)
    return usual;
  return size.ws_col < LEAST ? LEAST : size.ws_col > MOST ? MOST : size.ws_col;
}

bool ts_terminal_unicode(void)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *locale = getenv(names[i]), *set = locale ? strchr(locale, '.') : NULL;
    if (locale && *locale)
      return set && (!strncasecmp(set, ".utf-8", 6) || !strncasecmp(set, ".utf8", 5));
  }
  return true;
}

static unsigned columns_of(const char *text, size_t size)
{
  unsigned columns = 0;
  for (size_t at = 0; at < size;) {
    char shown[9];
    unsigned wide;
    at += ts_text_show(text + at, size - at, shown, &wide);
    columns += wide;
  }
  return columns;
}

void ts_put_wrapped(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width)
{
  for (bool first = true; *text; first = false) {
    size_t word = strcspn(text, " ");
    unsigned columns = columns_of(text, word);
    if (!first && column + 1 + columns > width) {
      ts_put_text(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (!first) {
      column += (unsigned)ts_put_text(out, " ");
    }
    ts_put_text(out, "%.*s", (int)word, text);
    column += columns;
    text += word + (text[word] == ' ');
  }
  ts_put_text(out, "\n");
}
