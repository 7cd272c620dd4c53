/* The summary of a trace as text of 80 columns and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "base/text.h"
#include "trace/summary.h"

enum { NAMES_SHOWN = 8, COMMS_SHOWN = 12, STEPS_SHOWN = 8, COLUMNS = 80 };

typedef struct words { char text[48]; } words;

static words with_commas(uint64_t number)
{
  char digits[24];
  words w = {{0}};
  int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
  size_t n = 0;
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0)
      w.text[n++] = ',';
    w.text[n++] = digits[i];
  }
  return w;
}

static words time_of(int64_t ns)
{
  words w;
  double t = (double)ns;
  if (t < 1e5)
    snprintf(w.text, sizeof w.text, "%.1f us", t / 1e3);
  else if (t < 1e10)
    snprintf(w.text, sizeof w.text, "%.3f ms", t / 1e6);
  else
    snprintf(w.text, sizeof w.text, "%.3f s", t / 1e9);
  return w;
}

static words size_of(int64_t bytes)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  words w;
  double b = (double)bytes;
  size_t u = 0;
  for (; b >= 1024 && u < 5; u++)
    b /= 1024;
  snprintf(w.text, sizeof w.text, u ? "%.1f %s" : "%.0f %s", b, units[u]);
  return w;
}

static double percent(int64_t part, int64_t whole)
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

static void put_head(const ts_trace_summary *s, FILE *out)
{
  const ts_events *e = s->events;
  ts_put_text(out, "%s\n  %s%s%s%s%s, %s of text, %s events\n", e->file,
              ts_trace_format_name(e->format), *e->version ? " " : "", e->version,
              e->packed ? ", gzip" : "", e->cut ? ", cut off" : "", size_of((int64_t)e->bytes).text,
              with_commas(e->seen).text);
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
      ts_put_text(out, ", %s", size_of(d->memory).text);
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
              time_of(t->span).text, 100.0);
  ts_put_text(out, "    %-32s %14s  %5.1f %%\n", "computes", time_of(t->compute).text,
              percent(t->compute, t->span));
  ts_put_text(out, "    %-32s %14s  %5.1f %%\n", "communicates", time_of(t->comm).text,
              percent(t->comm, t->span));
  ts_put_text(out, "      %-30s %14s  %5.1f %%\n", "hidden behind compute",
              time_of(t->overlap).text, percent(t->overlap, t->span));
  ts_put_text(out, "      %-30s %14s  %5.1f %%\n", "exposed", time_of(t->comm - t->overlap).text,
              percent(t->comm - t->overlap, t->span));
  ts_put_text(out, "    %-32s %14s  %5.1f %%\n", "idle", time_of(t->idle).text,
              percent(t->idle, t->span));
  if (s->events->linked_calls)
    ts_put_text(out, "      %-30s %14s  %5.1f %%\n", "the host had launched nothing",
                time_of(s->idle_host).text, percent(s->idle_host, t->span));
}

static void put_streams(const ts_trace_summary *s, FILE *out)
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
    ts_put_text(out, "    %-32s %14s  %5.1f %% %9s\n", name, time_of(t->busy).text,
                percent(t->busy, s->shares.span), with_commas(t->count).text);
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
                time_of(s->kinds.at[i].time).text, percent(s->kinds.at[i].time, whole),
                with_commas(s->kinds.at[i].count).text);
  fputs("\n  longest kernels by name\n", out);
  for (size_t i = 0; i < s->names.count && i < NAMES_SHOWN; i++) {
    const ts_name_sum *n = &s->names.at[i];
    ts_put_text(out, "    %12s %5.1f %% %8s  ", time_of(n->time).text, percent(n->time, whole),
                with_commas(n->count).text);
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
                with_commas(c->count).text, c->sized ? size_of(c->bytes).text : "?",
                time_of(c->time).text);
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
                time_of(t->host).text, time_of(t->shares.span).text,
                percent(t->shares.busy, t->shares.span),
                percent(t->shares.comm - t->shares.overlap, t->shares.span),
                percent(t->shares.idle, t->shares.span));
  }
  if (s->events->step_count > STEPS_SHOWN)
    fprintf(out, "    and %u more\n", s->events->step_count - STEPS_SHOWN);
}

static void put_rest(const ts_trace_summary *s, FILE *out)
{
  const ts_events *e = s->events;
  if (s->memory_peak >= 0)
    ts_put_text(out, "\n  memory of the device: peak %s, %s when recording began, %s reserved\n",
                size_of(s->memory_peak).text, size_of(s->memory_start).text,
                size_of(s->memory_reserved).text);
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
  put_head(s, out);
  put_shares(s, out);
  put_steps(s, out);
  put_streams(s, out);
  put_kernels(s, out);
  put_comms(s, out);
  put_rest(s, out);
}

/* ---- JSON ---- */

