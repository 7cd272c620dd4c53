/* trainspec completion: the script that teaches a shell to complete our command lines. */
#include <string.h>

#include "base/escape.h"
#include "base/options.h"
#include "tools/cli/pages.h"
#include "tools/cli/programs.h"

static const ts_option options[] = {{0}};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static const ts_option_values values[] = {{TS_OPERAND, shells}, {0}};
static const char *const usage[] = {"bash | zsh | fish", NULL};
static const char *const notes[] = {
  "`make install` puts the scripts where the shells look for them. Otherwise:",
  "  bash  source <(trainspec completion bash)          in ~/.bashrc",
  "  zsh   trainspec completion zsh >DIR/_trainspec     DIR: a folder of $fpath",
  "  fish  trainspec completion fish | source           in ~/.config/fish/config.fish",
  NULL,
};
static const ts_program program = {
  .summary = "TrainSpec: prints the script that completes command lines in a shell.",
  .usage = usage,
  .options = options,
  .values = values,
  .notes = notes,
  .manual = "trainspec(1)"};

int ts_completion_main(int argc, char **argv)
{
  static const char *const paths[] = {"share/bash-completion/trainspec", "share/zsh/_trainspec",
                                      "share/fish/trainspec.fish"};
  ts_options o = ts_options_start(&program, argc, argv);
  int id = ts_options_next(&o), shell = 0;
  if (id == TS_OPTIONS_EXIT)
    return o.status;
  if (id == TS_OPTIONS_END)
    return ts_options_wrong(&o, "no shell given: bash, zsh or fish");
  while (shells[shell] && strcmp(shells[shell], o.argument) != 0)
    shell++;
  if (!shells[shell])
    return ts_options_not_among(&o, "shell", o.argument, shells);
  for (size_t i = 0; i < ts_pages_file_count; i++)
    if (!strcmp(ts_pages_files[i].path, paths[shell]))
      ts_put_raw(stdout, (const char *)ts_pages_files[i].bytes);
  return ts_options_finish(&o, stdout, TS_EXIT_DONE);
}
