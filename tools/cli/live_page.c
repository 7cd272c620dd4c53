#include "tools/cli/live_page.h"

#include "base/escape.h"
#include "base/version.h"
#include "runtime/report/page.h"
#include "tools/sweep/report.h"

static void put_live_page(void *closure, FILE *out)
{
  const ts_live_page *p = closure;
  ts_page_begin(p->title, ts_sweep_page_style, ts_sweep_live_script, true, out);
  ts_put_xml(out, "<header>\n<h1>%s</h1>\n</header>\n<main>\n", p->heading);
  fputs("<noscript><p>This page is drawn by its own script; status.json has the figures.</p>"
        "</noscript>\n<section id=\"progress\" aria-live=\"off\"></section>\n"
        "<section id=\"front\"></section>\n<section id=\"plans\"></section>\n",
        out);
  ts_put_xml(out, "<p class=\"hint\">%s</p>\n", p->hint);
  ts_put_xml(out, "</main>\n<footer>TrainSpec %s</footer>\n", ts_version());
  ts_page_end(ts_sweep_live_script, out);
}

bool ts_live_page_open(ts_live_page *p, const char *where, ts_error *error)
{
  return ts_http_open(&p->http, where, error);
}

void ts_live_page_serve(ts_live_page *p, const atomic_bool *stop)
{
  const ts_http_resource resources[] = {
    {"/", "text/html", put_live_page, p},
    {"/status.json", "application/json", p->put_status, p->closure},
    {0}};
  ts_http_serve(&p->http, resources, stop);
}

static void *serve(void *closure)
{
  ts_live_page *p = closure;
  ts_live_page_serve(p, &p->stop);
  return NULL;
}

bool ts_live_page_begin(ts_live_page *p) { return pthread_create(&p->thread, NULL, serve, p) == 0; }

void ts_live_page_end(ts_live_page *p)
{
  atomic_store(&p->stop, true);
  pthread_join(p->thread, NULL);
}
