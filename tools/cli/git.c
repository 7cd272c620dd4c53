#include "tools/cli/git.h"

#include <errno.h>
#include <fcntl.h>
#include <sha1.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void ts_git_name(const void *bytes, size_t size, char name[TS_GIT_NAME])
{
  char head[32];
  SHA1_CTX state;
  SHA1Init(&state);
  SHA1Update(&state, (const uint8_t *)head,
             (size_t)snprintf(head, sizeof head, "blob %zu", size) + 1);
  SHA1Update(&state, bytes, size);
  SHA1End(&state, name);
}

/* The repository may be a stranger's, so nothing that its configuration names is run: git reads one
 * object, for which it takes no command from there but to fetch what a partial clone lacks. That is
 * off, and no protocol is allowed to releases of git that know no such switch (before 2.39.4). A
 * folder that looks like a bare repository may have come with a clone and is none (2.38). Links in
 * the repository to what never ends meet limits on memory (KiB), on processor time and on time. */
static const char bounded[] =
  "ulimit -d 1048576 && ulimit -t 10 && export GIT_ALLOW_PROTOCOL= GIT_NO_LAZY_FETCH=1 "
  "GIT_NO_REPLACE_OBJECTS=1 && exec timeout -s KILL 10 git -c safe.bareRepository=explicit \"$@\"";

enum { MOST = 256 << 20 }; /* bytes of a content */

/* The words, with what they print in the pipe; 0: they cannot be started. */
static pid_t git_start(const char *const *words, int *out)
{
  posix_spawn_file_actions_t files;
  int ends[2];
  pid_t child = 0;
  if (pipe(ends) != 0)
    return 0;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  /* what it has to say is lost */
  posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&files, ends[1]);
  if (posix_spawnp(&child, *words, &files, NULL, (char *const *)(uintptr_t)words, environ) != 0)
    child = 0;
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (child)
    *out = ends[0];
  else
    close(ends[0]);
  return child;
}

/* NULL: there is too much. */
static char *git_read_all(ts_arena *arena, int in, size_t *size)
{
  TS_VEC(char) text = {0};
  char buffer[1 << 14];
  ssize_t got;
  while ((got = read(in, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
    if (text.count > MOST)
      return NULL;
    for (ssize_t i = 0; i < got; i++)
      TS_PUSH(arena, &text, buffer[i]);
  }
  *size = text.count;
  TS_PUSH(arena, &text, 0);
  return text.at;
}

char *ts_git_content(ts_arena *arena, const char *folder, const char *name, size_t *size)
{
  const char *const words[] = {"sh",   "-c",       bounded, "git", "-C",
                               folder, "cat-file", "blob",  name,  NULL};
  int out = -1, status = -1;
  pid_t child = git_start(words, &out);
  if (!child)
    return NULL;
  char *text = git_read_all(arena, out, size);
  close(out);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : NULL;
}
