/* The summary of a trace as text of 80 columns and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "base/text.h"
#include "trace/summary.h"

enum { NAMES_SHOWN = 8, COMMS_SHOWN = 12, STEPS_SHOWN = 8, COLUMNS = 80 };

typedef struct summary_report_words {
  char text[48];
} summary_report_words;

static summary_report_words with_commas(uint64_t number)
{
  char digits[24];
  summary_report_words w = {{0}};
  int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
  size_t n = 0;
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0)
      w.text[n++] = ',';
    w.text[n++] = digits[i];
  }
  return w;
}

static summary_report_words summary_report_time_of(int64_t ns)
{
  summary_report_words w;
  double t = (double)ns;
  if (t < 1e5)
    snprintf(w.text, sizeof w.text, "%.1f us", t / 1e3);
  else if (t < 1e10)
    snprintf(w.text, sizeof w.text, "%.3f ms", t / 1e6);
  else
    snprintf(w.text, sizeof w.text, "%.3f s", t / 1e9);
  return w;
}

static summary_report_words summary_report_size_of(int64_t bytes)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  summary_report_words w;
  double b = (double)bytes;
  size_t u = 0;
  for (; b >= 1024 && u < 5; u++)
    b /= 1024;
  snprintf(w.text, sizeof w.text, u ? "%.1f %s" : "%.0f %s", b, units[u]);
  return w;
}

static double summary_report_percent(int64_t part, int64_t whole)
{
  return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* Text cut to columns, so that a name of a kernel does not break the table. */
static void put_cut(FILE *out, const char *text, unsigned columns)
{
  size_t size = strlen(text);
  while (size && columns) {
    char shown[9];
    unsigned width;
    size_t used = ts_text_show(text, size, shown, &width);
    if (!used || width > columns || (columns < 4 && size > columns)) {
      fputs("...", out);
      return;
    }
    ts_put_raw(out, shown);
    text += used;
    size -= used;
    columns -= width;
  }
}

static void summary_report_put_head(const ts_trace_summary *s, FILE *out)
{
  const ts_events *e = s->events;
  ts_put_text(out, "%s\n  %s%s%s%s%s, %s of text, %s events\n", e->file,
              ts_trace_format_name(e->format), *e->version ? " " : "", e->version,
              e->packed ? ", gzip" : "", e->cut ? ", cut off" : "",
              summary_report_size_of((int64_t)e->bytes).text, with_commas(e->seen).text);
  if (e->rank >= 0)
    fprintf(out, "  rank %" PRId64, e->rank);
  if (e->rank >= 0 && e->world > 0)
    fprintf(out, " of %" PRId64, e->world);
  if (e->rank < 0 && e->format == TS_TRACE_GOAL)
    ts_put_text(out, "  %s ranks\n", with_commas((uint64_t)e->world).text);
  if (e->rank >= 0 && e->backend)
    ts_put_text(out, ", %.20s", ts_events_text(e, e->backend));
  if (e->devices.count) {
    const ts_device_info *d = &e->devices.at[0];
    for (size_t i = 1; i < e->devices.count && s->streams.count; i++)
      if (e->devices.at[i].id == e->tracks.at[s->streams.at[0].track].process)
        d = &e->devices.at[i];
    ts_put_text(out, "%s%.40s", e->rank >= 0 ? "; " : "  ", ts_events_text(e, d->name));
    if (d->memory > 0)
      ts_put_text(out, ", %s", summary_report_size_of(d->memory).text);
    if (d->processors > 0)
      fprintf(out, ", %" PRId64 " processors", d->processors);
  }
  if (e->rank >= 0 || e->devices.count)
    fputc('\n', out);
}

