/* trainspec db: the profile database. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/options.h"
#include "base/source.h"
#include "cost/database.h"
#include "cost/table.h"
#include "tools/cli/programs.h"

enum { DB = 1, DEVICE, SOFTWARE, SOURCE };
enum { ADD, LIST, SHOW };

static const ts_option options[] = {
  {DB, 0, "db", "FILE", "the database (~/.cache/trainspec/profiles.db)", "Database"},
  {DEVICE, 0, "device", "NAME",
   "add: the measured device (the one the table names); show: only this device", NULL},
  {SOFTWARE, 0, "software", "TEXT", "versions of the software in use", NULL},
  {SOURCE, 0, "source", "TEXT", "add: the origin of the measurements (the table's `# source:`)",
   NULL},
  {0},
};
static const char *const usage[] = {"add [--device NAME] [OPTION]... TABLE...", "list [OPTION]...",
                                    "show [OPTION]... [FAMILY]", NULL};
static const char *const notes[] = {
  "TABLE is a table of costs, such as `trainspec table` writes. Rows of an equal",
  "key and source are replaced; sources that disagree are kept and reported.",
  "",
  "Examples:",
  "$ add --db gpu.db --device GPU ops.csv   # in a plan: costs = db(\"gpu.db\")",
  "$ list --db gpu.db",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL};
static const ts_program program = TS_COMMAND("measured operators of many devices in one file.");

typedef TS_VEC(ts_db_row) row_list;

typedef struct db_task {
  ts_arena *arena;
  ts_options options;
  ts_diags *diags;
  const char *db, *device, *software, *source;
  TS_VEC(const char *) operands;
  row_list rows; /* to add */
} db_task;

static int db_refuse(db_task *t, const ts_error *error)
{
  ts_diag *d =
    ts_diag_add_error(t->diags, TS_E0525, error, "cannot use the database `%s`", t->db);
  if (!error->help[0] && access(t->db, F_OK) != 0)
    ts_diag_help(d, "there is none yet: `trainspec db add TABLE` makes it");
  return TS_EXIT_REJECTED;
}

/* -- add -- */

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *features_of(ts_arena *arena, const ts_table_group *g, uint32_t row)
{
  const char *part[TS_TABLE_MAX_COLUMNS], *text = "";
  for (uint32_t f = 0; f < g->width; f++)
    part[f] = ts_arena_printf(arena, "%s=%.15g", g->name[f], g->value[(size_t)row * g->width + f]);
  qsort(part, g->width, sizeof *part, by_text);
  for (uint32_t f = 0; f < g->width; f++)
    text = ts_arena_printf(arena, "%s%s%s", text, f ? " " : "", part[f]);
  return text;
}

static int take_table(db_task *t, const char *path, row_list *rows)
{
  size_t size, text_size;
  int error;
  char *bytes = ts_read_file(t->arena, path, &size, &error);
  ts_error why = {0};
  if (!bytes) {
    ts_diag_add(t->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, strerror(error));
    return TS_EXIT_ENVIRONMENT;
  }
  const char *text = ts_cost_text(t->arena, bytes, size, &text_size, &why);
  const ts_table *table = text ? ts_table_read(t->arena, text, text_size, NULL, &why) : NULL;
  if (!table) {
    ts_diag_add_error(t->diags, TS_E0525, &why, "cannot read the table `%s`", path);
    return TS_EXIT_REJECTED;
  }
  const char *device = t->device ? t->device : table->device;
  if (!*device) {
    ts_diag *d = ts_diag_add(t->diags, TS_E0525, TS_NO_SPAN,
                             "the table `%s` does not say on which device it was measured", path);
    ts_diag_help(d, "name it: `--device NAME`, or a line `# device: NAME` in the table");
    return TS_EXIT_REJECTED;
  }
  if (*table->device && strcmp(device, table->device) != 0)
    ts_put_text(stdout, "%s: filed under `%s`; the table names `%s`\n", ts_base_name(path), device,
                table->device);
  const char *source = t->source                               ? t->source :
                       table->provenance && *table->provenance ? table->provenance :
                                                                 ts_base_name(path);
  for (uint32_t i = 0; i < table->group_count; i++)
    for (uint32_t r = 0; r < table->group[i].count; r++) {
      const ts_table_group *g = &table->group[i];
      const ts_table_spread *spread = &g->spread[r];
      TS_PUSH(
        t->arena, rows,
        ((ts_db_row){g->family, g->dtype ? g->dtype : "", features_of(t->arena, g, r), device,
                     t->software ? t->software : "", source, 1e6 * g->seconds[r], spread->low_us,
                     spread->high_us, spread->repeats < 1e15 ? (int64_t)spread->repeats : 0}));
    }
  return TS_EXIT_DONE;
}

