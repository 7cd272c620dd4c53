/* TrainSpec in a program of yours: the time of a step.
 *   cc $(pkg-config --cflags trainspec) embed.c $(pkg-config --libs trainspec) -o embed && ./embed gpt3_175b.ts
 */
#include <stdio.h>

#include "compiler/compile.h"
#include "runtime/account/result.h"

int main(int argc, char **argv)
{
  ts_arena *arena = ts_arena_new("embedded");
  ts_session *session = ts_session_new(arena);
  ts_input input;
  uint64_t step = 0;
  if (argc == 2 && ts_input_open(session, argv[1], &(ts_compile_options){0}, &input)) {
    ts_stop stop = {.arena = arena};
    if (ts_run_step(&input.ir, &(ts_run_options){0}, &step, &stop))
      printf("%.3f s\n", (double)step * 1e-12);
    ts_input_close(&input);
  }
  ts_diags_print(session->diags, stderr, ts_color_auto(stderr));
  ts_arena_free(arena);
  return step ? 0 : 1;
}
