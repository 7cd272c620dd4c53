/* Names of devices, as files state them, and the gpus that go by them. */
#include <criterion/criterion.h>

#include "compiler/eval/module.h"
#include "compiler/lower/device.h"
#include "compiler/machine/cluster.h"
#include "tests/unit/test_eval.h"

static const ts_plan *plan_of(ts_desk *desk, const char *plan)
{
  ts_plan *p = ts_plan_load(desk->s, ts_desk_file(desk, "plan.ts", plan), NULL);
  cr_assert(p, "%s", ts_desk_errors(desk));
  return p;
}

static const char *other(ts_desk *desk, const ts_plan *p, const char *device)
{
  const ts_value *gpu = ts_other_gpu(desk->s, p, device);
  return gpu ? gpu->u.record->name : "";
}

#define GPUS                                                                                       \
  "gpu big { memory = 1 GiB, bandwidth = 1 TB/s, peak = { fp32: 1 TFLOP/s }, called = [\"*B100 "   \
  "80GB*\", \"b100\"] }\n"                                                                         \
  "gpu bare { memory = 1 GiB, bandwidth = 1 TB/s, peak = { fp32: 1 TFLOP/s } }\n"

Test(device, a_gpu_goes_by_its_name_and_those_it_is_called)
{
  ts_desk desk = ts_desk_open();
  const ts_plan *p = plan_of(&desk, GPUS "cluster c() {\n  device d[1]: big\n}\nplan p {\n  model "
                                         "= none\n  cluster = c()\n  costs = [roofline(big)]\n}\n");
  cr_expect_str_eq(other(&desk, p, "big"), "");
  cr_expect_str_eq(other(&desk, p, "BIG"), "");
  cr_expect_str_eq(other(&desk, p, "Maker B100 80GB HBM"), "");
  cr_expect_str_eq(other(&desk, p, "B100"), "");
  cr_expect_str_eq(other(&desk, p, "Maker B100 40GB"), "big");
  cr_expect_str_eq(other(&desk, p, "b100_sxm"), "big");
  cr_expect_str_eq(other(&desk, p, "bare"), "big");
  cr_expect_str_eq(other(&desk, p, ""), "", "nothing is stated");
  cr_expect_str_eq(other(&desk, p, NULL), "");
  ts_desk_close(&desk);
}

Test(device, one_of_the_cluster_is_enough)
{
  ts_desk desk = ts_desk_open();
  const ts_plan *p = plan_of(
    &desk, GPUS "cluster c() {\n  device d[1]: bare\n  device e[1]: big\n  link d[*] <-> e[*] { "
                "bandwidth = 1 GB/s }\n}\n"
                "plan p {\n  model = none\n  cluster = c()\n  costs = [roofline(big)]\n}\n");
  cr_expect_str_eq(other(&desk, p, "b100"), "");
  cr_expect_str_eq(other(&desk, p, "bare"), "");
  cr_expect_str_eq(other(&desk, p, "v100"), "bare", "the first is named");
  ts_desk_close(&desk);
}