static void put_disputes(const ts_db_disputes *found)
{
  if (!found->count)
    return;
  printf("\n%zu kernels on which two sources disagree:\n", found->count);
  for (size_t i = 0; i < found->count && i < 10; i++) {
    const ts_db_dispute *d = &found->at[i];
    ts_put_text(stdout, "  %s %s %s on %s: %.1f us (%s), %.1f us (%s), %+.0f %%\n", d->family,
                d->dtype, d->features, d->device, d->us[0], d->source[0], d->us[1], d->source[1],
                100 * (d->us[1] / d->us[0] - 1));
  }
  if (found->count > 10)
    printf("  and %zu more\n", found->count - 10);
}

/* Before the database is opened, which makes one. */
static int take_tables(db_task *t)
{
  int status = TS_EXIT_DONE;
  for (size_t i = 0; i < t->operands.count && status == TS_EXIT_DONE; i++)
    status = take_table(t, t->operands.at[i], &t->rows);
  return status;
}

static int db_add(db_task *t, ts_db *db)
{
  const row_list *rows = &t->rows;
  ts_error error = {0};
  ts_db_disputes disputes = {0};
  size_t replaced = 0;
  if (!ts_db_add(db, rows->at, rows->count, &replaced, &error) ||
      !ts_db_find_disputes(t->arena, db, &disputes, &error))
    return db_refuse(t, &error);
  printf("%zu rows", rows->count);
  for (size_t i = 0; i < rows->count; i++)
    if (!i || strcmp(rows->at[i].device, rows->at[i - 1].device) != 0)
      ts_put_text(stdout, "%s`%s`", i ? ", " : " of ", rows->at[i].device);
  printf(" added, %zu of them in the place of earlier ones\n", replaced);
  put_disputes(&disputes);
  return TS_EXIT_DONE;
}

/* -- list and show -- */

typedef struct sum { const char *device, *software, *family, *dtype, *source; uint64_t rows; } sum;
typedef struct db_sums {
  ts_arena *arena;
  TS_VEC(sum) at;
} db_sums;

static void count_row(void *closure, const ts_db_row *r)
{
  db_sums *s = closure;
  for (size_t i = s->at.count; i-- > 0;)
    if (!strcmp(s->at.at[i].device, r->device) && !strcmp(s->at.at[i].software, r->software) &&
        !strcmp(s->at.at[i].family, r->family) && !strcmp(s->at.at[i].dtype, r->dtype) &&
        !strcmp(s->at.at[i].source, r->source)) {
      s->at.at[i].rows++;
      return;
    }
  const char *texts[] = {r->device, r->software, r->family, r->dtype, r->source};
  for (int i = 0; i < 5; i++) texts[i] = ts_arena_string(s->arena, texts[i], strlen(texts[i]));
  TS_PUSH(s->arena, &s->at, ((sum){texts[0], texts[1], texts[2], texts[3], texts[4], 1}));
}

static int list(db_task *t, ts_db *db)
{
  db_sums s = {.arena = t->arena};
  ts_error error = {0};
  ts_db_disputes disputes = {0};
  if (!ts_db_each(db, NULL, t->device, t->software, count_row, &s, &error) ||
      !ts_db_find_disputes(t->arena, db, &disputes, &error))
    return db_refuse(t, &error);
  ts_put_text(stdout, "%-20s %-16s %-14s %-6s %8s  %s\n", "device", "software", "family", "type",
              "rows", "source");
  for (size_t i = 0; i < s.at.count; i++) {
    const sum *a = &s.at.at[i];
    ts_put_text(stdout, "%-20s %-16s %-14s %-6s %8" PRIu64 "  %s\n", a->device,
                *a->software ? a->software : "-", a->family, *a->dtype ? a->dtype : "any", a->rows,
                a->source);
  }
  put_disputes(&disputes);
  return TS_EXIT_DONE;
}

