/* GOAL schedules in the LogGOPS model: closed forms of Alexandrov et al. (SPAA 1995) and of Hoefler
 * et al. (LSAP 2010), what receives take, and the binary form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "trace/loggops.h"
#include "trace/write/export.h"

static ts_arena *arena;
static void set_up(void) { arena = ts_arena_new("test"); }
static void tear_down(void) { ts_arena_free(arena); }
TestSuite(loggops, .init = set_up, .fini = tear_down);

static ts_loggops_result play(const char *text, const char *parameters)
{
  ts_error error = {0};
  ts_loggops model;
  ts_loggops_result result;
  cr_assert(ts_loggops_read(parameters, &model), "%s", parameters);
  ts_goal_job *s = ts_goal_job_parse(text, strlen(text), &error);
  cr_assert(s, "%s", error.message);
  cr_assert(ts_loggops_play(arena, s, &model, &result, &error), "%s", error.message);
  ts_goal_job_free(s);
  return result;
}

static const char *why_not(const char *text)
{
  static ts_error error;
  ts_loggops model = {.eager = UINT64_MAX};
  ts_loggops_result result;
  error = (ts_error){0};
  ts_goal_job *s = ts_goal_job_parse(text, strlen(text), &error);
  cr_assert(!s || !ts_loggops_play(arena, s, &model, &result, &error));
  ts_goal_job_free(s);
  return error.message;
}

static const char one_way[] = "num_ranks 2\nrank 0 {\ns: send 1001b to 1 tag 3\n}\n"
                              "rank 1 {\nr: recv 1001b from 0 tag 3\n}\n";

Test(loggops, a_message_takes_o_L_o_and_its_bytes)
{
  cr_expect_eq(play(one_way, "L=1000,o=50,G=2").step, 1000 * (50 + 1000 + 50 + 1000 * 2));
  cr_expect_eq(play(one_way, "L=1000,o=50,G=2,O=3").step, 1000 * (50 + 1000 + 50 + 1000 * 3));
  ts_loggops_result r = play(one_way, "L=1000,o=50,G=0.5");
  cr_expect_eq(r.ranks[0].end, 50 * 1000); /* the sender is not held for the bytes */
  cr_expect_eq(r.ranks[1].end, 1000 * (50 + 1000 + 50 + 500));
}

/* k messages one after the other pay one latency: (k-1) gaps between them. */
Test(loggops, messages_in_a_row_are_a_gap_apart)
{
  char text[4096] = "num_ranks 2\nrank 0 {\n", other[2048] = "rank 1 {\n";
  for (int k = 0; k < 10; k++) {
    sprintf(text + strlen(text), "send 101b to 1 tag %d\n", k);
    sprintf(other + strlen(other), "recv 101b from 0 tag %d\n", k);
  }
  strcat(strcat(strcat(text, "}\n"), other), "}\n");
  cr_expect_eq(play(text, "L=5000,g=300,G=2").step, 1000 * (5000 + 9 * (300 + 200) + 200));
}

/* It waits for the processor that its rank works on: once, and is not sent again. */
Test(loggops, a_message_to_oneself)
{
  ts_loggops_result r = play("num_ranks 1\nrank 0 {\ns: send 1b to 0 tag 1\nc: calc 5000\n"
                             "c requires s\nr: recv 1b from 0 tag 1\n}\n",
                             "L=1000,o=50");
  cr_expect_eq(r.step, 1000 * (50 + 5000 + 50));
  cr_expect_eq(r.ranks[0].received, 1);
}

Test(loggops, above_S_a_send_ends_when_its_receive_has_found_it)
{
  static const char late[] = "num_ranks 2\nrank 0 {\ns: send 100b to 1 tag 1\nc: calc 10\n"
                             "c requires s\n}\nrank 1 {\na: calc 9000\nr: recv 100b from 0 tag 1\n"
                             "r requires a\n}\n";
  cr_expect_eq(play(late, "L=1000,S=100").ranks[0].end, 10 * 1000);
  cr_expect_eq(play(late, "L=1000,S=99").ranks[0].end, 9010 * 1000);
  cr_expect_eq(play(late, "L=1000,S=100").unexpected, 1);
}

