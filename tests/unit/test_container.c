/* Limits on memory of control groups, read from made trees. */
#define _GNU_SOURCE /* mkdtemp */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/container.h"

static char root[] = "/tmp/ts_container_XXXXXX";

static void start(void) { cr_assert_not_null(mkdtemp(root)); }

static void end(void)
{
  char remove[64];
  snprintf(remove, sizeof remove, "rm -rf %s", root);
  cr_expect_eq(system(remove), 0);
}

static void put(const char *path, const char *text)
{
  char command[512];
  snprintf(command, sizeof command, "p=%s%s; mkdir -p ${p%%/*} && printf '%s\\n' >$p", root, path,
           text);
  cr_assert_eq(system(command), 0);
}

Test(container, a_process_without_groups_has_no_limit, .init = start, .fini = end)
{
  cr_expect_eq(ts_container_memory(root), 0);
  put("/proc/self/cgroup", "");
  cr_expect_eq(ts_container_memory(root), 0);
  put("/proc/self/cgroup", "nonsense\\n0\\n1:memory\\n:::");
  cr_expect_eq(ts_container_memory(root), 0);
}

Test(container, the_least_of_a_group_and_those_around_it_holds, .init = start, .fini = end)
{
  put("/proc/self/cgroup", "0::/outer/inner");
  put("/sys/fs/cgroup/outer/inner/memory.max", "max");
  cr_expect_eq(ts_container_memory(root), 0);
  put("/sys/fs/cgroup/outer/memory.max", "2147483648");
  cr_expect_eq(ts_container_memory(root), 1ull << 31);
  put("/sys/fs/cgroup/outer/inner/memory.max", "4294967296");
  cr_expect_eq(ts_container_memory(root), 1ull << 31);
  put("/sys/fs/cgroup/outer/inner/memory.max", "1073741824");
  cr_expect_eq(ts_container_memory(root), 1ull << 30);
}

Test(container, the_tree_may_begin_at_the_container, .init = start, .fini = end)
{
  put("/proc/self/cgroup", "0::/");
  put("/sys/fs/cgroup/memory.max", "536870912");
  cr_expect_eq(ts_container_memory(root), 1ull << 29);
  put("/proc/self/cgroup", "0::/not/seen/here");
  cr_expect_eq(ts_container_memory(root), 1ull << 29);
}

Test(container, version_1_has_a_tree_for_memory, .init = start, .fini = end)
{
  put("/proc/self/cgroup",
      "9:name=systemd:/\\n5:cpuset,memory:/docker/f5b8\\n3:cpu:/docker/f5b8\\n0::/");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  cr_expect_eq(ts_container_memory(root), 0, "what stands for no limit");
  put("/sys/fs/cgroup/memory/docker/f5b8/memory.limit_in_bytes", "268435456");
  cr_expect_eq(ts_container_memory(root), 1ull << 28);
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728");
  cr_expect_eq(ts_container_memory(root), 1ull << 27);
}

Test(container, what_cannot_be_read_limits_nothing, .init = start, .fini = end)
{
  put("/proc/self/cgroup", "0::/a");
  put("/sys/fs/cgroup/a/memory.max", "99999999999999999999999");
  cr_expect_eq(ts_container_memory(root), 0);
  put("/sys/fs/cgroup/a/memory.max", "much");
  cr_expect_eq(ts_container_memory(root), 0);
}
