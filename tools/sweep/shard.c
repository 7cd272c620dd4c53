#include "tools/sweep/shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

enum { MOST = 1000000 };

static bool shard_number(const char *text, long long min, long long max, long long *value)
{
  char *end;
  errno = 0;
  *value = text && *text ? strtoll(text, &end, 10) : 0;
  return text && *text >= '0' && *text <= '9' && !*end && !errno && *value >= min && *value <= max;
}

static bool shard_wrong(ts_options *o, const char *why)
{
  ts_options_wrong(o, "`%s` takes I/N, such as 2/8, all/N or auto: %s", o->spelled, why);
  return false;
}

/* SLURM_ARRAY_TASK_ID counts from SLURM_ARRAY_TASK_MIN (sbatch(1)), JOB_COMPLETION_INDEX from 0
 * (Kubernetes, indexed jobs). */
static bool from_environment(ts_options *o, long long stated, ts_sweep_shard *shard)
{
  const char *id = getenv("SLURM_ARRAY_TASK_ID"), *first = getenv("SLURM_ARRAY_TASK_MIN"),
             *count = getenv("SLURM_ARRAY_TASK_COUNT"), *index = getenv("JOB_COMPLETION_INDEX");
  long long min = 0;
  shard->count = stated;
  if (id) {
    if (first && !shard_number(first, 0, INT32_MAX, &min))
      return shard_wrong(o, "SLURM_ARRAY_TASK_MIN is no number");
    if (!shard_number(id, min, INT32_MAX, &shard->index))
      return shard_wrong(o, "SLURM_ARRAY_TASK_ID is no number of the array");
    shard->index -= min;
    if (!stated && !shard_number(count, 1, MOST, &shard->count))
      return shard_wrong(o, "SLURM_ARRAY_TASK_COUNT is not set: say auto/N");
  } else if (index) {
    if (!shard_number(index, 0, INT32_MAX, &shard->index))
      return shard_wrong(o, "JOB_COMPLETION_INDEX is no number");
    if (!stated)
      return shard_wrong(o, "JOB_COMPLETION_INDEX does not say of how many: say auto/N");
  } else {
    return shard_wrong(o, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set");
  }
  return shard->index < shard->count || shard_wrong(o, "this task is behind the last part");
}

bool ts_sweep_shard_read(ts_options *o, ts_sweep_shard *shard)
{
  const char *text = o->argument, *slash = strchr(text, '/');
  char first[24];
  size_t length = slash ? (size_t)(slash - text) : strlen(text);
  long long count = 0;
  if (length >= sizeof first || (slash && !shard_number(slash + 1, 1, MOST, &count)))
    return shard_wrong(o, "N is a whole number from 1 to 1000000");
  memcpy(first, text, length);
  first[length] = 0;
  if (!strcmp(first, "auto"))
    return from_environment(o, count, shard);
  if (!strcmp(first, "all") && slash) {
    *shard = (ts_sweep_shard){TS_SHARD_ALL, count};
    return true;
  }
  if (!slash)
    return shard_wrong(o, "it has no `/`");
  if (!shard_number(first, 1, count, &shard->index))
    return shard_wrong(o, "I is a whole number from 1 to N, or `all`");
  shard->index--;
  shard->count = count;
  return true;
}

/* ---- The script ---- */

static void put_word(const char *word, FILE *out)
{
  fputs(" '", out);
  for (; *word; word++)
    ts_put_text(out, *word == '\'' ? "'\\''" : "%c", *word);
  fputc('\'', out);
}

/* The option, as one word or with the next one as its argument; 0: it is another. */
static int is_option(const char *name, char **argv, int left)
{
  size_t length = strlen(name);
  if (strncmp(argv[0], name, length) != 0)
    return 0;
  return argv[0][length] == '=' ? 1 : argv[0][length] ? 0 : left > 1 ? 2 : 1;
}

static void put_arguments(int argc, char **argv, FILE *out)
{
  static const char *const others[] = {"--sbatch", "--journal", "--shard"};
  for (int i = 1; i < argc;) {
    int skip = !strcmp(argv[i], "--resume");
    for (int k = 0; k < 3 && !skip; k++)
      skip = is_option(others[k], argv + i, argc - i);
    if (!skip)
      put_word(argv[i], out);
    i += skip ? skip : 1;
  }
}

void ts_sweep_shard_put_script(long long parts, const char *journal, bool whole, int argc,
                               char **argv, FILE *out)
{
  fprintf(out,
          "#!/bin/sh\n"
          "#SBATCH --job-name=sweep\n"
          "#SBATCH --array=1-%lld\n"
          "#SBATCH --requeue\n"
          "# When all are done:\n"
          "#   trainspec sweep merge -o",
          parts);
  put_word(journal, out);
  put_word(journal, out);
  fputs(".*[0-9]\n#   trainspec sweep --journal", out);
  put_word(journal, out);
  fputs(" --resume", out);
  if (whole)
    fprintf(out, " --shard all/%lld", parts);
  put_arguments(argc, argv, out);
  fputs("\nexec trainspec sweep --shard auto --journal", out);
  put_word(journal, out);
  fputs(".\"$SLURM_ARRAY_TASK_ID\" --resume -j \"${SLURM_CPUS_PER_TASK:-1}\"", out);
  put_arguments(argc, argv, out);
  fputc('\n', out);
}
