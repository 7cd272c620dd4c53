#include "tools/cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"

static volatile sig_atomic_t pending; /* the signal, or 0 */
static const char *said;

static void set(void (*handler)(int))
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

static void die(int number)
{
  ts_outputs_abandon();
  signal(number, SIG_DFL);
  raise(number);
}

static void interrupt_end(int number)
{
  ssize_t written = write(STDERR_FILENO, said, strlen(said));
  (void)written;
  die(number);
}

static void interrupt_keep(int number)
{
  if (pending)
    die(number);
  pending = number;
}

void ts_interrupt_ends(const char *message)
{
  said = message;
  set(interrupt_end);
}

void ts_interrupt_asks(void) { set(interrupt_keep); }
int ts_interrupt_pending(void) { return pending; }
void ts_interrupt_plain(void) { set(die); }
