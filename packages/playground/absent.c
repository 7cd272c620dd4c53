/* What programs may ask for and emscripten's C library lacks: other processes. */
#include <errno.h>
#include <spawn.h>

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[])
{
  (void)pid;
  (void)file;
  (void)actions;
  (void)attributes;
  (void)arguments;
  (void)environment;
  return ENOSYS;
}