static void put_shares(const ts_trace_summary *s, FILE *out)
{
  const ts_time_shares *t = &s->shares;
  if (!s->events->device_count || !t->span)
    return;
  ts_put_text(out, "\n  %-34s %14s  %5.1f %%\n", "device, first to last kernel",
              summary_report_time_of(t->span).text, 100.0);
  ts_put_text(out, "    %-32s %14s  %5.1f %%\n", "computes",
              summary_report_time_of(t->compute).text, summary_report_percent(t->compute, t->span));
  ts_put_text(out, "    %-32s %14s  %5.1f %%\n", "communicates",
              summary_report_time_of(t->comm).text, summary_report_percent(t->comm, t->span));
  ts_put_text(out, "      %-30s %14s  %5.1f %%\n", "hidden behind compute",
              summary_report_time_of(t->overlap).text, summary_report_percent(t->overlap, t->span));
  ts_put_text(out, "      %-30s %14s  %5.1f %%\n", "exposed",
              summary_report_time_of(t->comm - t->overlap).text,
              summary_report_percent(t->comm - t->overlap, t->span));
  ts_put_text(out, "    %-32s %14s  %5.1f %%\n", "idle", summary_report_time_of(t->idle).text,
              summary_report_percent(t->idle, t->span));
  if (s->events->linked_calls)
    ts_put_text(out, "      %-30s %14s  %5.1f %%\n", "the host had launched nothing",
                summary_report_time_of(s->idle_host).text,
                summary_report_percent(s->idle_host, t->span));
}

static void summary_report_put_streams(const ts_trace_summary *s, FILE *out)
{
  if (!s->streams.count || !s->shares.span)
    return;
  ts_put_text(out, "\n  %-34s %14s  %7s %9s\n", "stream", "busy", "of span", "kernels");
  for (size_t i = 0; i < s->streams.count && i < COMMS_SHOWN; i++) {
    const ts_stream_sum *t = &s->streams.at[i];
    const ts_event_track *track = &s->events->tracks.at[t->track];
    char name[64];
    snprintf(name, sizeof name, "device %.12s stream %.12s",
             ts_events_text(s->events, track->process_name),
             ts_events_text(s->events, track->thread_name));
    ts_put_text(out, "    %-32s %14s  %5.1f %% %9s\n", name, summary_report_time_of(t->busy).text,
                summary_report_percent(t->busy, s->shares.span), with_commas(t->count).text);
  }
  if (s->streams.count > COMMS_SHOWN)
    fprintf(out, "    and %zu more\n", s->streams.count - COMMS_SHOWN);
}

static void put_kernels(const ts_trace_summary *s, FILE *out)
{
  int64_t whole = 0;
  for (size_t i = 0; i < s->kinds.count; i++)
    whole += s->kinds.at[i].time;
  if (!whole)
    return;
  ts_put_text(out, "\n  %-34s %14s  %7s %9s\n", "kind of kernel", "time", "of time", "kernels");
  for (size_t i = 0; i < s->kinds.count; i++)
    ts_put_text(out, "    %-32s %14s  %5.1f %% %9s\n", ts_event_kind_name(s->kinds.at[i].kind),
                summary_report_time_of(s->kinds.at[i].time).text,
                summary_report_percent(s->kinds.at[i].time, whole),
                with_commas(s->kinds.at[i].count).text);
  fputs("\n  longest kernels by name\n", out);
  for (size_t i = 0; i < s->names.count && i < NAMES_SHOWN; i++) {
    const ts_name_sum *n = &s->names.at[i];
    ts_put_text(out, "    %12s %5.1f %% %8s  ", summary_report_time_of(n->time).text,
                summary_report_percent(n->time, whole), with_commas(n->count).text);
    put_cut(out, ts_events_text(s->events, n->name), COLUMNS - 36);
    fputc('\n', out);
  }
}

