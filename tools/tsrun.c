/* `tsrun` as a program of its own; `trainspec run` is the same function. */
#include "base/options.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/programs.h"

int main(int argc, char **argv)
{
  ts_options_begin(argc, argv);
  ts_interrupt_plain();
  return ts_tsrun_main(argc, argv);
}