Test(loggops, receives_take_any_sender_and_any_tag_in_the_order_of_coming)
{
  ts_loggops_result r =
    play("num_ranks 3\nrank 0 {\na: recv 1b from -1 tag -1\nb: recv 1b from 2 tag -1\nc: calc 500\n"
         "c requires a\n}\nrank 1 {\nw: calc 100\ns: send 1b to 0 tag 7\ns requires w\n}\n"
         "rank 2 {\nw: calc 4000\ns: send 1b to 0 tag 9\ns requires w\n}\n",
         "L=1000");
  cr_expect_eq(r.step, 1000 * (4000 + 1000));
}

Test(loggops, a_binomial_tree_of_32_ends_after_five_levels)
{
  char *text = ts_arena_alloc(arena, 1 << 16);
  size_t at = (size_t)sprintf(text, "num_ranks 32\n");
  for (int r = 0; r < 32; r++) {
    at += (size_t)sprintf(text + at, "rank %d {\n", r);
    int from = 0;
    while (r >> (from + 1)) from++;
    if (r)
      at += (size_t)sprintf(text + at, "r: recv 1b from %d tag 0\n", r - (1 << from));
    for (int k = r ? from + 1 : 0; k < 5; k++) {
      at += (size_t)sprintf(text + at, "s%d: send 1b to %d tag 0\n", k, r + (1 << k));
      if (r)
        at += (size_t)sprintf(text + at, "s%d requires r\n", k);
    }
    at += (size_t)sprintf(text + at, "}\n");
  }
  /* the last rank is five messages away, each L + 2 o */
  cr_expect_eq(play(text, "L=2500,o=1500,g=1000").step, 5 * 1000ull * (2500 + 2 * 1500));
}

Test(loggops, what_never_ends_is_named)
{
  cr_expect(strstr(why_not("num_ranks 2\nrank 0 {\nr: recv 5b from 1 tag 3\n}\nrank 1 {\n}\n"),
                   "operation 0 of rank 0 waits for a message from rank 1 with tag 3"));
  cr_expect(strstr(why_not("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\n"
                           "b requires a\n}\n"),
                   "2 operations never end"));
  cr_expect(strstr(why_not("num_ranks 1\nrank 0 {\na: calc 1\n"), "ends early"));
}

Test(loggops, ranks_in_any_order_and_the_binary_form_play_the_same)
{
  static const char turned[] = "num_ranks 3\nrank 2 {\n}\nrank 1 {\nr: recv 1001b from 0 tag 3\n"
                               "c: calc 7 cpu 1\nc irequires r\n}\nrank 0 {\n"
                               "s: send 1001b to 1 tag 3 nic 1\n}\n";
  ts_error error = {0};
  ts_goal_job *s = ts_goal_job_parse(turned, strlen(turned), &error);
  cr_assert(s, "%s", error.message);
  char *bytes = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&bytes, &size);
  ts_goal_binary_write(s, out);
  fclose(out);
  ts_goal_job *again = ts_goal_job_parse(bytes, size, &error);
  cr_assert(again, "%s", error.message);
  ts_loggops model = {.l = 1000, .gap = 1, .eager = UINT64_MAX};
  ts_loggops_result one, two;
  cr_assert(ts_loggops_play(arena, s, &model, &one, &error), "%s", error.message);
  cr_assert(ts_loggops_play(arena, again, &model, &two, &error), "%s", error.message);
  cr_expect_eq(one.step, 2000 * 1000);
  cr_expect_eq(two.step, one.step);
  cr_expect_eq(two.ranks[1].compute, 7000);
  free(bytes);
  ts_goal_job_free(s);
  ts_goal_job_free(again);
}