static void put_comms(const ts_trace_summary *s, FILE *out)
{
  const ts_events *e = s->events;
  if (!s->comms.count)
    return;
  ts_put_text(out, "\n  %-16s %-20s %7s %11s %13s\n", "communication", "group", "calls", "bytes",
              "time");
  for (size_t i = 0; i < s->comms.count && i < COMMS_SHOWN; i++) {
    const ts_comm_sum *c = &s->comms.at[i];
    const char *label = ts_events_text(e, c->group), *ranks = ts_events_text(e, c->ranks);
    char group[80], count[24] = "";
    if (c->size > 0)
      snprintf(count, sizeof count, " of %" PRId64, c->size);
    if (!*label && !*ranks && !*count)
      snprintf(group, sizeof group, "not known");
    else
      snprintf(group, sizeof group, "%.8s%s%s%.8s%s%s", *label ? label : "?", count,
               *ranks && c->size <= 4 ? " (" : "", c->size <= 4 ? ranks : "",
               *ranks && c->size <= 4 ? ")" : "", "");
    ts_put_text(out, "    %-14s %-20.20s %7s %11s %13s\n", ts_comm_kind_name(c->kind), group,
                with_commas(c->count).text, c->sized ? summary_report_size_of(c->bytes).text : "?",
                summary_report_time_of(c->time).text);
  }
  if (s->comms.count > COMMS_SHOWN)
    fprintf(out, "    and %zu more\n", s->comms.count - COMMS_SHOWN);
  if (e->format == TS_TRACE_KINETO)
    fputs("    (times hold the wait for the slowest rank)\n", out);
}

static void put_steps(const ts_trace_summary *s, FILE *out)
{
  if (!s->steps.count)
    return;
  ts_put_text(out, "\n  %-22s %13s %13s %7s %7s %7s\n", "step", "host", "device", "busy", "exposed",
              "idle");
  for (size_t i = 0; i < s->steps.count && i < STEPS_SHOWN; i++) {
    const ts_step_sum *t = &s->steps.at[i];
    fputs("    ", out);
    ts_put_text(out, "%-20.20s %13s %13s %5.1f %% %5.1f %% %5.1f %%\n",
                ts_events_text(s->events, ts_event_at(s->events, t->mark)->name),
                summary_report_time_of(t->host).text, summary_report_time_of(t->shares.span).text,
                summary_report_percent(t->shares.busy, t->shares.span),
                summary_report_percent(t->shares.comm - t->shares.overlap, t->shares.span),
                summary_report_percent(t->shares.idle, t->shares.span));
  }
  if (s->events->step_count > STEPS_SHOWN)
    fprintf(out, "    and %u more\n", s->events->step_count - STEPS_SHOWN);
}

/* Values over the recording, of the largest one. */
static void put_bins(const ts_series *s, FILE *out)
{
  static const char steps[] = " .:-=+*#@";
  double most = 0;
  int end = 0;
  for (int b = 0; b < TS_SERIES_BINS; b++) {
    most = s->bin[b] > most ? s->bin[b] : most;
    end = s->bin[b] > 0 ? b + 1 : end;
  }
  char bars[TS_SERIES_BINS + 1] = "";
  for (int b = 0; b < end; b++)
    bars[b] = steps[most > 0 && s->bin[b] > 0 ? 1 + (int)(s->bin[b] / most * 7) : 0];
  ts_put_text(out, "%s", bars);
}

enum { SERIES_SHOWN = 16 };
static const char *const series_units[] = {"launched", "B/s", ""};

static void put_series(const ts_trace_summary *s, FILE *out)
{
  const char *const heads[] = {"queued on stream ", "rate of ", ""};
  if (s->series.at.count)
    fputs("\n  over the recording                        mean        most  shares of the largest "
          "part\n", out);
  for (size_t i = 0; i < s->series.at.count && i < SERIES_SHOWN; i++) {
    const ts_series *t = &s->series.at.at[i];
    double unit = t->kind == TS_SERIES_COPIES ? 1e-9 : 1;
    const char *name = ts_arena_printf(s->events->arena, "%s%s%s", heads[t->kind], t->name,
                                       t->kind == TS_SERIES_COPIES ? ", GB/s" : "");
    ts_put_text(out, "    %-32.32s %11.3f %11.3f  ", name, t->mean * unit, t->most * unit);
    put_bins(t, out);
    fputs("\n", out);
  }
  if (s->series.at.count > SERIES_SHOWN)
    fprintf(out, "    and %zu more\n", s->series.at.count - SERIES_SHOWN);
}

