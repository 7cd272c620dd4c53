/* The one writer of files. */
#define _GNU_SOURCE /* mkdtemp */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/exit.h"
#include "base/heap.h"
#include "base/output.h"
#include "base/source.h"

static ts_arena *arena;
static char folder[] = "/tmp/ts_output_XXXXXX";

static void start(void)
{
  arena = ts_arena_new("test");
  cr_assert(mkdtemp(folder) && chdir(folder) == 0);
}

static void end(void)
{
  cr_expect_eq(system(ts_arena_printf(arena, "rm -rf %s", folder)), 0);
  ts_arena_free(arena);
}

static void put(const char *path, const char *text)
{
  cr_assert_eq(ts_write_file(path, text, strlen(text)), 0, "%s", path);
}

static const char *got(const char *path)
{
  size_t size;
  int error;
  const char *text = ts_read_file(arena, path, &size, &error);
  return text ? text : strerror(error);
}

static int names(void)
{
  DIR *here = opendir(".");
  int count = -2; /* . and .. */
  while (readdir(here)) count++;
  closedir(here);
  return count;
}

Test(output, two_writers_of_one_file_leave_one_of_them_whole, .init = start, .fini = end)
{
  ts_output a, b;
  cr_assert(!ts_output_open(&a, "f") && !ts_output_open(&b, "f"));
  for (int i = 0; i < 1000; i++) fputs("aaaaaaaa\n", a.out), fputs("bb\n", b.out);
  cr_expect(access("f", F_OK) != 0, "not before it is whole");
  cr_expect(!ts_output_close(&b, true) && !ts_output_close(&a, true));
  cr_expect_eq(strlen(got("f")), 9000);
  cr_expect_eq(names(), 1);
}

Test(output, the_mode_is_kept_and_a_new_file_has_that_of_the_mask, .init = start, .fini = end)
{
  struct stat info;
  umask(027);
  put("f", "1");
  cr_expect(stat("f", &info) == 0 && (info.st_mode & 07777) == 0640);
  chmod("f", 0604);
  put("f", "2");
  cr_expect(stat("f", &info) == 0 && (info.st_mode & 07777) == 0604);
}

Test(output, links_are_followed_to_the_file_meant, .init = start, .fini = end)
{
  struct stat info;
  mkdir("d", 0777);
  cr_assert(!symlink("d/file", "one") && !symlink("one", "two") && !symlink("loop", "loop") &&
            !symlink("/dev/full", "full"));
  put("two", "new"); /* the file is not there yet */
  put("two", "newer");
  cr_expect_str_eq(got("d/file"), "newer");
  cr_expect(lstat("two", &info) == 0 && S_ISLNK(info.st_mode) && lstat("one", &info) == 0 &&
            S_ISLNK(info.st_mode));
  cr_expect_eq(ts_write_file("loop", "x", 1), ELOOP);
  cr_expect_eq(ts_write_file("full", "x", 1), ENOSPC);
  cr_expect(lstat("full", &info) == 0 && S_ISLNK(info.st_mode));
}

Test(output, what_cannot_be_written_is_said_and_the_old_file_stays, .init = start, .fini = end)
{
  ts_output o;
  put("f", "old");
  cr_expect_eq(ts_write_file("/dev/full", "x", 1), ENOSPC);
  cr_expect_eq(ts_write_file(".", "x", 1), EISDIR);
  cr_expect_eq(ts_write_file("none/f", "x", 1), ENOENT);
  cr_assert_eq(ts_output_open(&o, "f"), 0);
  fputs("half", o.out);
  cr_expect_eq(ts_output_close(&o, false), 0);
  cr_expect_str_eq(got("f"), "old");
  cr_expect_eq(names(), 1);
}

Test(output, names_as_long_as_names_can_be, .init = start, .fini = end)
{
  char name[256] = {0};
  memset(name, 'n', 255);
  put(name, "x");
  cr_expect_str_eq(got(name), "x");
}