static void db_put_row(void *closure, const ts_db_row *r)
{
  (void)closure;
  ts_put_text(stdout, "%-12s %-6s %-32s %10.2f us", r->family, *r->dtype ? r->dtype : "any",
              r->features, r->us);
  if (r->low_us > 0)
    printf("  %.2f to %.2f", r->low_us, r->high_us);
  if (r->repeats > 0)
    printf("  of %" PRId64, r->repeats);
  ts_put_text(stdout, "  %s%s%s, %s\n", r->device, *r->software ? ", " : "", r->software,
              r->source);
}

static int db_show(db_task *t, ts_db *db)
{
  ts_error error = {0};
  const char *family = t->operands.count ? t->operands.at[0] : NULL;
  return ts_db_each(db, family, t->device, t->software, db_put_row, NULL, &error) ?
           TS_EXIT_DONE :
           db_refuse(t, &error);
}

/* ~/.cache/trainspec/profiles.db, or under XDG_CACHE_HOME; its folder is made for writing. */
static const char *usual_file(db_task *t, bool create)
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (!cache || !*cache)
    cache = home && *home ? ts_arena_printf(t->arena, "%s/.cache", home) : ".";
  const char *folder = ts_arena_printf(t->arena, "%s/trainspec", cache);
  if (create) {
    mkdir(cache, 0777); /* what cannot be created is reported when the file is opened */
    mkdir(folder, 0777);
  }
  return ts_arena_printf(t->arena, "%s/profiles.db", folder);
}

static int db_run(db_task *t, int what)
{
  ts_error error = {0};
  int status = what == ADD ? take_tables(t) : TS_EXIT_DONE;
  if (status != TS_EXIT_DONE)
    return status;
  if (!t->db)
    t->db = usual_file(t, what == ADD);
  ts_db *db = ts_db_open(t->arena, t->db, what == ADD, &error);
  if (!db)
    return db_refuse(t, &error);
  status = what == ADD ? db_add(t, db) : what == LIST ? list(t, db) : db_show(t, db);
  ts_db_close(db);
  return status;
}

static int check(db_task *t, int *what)
{
  static const char *const words[] = {"add", "list", "show", NULL};
  if (!t->operands.count)
    return ts_options_wrong(&t->options, "no command given: `add`, `list` or `show`");
  for (*what = 0; words[*what] && strcmp(words[*what], t->operands.at[0]) != 0;) ++*what;
  if (!words[*what])
    return ts_options_not_among(&t->options, "command", t->operands.at[0], words);
  t->operands.at++, t->operands.count--;
  if (*what == ADD && !t->operands.count)
    return ts_options_wrong(&t->options, "no table given");
  if (*what == LIST ? t->operands.count > 0 : *what == SHOW && t->operands.count > 1)
    return ts_options_wrong(&t->options, "too many arguments");
  return -1;
}

int ts_db_main(int argc, char **argv)
{
  db_task t = {.arena = ts_arena_new("db")};
  int status = -1, what = 0;
  t.diags = ts_diags_new(t.arena, ts_sources_new(t.arena));
  t.options = ts_options_start(&program, argc, argv);
  for (int id; status < 0 && (id = ts_options_next(&t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: status = t.options.status; break;
    case TS_OPERAND: TS_PUSH(t.arena, &t.operands, t.options.argument); break;
    case DB: t.db = t.options.argument; break;
    case DEVICE: t.device = t.options.argument; break;
    case SOFTWARE: t.software = t.options.argument; break;
    case SOURCE: t.source = t.options.argument; break;
    }
  if (status < 0)
    status = check(&t, &what);
  if (status < 0)
    status = ts_options_finish(&t.options, stdout, db_run(&t, what));
  int rejected = ts_options_report(&t.options, t.diags);
  ts_arena_free(t.arena);
  return rejected ? rejected : status;
}