static void put_rest(const ts_trace_summary *s, FILE *out)
{
  const ts_events *e = s->events;
  if (s->memory_peak >= 0)
    ts_put_text(out, "\n  memory of the device: peak %s, %s when recording began%s%s%s\n",
                summary_report_size_of(s->memory_peak).text,
                summary_report_size_of(s->memory_start).text, s->memory_reserved < 0 ? "" : ", ",
                s->memory_reserved < 0 ? "" : summary_report_size_of(s->memory_reserved).text,
                s->memory_reserved < 0 ? "" : " reserved");
  for (size_t i = 0; i < s->memory_by.count; i++)
    ts_put_text(out, "    %-20s %13s at the peak\n", ts_events_text(e, s->memory_by.at[i].category),
                summary_report_size_of(s->memory_by.at[i].bytes).text);
  put_series(s, out);
  ts_put_text(out, "\n  host: %s operators, %s calls that launch or wait, %u threads\n",
              with_commas(s->operators).text, with_commas(s->calls).text, s->threads);
  if (s->edges || s->tensors)
    ts_put_text(out, "  graph: %s dependencies, %s tensors\n", with_commas(s->edges).text,
                with_commas(s->tensors).text);
  if (s->missing.count)
    fputs("\n  missing\n", out);
  for (size_t i = 0; i < s->missing.count; i++)
    ts_put_text(out, "    %s\n", s->missing.at[i]);
  (void)e;
}

void ts_trace_summary_text(const ts_trace_summary *s, FILE *out)
{
  summary_report_put_head(s, out);
  put_shares(s, out);
  put_steps(s, out);
  summary_report_put_streams(s, out);
  put_kernels(s, out);
  put_comms(s, out);
  put_rest(s, out);
}

/* ---- JSON ---- */

static void put_if_known(ts_json_writer *w, const char *key, int64_t value)
{
  if (value < 0)
    ts_json_put_null(w, key);
  else
    ts_json_put_signed(w, key, value);
}

static void put_shares_json(ts_json_writer *w, const ts_time_shares *t)
{
  ts_json_begin(w, "device", '{');
  ts_json_put_signed(w, "span_ns", t->span);
  ts_json_put_signed(w, "busy_ns", t->busy);
  ts_json_put_signed(w, "compute_ns", t->compute);
  ts_json_put_signed(w, "communication_ns", t->comm);
  ts_json_put_signed(w, "overlap_ns", t->overlap);
  ts_json_put_signed(w, "idle_ns", t->idle);
  ts_json_end(w, '}');
}

