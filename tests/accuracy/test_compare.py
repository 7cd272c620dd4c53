"""Figures of `./dev accuracy`: closed forms, marks that follow from them, and what a machine's own measurements buy."""
import math
import os
import pathlib
import random
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "compare"), str(HERE.parents[1] / "packages" / "python")]

import between  # noqa: E402
import coverage  # noqa: E402
import factors  # noqa: E402
import predict  # noqa: E402
import table  # noqa: E402
import words  # noqa: E402
import workers  # noqa: E402
from figures import Point, figures_of, median, rank_correlation  # noqa: E402
from result import MEAN, ORDER, WITHIN_FIVE, Ask, Result  # noqa: E402
from step import Answer, Kind, Step  # noqa: E402


def points(*pairs, **more):
    return [Point("", predicted, measured, **more) for predicted, measured in pairs]


class Figures(unittest.TestCase):
    def test_medians_of_odd_and_even_numbers(self):
        self.assertEqual(median([5, 1, 9]), 5)
        self.assertEqual(median([5, 1, 9, 3]), 4)
        self.assertTrue(math.isnan(median([])))

    def test_rank_correlation_without_ties(self):
        """1 - 6 sum d^2 / (n (n^2 - 1)) (Spearman 1904)."""
        x = [1, 2, 3, 4, 5]
        self.assertAlmostEqual(rank_correlation(x, [1, 8, 27, 64, 125]), 1)
        self.assertAlmostEqual(rank_correlation(x, [9, 7, 5, 3, 1]), -1)
        self.assertAlmostEqual(rank_correlation(x, [2, 1, 4, 3, 5]), 1 - 6 * 4 / (5 * 24))
        self.assertTrue(math.isnan(rank_correlation([1, 2], [1, 2])))

    def test_rank_correlation_with_ties(self):
        """Ties share their ranks: x has ranks 1.5 1.5 3, y has 1 2 3; Pearson of these is sqrt(3) / 2."""
        self.assertAlmostEqual(rank_correlation([4, 4, 7], [1, 2, 3]), math.sqrt(3) / 2)
        self.assertTrue(math.isnan(rank_correlation([1, 1, 1], [1, 2, 3])))

    def test_errors_keep_their_sign_and_are_shares_of_what_was_measured(self):
        f = figures_of(points((104, 100), (92, 100), (170, 200), (130, 100)))
        self.assertAlmostEqual(f.mean, (4 + 8 + 15 + 30) / 4)
        self.assertAlmostEqual(f.median, (8 + 15) / 2)
        self.assertAlmostEqual(f.bias, (4 - 8 - 15 + 30) / 4)
        self.assertAlmostEqual(f.worst, 30)
        self.assertEqual((f.rows, f.worst_row, f.within), (4, 3, (25, 50, 75)))
        self.assertTrue(math.isnan(f.rate_order) and math.isnan(f.baseline) and math.isnan(f.held))

    def test_the_baseline_is_the_median_rate_of_the_rows(self):
        """Rates are 10, 20 and 40: one rate of 20 predicts 2, 1 and 0.5 times the time."""
        f = figures_of([Point("", 1, 1, 10), Point("", 2, 1, 20), Point("", 3, 1, 40)])
        self.assertAlmostEqual(f.baseline, (50 + 0 + 100) / 3)
        self.assertAlmostEqual(f.rate_order, math.sqrt(3) / 2)  # rates 10, 10 and 13 1/3 against 10, 20 and 40

    def test_a_baseline_that_is_stated_counts(self):
        self.assertAlmostEqual(figures_of([Point("", 1, 2, 0, 1), Point("", 1, 4, 0, 5)]).baseline, (50 + 25) / 2)

    def test_intervals_hold_their_bounds(self):
        some = [Point("", 10, measured, 0, 0, low, high)
                for measured, low, high in ((9, 9, 12), (13, 9, 12), (8, 8, 10), (10, 9, 13))]
        f = figures_of(some)
        self.assertEqual((f.held, f.width), (75, 30))
        some[2].low = some[2].high = 0
        self.assertTrue(math.isnan(figures_of(some).held))

    def test_differences_are_judged_by_sign_and_size(self):
        f = figures_of(points((0.13, 0.1), (-0.1, 0.1), (-0.3, -0.2), (-0.1, -0.1)))
        self.assertEqual((f.same_sign, f.within_third), (75, 50))


