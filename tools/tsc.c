#include "base/options.h"
#include "tools/interrupt.h"
#include "tools/programs.h"

int main(int argc, char **argv)
{
  ts_options_begin(argc, argv);
  ts_interrupt_plain();
  return ts_tsc_main(argc, argv);
}