static void put_steps_json(ts_json_writer *w, const ts_trace_summary *s)
{
  const ts_events *e = s->events;
  ts_json_begin(w, "steps", '[');
  for (size_t i = 0; i < s->steps.count; i++) {
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "name", ts_events_text(e, ts_event_at(e, s->steps.at[i].mark)->name));
    ts_json_put_signed(w, "host_ns", s->steps.at[i].host);
    put_shares_json(w, &s->steps.at[i].shares);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void put_streams_json(ts_json_writer *w, const ts_trace_summary *s)
{
  const ts_events *e = s->events;
  ts_json_begin(w, "streams", '[');
  for (size_t i = 0; i < s->streams.count; i++) {
    const ts_event_track *t = &e->tracks.at[s->streams.at[i].track];
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "device", ts_events_text(e, t->process_name));
    ts_json_put_text(w, "stream", ts_events_text(e, t->thread_name));
    ts_json_put_count(w, "kernels", s->streams.at[i].count);
    ts_json_put_signed(w, "busy_ns", s->streams.at[i].busy);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void put_kinds_json(ts_json_writer *w, const ts_trace_summary *s)
{
  ts_json_begin(w, "kinds", '[');
  for (size_t i = 0; i < s->kinds.count; i++) {
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "kind", ts_event_kind_name(s->kinds.at[i].kind));
    ts_json_put_count(w, "kernels", s->kinds.at[i].count);
    ts_json_put_signed(w, "time_ns", s->kinds.at[i].time);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void put_comms_json(ts_json_writer *w, const ts_trace_summary *s)
{
  const ts_events *e = s->events;
  ts_json_begin(w, "communication", '[');
  for (size_t i = 0; i < s->comms.count; i++) {
    const ts_comm_sum *c = &s->comms.at[i];
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "collective", ts_comm_kind_name(c->kind));
    ts_json_put_text(w, "group", ts_events_text(e, c->group));
    ts_json_put_text(w, "ranks", ts_events_text(e, c->ranks));
    put_if_known(w, "size", c->size);
    ts_json_put_count(w, "calls", c->count);
    put_if_known(w, "bytes", c->sized ? c->bytes : -1);
    ts_json_put_signed(w, "time_ns", c->time);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void put_series_json(ts_json_writer *w, const ts_trace_summary *s)
{
  static const char *const kinds[] = {"queue", "copies", "counter"};
  ts_json_begin(w, "series", '[');
  for (size_t i = 0; i < s->series.at.count; i++) {
    const ts_series *t = &s->series.at.at[i];
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "kind", kinds[t->kind]);
    ts_json_put_text(w, "name", t->name);
    ts_json_put_text(w, "unit", series_units[t->kind]);
    ts_json_put_count(w, "points", t->points);
    ts_json_put_number(w, "mean", "%.6g", t->mean);
    ts_json_put_number(w, "most", "%.6g", t->most);
    ts_json_begin(w, "parts", '[');
    for (int b = 0; b < TS_SERIES_BINS; b++) ts_json_put_number(w, NULL, "%.6g", t->bin[b]);
    ts_json_end(w, ']');
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void put_memory_json(ts_json_writer *w, const ts_trace_summary *s)
{
  ts_json_begin(w, "memory_at_peak", '{');
  for (size_t i = 0; i < s->memory_by.count; i++)
    ts_json_put_signed(w, ts_events_text(s->events, s->memory_by.at[i].category),
                       s->memory_by.at[i].bytes);
  ts_json_end(w, '}');
}

static void put_file_json(ts_json_writer *w, const ts_events *e, unsigned indent)
{
  ts_json_put_text(w, "file", e->file);
  ts_json_put_text(w, "format", ts_trace_format_name(e->format));
  ts_json_put_text(w, "version", e->version);
  ts_json_put_bool(w, "cut_off", e->cut);
  ts_json_line(w, indent);
  ts_json_put_count(w, "text_bytes", e->bytes);
  ts_json_put_count(w, "events", e->seen);
  put_if_known(w, "rank", e->rank);
  put_if_known(w, "world", e->world);
}

static void put_links_json(ts_json_writer *w, const ts_trace_summary *s)
{
  ts_json_put_count(w, "operators", s->operators);
  ts_json_put_count(w, "calls", s->calls);
  ts_json_put_count(w, "linked_to_calls", s->events->linked_calls);
  ts_json_put_count(w, "linked_to_operators", s->events->linked_ops);
  ts_json_put_count(w, "dependencies", s->edges);
  ts_json_put_count(w, "tensors", s->tensors);
}

void ts_trace_summary_json(const ts_trace_summary *s, ts_json_writer *w, unsigned indent)
{
  static void (*const lists[])(ts_json_writer *, const ts_trace_summary *) = {
    put_steps_json, put_streams_json, put_kinds_json, put_comms_json, put_series_json,
    put_memory_json};
  ts_json_begin(w, NULL, '{');
  put_file_json(w, s->events, indent + 1);
  ts_json_line(w, indent + 1);
  put_shares_json(w, &s->shares);
  ts_json_line(w, indent + 1);
  ts_json_put_signed(w, "idle_for_host_ns", s->idle_host);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    ts_json_line(w, indent + 1);
    lists[i](w, s);
  }
  ts_json_line(w, indent + 1);
  put_if_known(w, "memory_peak_bytes", s->memory_peak);
  put_if_known(w, "memory_reserved_bytes", s->memory_reserved);
  ts_json_line(w, indent + 1);
  put_links_json(w, s);
  ts_json_line(w, indent + 1);
  ts_json_begin(w, "missing", '[');
  for (size_t i = 0; i < s->missing.count; i++)
    ts_json_put_text(w, NULL, s->missing.at[i]);
  ts_json_end(w, ']');
  ts_json_end(w, '}');
}