Test(output, a_signal_finds_what_is_to_be_removed, .init = start, .fini = end)
{
  ts_output a, b;
  put("f", "old");
  cr_assert(!ts_output_open(&a, "f") && !ts_output_open(&b, "g"));
  cr_expect_eq(names(), 3);
  ts_outputs_abandon();
  cr_expect_eq(names(), 1);
  cr_expect_str_eq(got("f"), "old");
}

Test(output, all_of_many_are_abandoned_when_the_program_is_ended, .init = start, .fini = end)
{
  enum { MANY = 200 };
  ts_output o[MANY];
  for (int i = 0; i < MANY; i++)
    cr_assert_eq(ts_output_open(&o[i], ts_arena_printf(arena, "f%d", i)), 0);
  cr_expect_eq(names(), MANY);
  for (int i = 0; i < MANY; i += 2)
    ts_output_close(&o[i], true);
  ts_outputs_abandon();
  cr_expect_eq(names(), MANY / 2, "those that are whole");
  cr_expect_eq(access("f0", F_OK), 0);
  for (int i = 1; i < MANY; i += 2)
    ts_output_close(&o[i], false);
}

Test(output, a_new_file_takes_no_place_of_another, .init = start, .fini = end)
{
  ts_output o;
  cr_assert_eq(ts_output_open(&o, "f"), 0);
  fputs("late", o.out);
  put("f", "first");
  cr_expect_eq(ts_output_close_new(&o), EEXIST);
  cr_expect_str_eq(got("f"), "first");
  cr_assert_eq(ts_output_open(&o, "g"), 0);
  fputs("new", o.out);
  cr_expect_eq(ts_output_close_new(&o), 0);
  cr_expect_str_eq(got("g"), "new");
  cr_expect_eq(names(), 2);
}

Test(output, a_pipe_stays_a_pipe, .init = start, .fini = end)
{
  struct stat info;
  char text[8] = {0};
  cr_assert_eq(mkfifo("p", 0600), 0);
  pid_t child = fork();
  if (!child)
    _exit(ts_write_file("p", "hello", 5));
  FILE *in = fopen("p", "r");
  cr_expect_eq(fread(text, 1, sizeof text, in), 5);
  fclose(in);
  waitpid(child, NULL, 0);
  cr_expect(lstat("p", &info) == 0 && S_ISFIFO(info.st_mode));
}

/* What a shell has opened as standard output goes on being it, also when it is a regular file, or
 * reached through a link. */
Test(output, standard_output_is_a_stream, .init = start, .fini = end)
{
  struct stat before, after;
  cr_assert_eq(symlink("/dev/stdout", "link"), 0);
  put("f", "");
  cr_assert_eq(stat("f", &before), 0);
  pid_t child = fork();
  if (!child) {
    int fd = open("f", O_WRONLY | O_APPEND);
    dup2(fd, STDOUT_FILENO);
    printf("first ");
    _exit(ts_write_file("-", "a ", 2) || ts_write_file("/dev/stdout", "b ", 2) ||
          ts_write_file("/dev/fd/1", "c ", 2) || ts_write_file("link", "d", 1));
  }
  int status;
  waitpid(child, &status, 0);
  cr_expect_eq(status, 0);
  cr_expect_str_eq(got("f"), "first a b c d");
  cr_expect(stat("f", &after) == 0 && before.st_ino == after.st_ino);
  cr_expect_eq(names(), 2, "and `-` is no name of a file");
}

/* A process that helps and gets no memory leaves what the other one writes. */
Test(output, helpers_without_memory_leave_it, .init = start, .fini = end)
{
  ts_output o;
  int status = 0;
  ts_heap_of_program("test");
  cr_assert(!ts_output_open(&o, "f"));
  fputs("all", o.out);
  fflush(o.out);
  pid_t helper = fork();
  if (!helper) {
    ts_heap_of_helper();
    ts_heap_none(1);
  }
  cr_assert(helper > 0 && waitpid(helper, &status, 0) == helper);
  cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == TS_EXIT_ENVIRONMENT);
  cr_assert_eq(ts_output_close(&o, true), 0);
  cr_assert_str_eq(got("f"), "all");
}
