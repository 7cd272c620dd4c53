/* What all pages have around their content. */
#include <stdlib.h>

#include "base/digest.h"
#include "base/escape.h"
#include "base/output.h"
#include "runtime/report/page.h"

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void print_lines(void *closure, FILE *out)
{
  for (const char *const *line = closure; *line; line++)
    ts_put_raw(out, *line);
}

/* "sha256-...=": nothing but these lines may run. */
static void put_policy(const char *const *lines, bool live, FILE *out)
{
  size_t size;
  char *script = ts_printed(print_lines, (void *)(uintptr_t)lines, &size);
  uint8_t digest[TS_DIGEST_SIZE + 1] = {0};
  ts_digest_bytes(script, size, digest);
  free(script);
  fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri "
        "'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-",
        out);
  for (size_t i = 0; i < TS_DIGEST_SIZE; i += 3) {
    uint32_t three = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 |
                     (i + 2 < TS_DIGEST_SIZE ? digest[i + 2] : 0);
    for (unsigned k = 0; k < (i + 2 < TS_DIGEST_SIZE ? 4 : 3); k++)
      fprintf(out, "%c", base64[three >> (18 - 6 * k) & 63]);
  }
  fputs(live ? "='; connect-src 'self'\">\n" : "='\">\n", out);
}

void ts_page_begin(const char *title, const char *const *style, const char *const *script,
                   bool live, FILE *out)
{
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width\">\n",
        out);
  put_policy(script, live, out);
  ts_put_xml(out, "<title>%s</title>\n<style>\n", title);
  print_lines((void *)(uintptr_t)style, out);
  fputs("</style>\n</head>\n<body>\n", out);
}

void ts_page_end(const char *const *script, FILE *out)
{
  fputs("<script>", out);
  print_lines((void *)(uintptr_t)script, out);
  fputs("</script>\n</body>\n</html>\n", out);
}

void ts_page_tile(FILE *out, bool over, const char *name, const char *value, const char *more)
{
  fputs(over ? "<div class=\"over\">" : "<div>", out);
  ts_put_xml(out, "<span>%s</span><b>%s</b><small>%s</small></div>\n", name, value, more);
}