class Marks(unittest.TestCase):
    def two_groups(self, *asks):
        r = Result("set", "title", asks=asks)
        part = r.part("rows not fitted")
        part.add("maker a", points((104, 100), (108, 100)))
        part.add("maker b", points((80, 100)))
        return r.marks()

    def test_marks_are_computed_line_by_line(self):
        marks = self.two_groups(Ask("rows not fitted", "maker *", MEAN, 7, "why"), Ask("rows of the fit", "*", MEAN, 1))
        self.assertEqual([(m.missed, m.asked, m.came) for m in marks],
                         [(False, "mean 7 %", "6.00 %"), (True, "mean 7 %", "20.00 %")])

    def test_an_order_is_asked_for_from_below_and_only_where_there_is_one(self):
        marks = self.two_groups(Ask("*", "*", ORDER, 0.9), Ask("*", "maker b", WITHIN_FIVE, 90))
        self.assertEqual([(m.missed, m.came) for m in marks], [(True, "0 %")])  # groups of one and two have no order


def step(kind, series, size, predicted, measured):
    s = Step(table.Row([], 0, {}), "a row", kind=kind, series=series, size=size, measured=measured)
    s.take(Answer(predicted, 0, 0, 0, 0, 0, 0, math.nan, math.nan, 1, Kind("", "", 16, False, False, 1), False))
    return s


class Factors(unittest.TestCase):
    """No row helps itself."""

    def test_a_row_is_left_out_of_its_own_factor(self):
        """Ratios 2, 3 and 8: a row's factor is the geometric middle of the two others."""
        found, alone = factors.leave_one_out([step("k", None, 0, 1, 2), step("k", None, 0, 1, 3),
                                              step("k", None, 0, 1, 8), step("alone", None, 0, 1, 100)])
        self.assertEqual(alone, 1)
        for p, expected in zip(found, (math.sqrt(3 * 8), math.sqrt(2 * 8), math.sqrt(2 * 3))):
            self.assertAlmostEqual(p.predicted, expected)

    def test_a_wrong_level_does_not_matter_where_the_ratio_is_right(self):
        found = factors.largest_from_smallest([step("k", "s", 64, 10, 20), step("k", "s", 8, 70, 140),
                                               step("k", "s", 16, 36, 90), step("k", "t", 8, 1, 1)], False)
        self.assertEqual([(p.predicted, p.measured) for p in found], [(20, 20)])

    def test_the_smallest_is_of_the_same_kind_where_there_is_one(self):
        some = [step("old", "s", 8, 1, 5), step("new", "s", 8, 1, 2), step("new", "s", 64, 3, 6),
                step("old", "s", 4, 1, 9)]
        self.assertEqual([p.predicted for p in factors.largest_from_smallest(some[:3], False)], [6])
        self.assertEqual([p.predicted for p in factors.largest_from_smallest(some, True)], [9, 6])


