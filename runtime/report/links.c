#include "runtime/report/links.h"

#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "runtime/account/run.h"
#include "runtime/report/members.h"

enum { NAME = 38, SHOWN = 3 };

static const char *end_name(const ts_summary *s, ts_arena *arena, uint32_t link, bool last)
{
  const ts_ir_link *l = &s->ir->links[link / 2];
  return ts_report_vertex(arena, s->ir, (link % 2 != 0) != last ? l->to : l->from);
}

static uint32_t tier_of(const ts_summary *s, uint32_t link)
{
  return s->ir->link_classes[s->ir->links[link / 2].link_class].tier;
}

/* ---- Text ---- */

static void line(const char *name, const char *count, double bytes, const char *mean, double most,
                 FILE *out)
{
  ts_put_text(out, "  %-*s%14s%13s%10s%10s\n", NAME - 7, name, count, ts_format_bytes(bytes).text,
              mean, ts_format_share(most).text);
}

static void packets_line(const ts_tier_use *t, ts_arena *arena, double step, FILE *out)
{
  if (!t->marked && !t->lost && !t->most_waiting && !t->paused)
    return;
  const char *paused =
    t->paused ? ts_arena_printf(arena, ", paused %s at most",
                                ts_format_share(step > 0 ? (double)t->paused / step : 0).text) :
                "";
  ts_put_text(out, "    packets: %s marked, %s lost, up to %s waiting%s\n",
              ts_format_count(t->marked).text, ts_format_count(t->lost).text,
              ts_format_bytes((double)t->most_waiting).text, paused);
}

void ts_report_links_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  ts_link_uses uses = ts_run_link_uses(s->run, arena);
  if (!uses.tier_count)
    return;
  ts_put_text(out, "\n%-*s%14s%13s%10s%10s\n", NAME - 5,
              uses.packets ? "Links, of flows and packets" : "Links, of flows", "in use", "bytes",
              "mean use", "busiest");
  for (uint32_t i = 0; i < uses.tier_count; i++) {
    const ts_tier_use *t = &uses.tiers[i];
    line(ts_arena_printf(arena, "tier %u", t->tier),
         ts_arena_printf(arena, "%s of %s", ts_format_count(t->used).text,
                         ts_format_count(t->links).text),
         t->bytes, ts_format_share(t->mean).text, t->most, out);
    packets_line(t, arena, (double)s->result->step, out);
  }
  for (uint32_t i = 0; i < uses.busiest_count && i < SHOWN; i++) {
    const ts_link_use *l = &uses.busiest[i];
    const char *name = ts_arena_printf(arena, "%s -> %s", end_name(s, arena, l->link, false),
                                       end_name(s, arena, l->link, true));
    line(ts_report_fit(arena, name, NAME - 8),
         ts_arena_printf(arena, "tier %u", tier_of(s, l->link)), l->bytes, "", l->share, out);
  }
}

/* ---- JSON ---- */

static void add_packets(cJSON *o, uint64_t packets, uint64_t skipped, uint64_t marked,
                        uint64_t lost, uint64_t waiting, uint64_t paused)
{
  cJSON_AddNumberToObject(o, "packets", (double)packets);
  cJSON_AddNumberToObject(o, "packets_skipped", (double)skipped);
  cJSON_AddNumberToObject(o, "packets_marked", (double)marked);
  cJSON_AddNumberToObject(o, "packets_lost", (double)lost);
  cJSON_AddNumberToObject(o, "most_waiting_bytes", (double)waiting);
  cJSON_AddNumberToObject(o, "paused_ps", (double)paused);
}

void ts_report_links_json(const ts_summary *s, cJSON *root)
{
  ts_arena *arena = ts_arena_new("links");
  ts_link_uses uses = ts_run_link_uses(s->run, arena);
  cJSON *links = uses.tier_count ? cJSON_AddObjectToObject(root, "links") : NULL,
        *tiers = links ? cJSON_AddArrayToObject(links, "tiers") : NULL,
        *busiest = links ? cJSON_AddArrayToObject(links, "busiest") : NULL;
  if (links && uses.packets)
    cJSON_AddNumberToObject(links, "steady", uses.steady);
  for (uint32_t i = 0; i < uses.tier_count; i++) {
    const ts_tier_use *t = &uses.tiers[i];
    cJSON *o = ts_add_element(tiers);
    cJSON_AddNumberToObject(o, "tier", t->tier);
    cJSON_AddNumberToObject(o, "directions", t->links);
    cJSON_AddNumberToObject(o, "used", t->used);
    cJSON_AddNumberToObject(o, "bytes", t->bytes);
    cJSON_AddNumberToObject(o, "mean_use", t->mean);
    cJSON_AddNumberToObject(o, "busiest_use", t->most);
    if (uses.packets)
      add_packets(o, t->packets, t->skipped, t->marked, t->lost, t->most_waiting, t->paused);
  }
  for (uint32_t i = 0; i < uses.busiest_count; i++) {
    const ts_link_use *l = &uses.busiest[i];
    cJSON *o = ts_add_element(busiest);
    cJSON_AddStringToObject(o, "from", end_name(s, arena, l->link, false));
    cJSON_AddStringToObject(o, "to", end_name(s, arena, l->link, true));
    cJSON_AddNumberToObject(o, "tier", tier_of(s, l->link));
    cJSON_AddNumberToObject(o, "bytes", l->bytes);
    cJSON_AddNumberToObject(o, "use", l->share);
    if (uses.packets)
      add_packets(o, l->packets.packets, l->packets.skipped, l->packets.marked, l->packets.lost,
                  l->packets.most_waiting, l->packets.paused);
  }
  ts_arena_free(arena);
}

/* ---- CSV ---- */

void ts_report_links_columns(const ts_link_uses *uses, FILE *out)
{
  static const char *const of_packets[] = {"packets",      "packets_skipped",    "packets_marked",
                                           "packets_lost", "most_waiting_bytes", "paused_ps"};
  if (uses->packets)
    fprintf(out, ",packets_steady");
  for (uint32_t i = 0; i < uses->tier_count; i++) {
    uint32_t tier = uses->tiers[i].tier;
    fprintf(out, ",tier%u_bytes,tier%u_mean_use,tier%u_busiest_use", tier, tier, tier);
    for (size_t k = 0; uses->packets && k < sizeof of_packets / sizeof *of_packets; k++)
      ts_put_csv(out, ",tier%u_%s", tier, of_packets[k]);
  }
}

void ts_report_links_row(const ts_link_uses *uses, FILE *out)
{
  if (uses->packets)
    fprintf(out, ",%.17g", uses->steady);
  for (uint32_t i = 0; i < uses->tier_count; i++) {
    const ts_tier_use *t = &uses->tiers[i];
    fprintf(out, ",%.17g,%.17g,%.17g", t->bytes, t->mean, t->most);
    if (uses->packets)
      fprintf(out, ",%llu,%llu,%llu,%llu,%llu,%llu", (unsigned long long)t->packets,
              (unsigned long long)t->skipped, (unsigned long long)t->marked,
              (unsigned long long)t->lost, (unsigned long long)t->most_waiting,
              (unsigned long long)t->paused);
  }
}