static void put_number_or_null(FILE *out, int64_t value)
{
  if (value < 0)
    fputs("null", out);
  else
    fprintf(out, "%" PRId64, value);
}

static void put_shares_json(FILE *out, const ts_time_shares *t)
{
  fprintf(out,
          "{\"span_ns\": %" PRId64 ", \"busy_ns\": %" PRId64 ", \"compute_ns\": %" PRId64
          ", \"communication_ns\": %" PRId64 ", \"overlap_ns\": %" PRId64 ", \"idle_ns\": %" PRId64
          "}",
          t->span, t->busy, t->compute, t->comm, t->overlap, t->idle);
}

void ts_trace_summary_json(const ts_trace_summary *s, FILE *out, const char *indent)
{
  const ts_events *e = s->events;
  ts_put_raw(out, indent);
  fputs("{\"file\": ", out);
  ts_put_json_string(out, e->file);
  fputs(", \"format\": ", out);
  ts_put_json_string(out, ts_trace_format_name(e->format));
  fputs(", \"version\": ", out);
  ts_put_json_string(out, e->version);
  ts_put_json(
    out, ", \"cut_off\": %s,\n%s \"text_bytes\": %" PRIu64 ", \"events\": %" PRIu64 ", \"rank\": ",
    e->cut ? "true" : "false", indent, e->bytes, e->seen);
  put_number_or_null(out, e->rank);
  fputs(", \"world\": ", out);
  put_number_or_null(out, e->world);
  ts_put_json(out, ",\n%s \"device\": ", indent);
  put_shares_json(out, &s->shares);
  ts_put_json(out, ",\n%s \"idle_for_host_ns\": %" PRId64 ",\n%s \"steps\": [", indent,
              s->idle_host, indent);
  for (size_t i = 0; i < s->steps.count; i++) {
    fputs(i ? ", {\"name\": " : "{\"name\": ", out);
    ts_put_json_string(out, ts_events_text(e, ts_event_at(e, s->steps.at[i].mark)->name));
    fprintf(out, ", \"host_ns\": %" PRId64 ", \"device\": ", s->steps.at[i].host);
    put_shares_json(out, &s->steps.at[i].shares);
    fputc('}', out);
  }
  ts_put_json(out, "],\n%s \"streams\": [", indent);
  for (size_t i = 0; i < s->streams.count; i++) {
    const ts_event_track *t = &e->tracks.at[s->streams.at[i].track];
    fputs(i ? ", {\"device\": " : "{\"device\": ", out);
    ts_put_json_string(out, ts_events_text(e, t->process_name));
    fputs(", \"stream\": ", out);
    ts_put_json_string(out, ts_events_text(e, t->thread_name));
    fprintf(out, ", \"kernels\": %u, \"busy_ns\": %" PRId64 "}", s->streams.at[i].count,
            s->streams.at[i].busy);
  }
  ts_put_json(out, "],\n%s \"kinds\": [", indent);
  for (size_t i = 0; i < s->kinds.count; i++)
    ts_put_json(out, "%s{\"kind\": \"%s\", \"kernels\": %u, \"time_ns\": %" PRId64 "}",
                i ? ", " : "", ts_event_kind_name(s->kinds.at[i].kind), s->kinds.at[i].count,
                s->kinds.at[i].time);
  ts_put_json(out, "],\n%s \"communication\": [", indent);
  for (size_t i = 0; i < s->comms.count; i++) {
    const ts_comm_sum *c = &s->comms.at[i];
    ts_put_json(out, "%s{\"collective\": \"%s\", \"group\": ", i ? ", " : "",
                ts_comm_kind_name(c->kind));
    ts_put_json_string(out, ts_events_text(e, c->group));
    fputs(", \"ranks\": ", out);
    ts_put_json_string(out, ts_events_text(e, c->ranks));
    fputs(", \"size\": ", out);
    put_number_or_null(out, c->size);
    fprintf(out, ", \"calls\": %u, \"bytes\": ", c->count);
    put_number_or_null(out, c->sized ? c->bytes : -1);
    fprintf(out, ", \"time_ns\": %" PRId64 "}", c->time);
  }
  ts_put_json(out, "],\n%s \"memory_peak_bytes\": ", indent);
  put_number_or_null(out, s->memory_peak);
  fputs(", \"memory_reserved_bytes\": ", out);
  put_number_or_null(out, s->memory_reserved);
  ts_put_json(
    out,
    ",\n%s \"operators\": %u, \"calls\": %u, \"linked_to_calls\": %u, \"linked_to_operators\": %u, "
    "\"dependencies\": %u, \"tensors\": %u,\n%s \"missing\": [",
    indent, s->operators, s->calls, e->linked_calls, e->linked_ops, s->edges, s->tensors, indent);
  for (size_t i = 0; i < s->missing.count; i++) {
    fputs(i ? ", " : "", out);
    ts_put_json_string(out, s->missing.at[i]);
  }
  fputs("]}", out);
}