class Intervals(unittest.TestCase):
    def test_a_quantile_reaches_far_enough_for_one_more_row(self):
        """Of 19 alike, 90 % (1 + 1/19) is 18 of them; of 9 it is all."""
        self.assertEqual(coverage._side([(i, 1) for i in range(1, 20)], False), 18)
        self.assertEqual(coverage._side([(i, 1) for i in range(1, 10)], False), 9)
        self.assertEqual(coverage._side([(i, 1) for i in range(1, 11)], True), 9)
        self.assertEqual(coverage._side([(-2, 1)], False), 0)

    def test_students_t(self):
        """Tables of one side, 90 %."""
        for freedom, t in ((3, 1.638), (5, 1.476), (10, 1.372), (30, 1.310)):
            self.assertAlmostEqual(coverage._t(freedom), t, 2)

    def test_intervals_for_what_no_row_is_of_hold_four_of_five(self):
        """Frameworks with an error of their own and rows that scatter, one of them with most rows."""
        chance, held = random.Random(5), 0
        for _ in range(400):
            v = coverage.Coverage()
            for f in range(12):
                own = chance.gauss(0.2, 1)
                for row in range(60 if f == 0 else 4):
                    kind = Kind(f"f{f}", "gpu", 16, False, False, row % 4)
                    v._add(coverage.Seen(coverage.STEP, "set", f"f{f} {row % 4}", kind, None, 0.5,
                                         0.5 * (own + chance.gauss(0, 0.5)), 0, 0, True))
            new = coverage.Seen(coverage.STEP, "set", "new", Kind("new", "gpu", 16, False, False, 0), None, 0.5,
                                0.5 * (chance.gauss(0.2, 1) + chance.gauss(0, 0.5)), 0, 0, True)
            r = v.nearest(new)
            held += -r.below <= new.log / 0.5 <= r.above
        self.assertTrue(0.76 <= held / 400 <= 0.84, held / 400)


class Words(unittest.TestCase):
    def test_numbers_are_what_a_cell_begins_with(self):
        self.assertEqual((table.number("12abc"), table.number(" 1e3 s"), table.number("-.5")), (12, 1000, -0.5))
        self.assertTrue(math.isnan(table.number("abc")) and math.isinf(table.number("inf")))

    def test_arguments_and_names(self):
        self.assertEqual(words.argument("ab=1;b=2;c=3", "b"), "2")
        self.assertEqual(words.machine("H100 NVL"), None)
        self.assertEqual(words.named_model("Llama-3.1 70B").name, "llama3_70b")
        self.assertEqual([predict.value(e) for e in ("8", "0.5", "bf16", '"a"', "4 B")],
                         [8, 0.5, "bf16", '"a"', "(4 B)"])


class Fabrics(unittest.TestCase):
    def test_sentences_about_clusters_are_read(self):
        for text, gpus, fabric, rate, nics in (
                ("InfiniBand NDR, 8x400 Gb/s a node", 8, "infiniband", 3200, 8),
                ("EFA, 4x100 Gb/s a node", 8, "efa_p4", 400, 4),
                ("EFA, 32x100 Gb/s a node", 8, "efa", 3200, 32),
                ("EFA, 16x200 Gb/s a node", 8, "efa", 3200, 16),
                ("TCPXO, 8x200 Gb/s a node", 8, "tcpx", 1600, 8),
                ("RoCE, 8x2x400 Gb/s a node", 8, "roce", 6400, 16),
                ("Slingshot 11, 4x200 Gb/s a node (4 GPUs)", 4, "slingshot11", 800, 4),
                ("Slingshot, 2x200 Gb/s a node (4 GPUs)", 4, "slingshot11_shared", 400, 2),
                ("2 NVL72 racks; RoCE, 8x400 Gb/s a node", 4, "nvl72", 3200, 8),
                ("RoCE or InfiniBand, 4-8x400 Gb/s a node", 4, "infiniband", 1600, 4),
                ("a fabric of our own", 8, "", 0, 0), ("", 8, "", 0, 0)):
            of = between.links(text, gpus)
            self.assertEqual((of.fabric, of.node * 8e-9, of.nics), (fabric, rate, nics), text)
        self.assertEqual(between.links("2 NVL72 racks; RoCE, 8x400 Gb/s a node", 4).racks, 2)
        self.assertEqual(between.links("NVL72 racks (16 nodes used of each)", 4).rack_nodes, 16)


def answer(n):
    if n == 3:
        os.abort()
    return n * n


class Workers(unittest.TestCase):
    def test_what_ends_its_process_costs_itself_alone(self):
        found = workers.each(list(range(6)), answer)
        self.assertEqual(found[:3] + found[4:], [0, 1, 4, 16, 25])
        self.assertEqual(found[3], "its process ended (status 6)")


if __name__ == "__main__":
    unittest.main()
