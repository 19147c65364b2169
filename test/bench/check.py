# SPDX-License-Identifier: Apache-2.0
"""check: tests of what needs no server: figures, the report, the chart, the file of records for the limit."""
import struct
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import chart, figures  # noqa: E402
from bench.figures import Bar  # noqa: E402

try:
    from bench import ceiling, report
except ImportError as missing:  # a machine without the clients that the servers are asked with
    print(f"skipped: {missing}")
    sys.exit(77)

FAST, SLOW = {"records": 5, "records/s": 100.0, "MiB": 40.0}, {"records": 1, "records/s": 10.0, "MiB": 2000.0}


def runs(*ours):
    return [{"tidemark": {**FAST, "records/s": rate}, "debezium": dict(SLOW)} for rate in ours]


class Figures(unittest.TestCase):
    def test_median_is_of_the_runs_that_ended_well(self):
        three = runs(100.0, 300.0, 90.0)
        three[1]["tidemark"] = {"failed": "it died"}
        self.assertEqual(figures.medians(three)["tidemark"]["records/s"], 95.0)
        self.assertEqual(figures.failures(three), ["tidemark, run 2: it died"])

    def test_ratio_is_above_one_where_ours_is_better(self):
        self.assertEqual(figures.ratio("records/s", 100, 10), 10)
        self.assertEqual(figures.ratio("MiB", 40, 2000), 50)
        self.assertGreater(figures.ratio("% of a core", 0, 1), 1000)

    def test_ratio_is_the_median_of_ratios_within_runs(self):
        three = runs(100.0, 100.0, 100.0)
        three[2]["debezium"]["records/s"] = 50.0
        three[0]["debezium"]["records/s"] = 20.0
        self.assertEqual(figures.ratios(three, "debezium"), {"records/s": 5.0, "MiB": 50.0})

    def test_ratio_needs_a_run_of_both(self):
        three = runs(100.0, 200.0)
        three[0]["debezium"] = {"failed": "race"}
        self.assertEqual(figures.ratios(three, "debezium")["records/s"], 20.0)
        self.assertEqual(figures.ratios(three, "tuned"), {})
        self.assertEqual(figures.ratios([], "debezium"), {})

    def test_bar_is_met_missed_or_not_measured(self):
        def met(*bar):
            return figures.judge(Bar(*bar), runs(100.0))["met"]
        self.assertTrue(met("records/s", 10, 12, "debezium"))
        self.assertFalse(met("records/s", 10.1, 12, "debezium"))
        self.assertIsNone(met("records/s", 10, 12, "tuned"))
        self.assertTrue(met("MiB", 40, 30))
        self.assertFalse(met("MiB", 39.9, 30))
        self.assertIsNone(met("first record s", 1, 1))

    def test_percentile(self):
        self.assertEqual([figures.percentile(range(100), p) for p in (0, 50, 99, 100)], [0, 50, 99, 99])


class Report(unittest.TestCase):
    def result(self, *ours):
        return report.result_of("catch-up", runs(*ours), {"cpu": "C", "cores": 2, "when": "now"}, {"scale": 1})

    def test_row_is_told_with_its_bars(self):
        text = report.text(self.result(100.0))
        self.assertIn("records/s ≥ 10× Debezium: 10×, met; aim 12×", text)
        self.assertIn("MISSED", report.text(self.result(99.0)))

    def test_row_without_debezium_and_one_that_failed_are_told(self):
        for figures_of_one in ({"tidemark": FAST}, {"tidemark": {"failed": "it died"}, "debezium": SLOW}):
            result = report.result_of("catch-up", [figures_of_one], {}, {})
            self.assertIn("not measured", report.text(result))
            self.assertIn("catch-up", report.markdown([result]))
            xml.fromstring(report.svg([result]))
        self.assertIn("FAILED: tidemark, run 1: it died", report.text(result))

    def test_row_comes_back_from_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            report.store(Path(folder) / "new", self.result(100.0))
            (stored,) = report.load(Path(folder) / "new")
        self.assertEqual(stored, self.result(100.0))
        self.assertIn("| catch-up | records/s | 100 | 10 | 10× | 10× | yes |  |", report.markdown([stored]))


class Chart(unittest.TestCase):
    def test_bars_and_marks_are_where_their_values_are(self):
        svg = chart.draw("a < b", "where", [chart.Bar("one", 100, 10, "n"), chart.Bar("two & three", 10, None, ""),
                                            chart.Bar("short", 0.5, 1, "")])
        drawn = xml.fromstring(svg)
        ns = "{http://www.w3.org/2000/svg}"
        bars = drawn.findall(f"{ns}rect")
        self.assertEqual([bar.get("class") for bar in bars], ["bar", "bar", "short"])
        self.assertEqual([float(bar.get("width")) for bar in bars], [chart.SPAN, chart.SPAN / 2, 0])
        marks = [float(line.get("x1")) for line in drawn.findall(f"{ns}line") if line.get("class") == "must"]
        self.assertEqual(marks, [chart.LEFT + chart.SPAN / 2, chart.LEFT])
        self.assertIn("prefers-color-scheme: dark", svg)

    def test_scale_ends_with_a_round_number(self):
        self.assertEqual([chart.ticks(most)[-1] for most in (0.4, 1, 2, 2.1, 25, 100, 101)], [2, 2, 2, 5, 50, 100, 200])

    def test_nothing_to_draw_is_no_error(self):
        xml.fromstring(chart.draw("t", "s", []))


class Ceiling(unittest.TestCase):
    def test_records_are_written_as_ceiling_c_reads_them(self):
        message = types.SimpleNamespace(topic=lambda: "a.t", key=lambda: b"k", value=lambda: None, headers=lambda: [("h", b"v1")])
        def i32(n):
            return struct.pack("<i", n)
        self.assertEqual(ceiling.encode([message], {"a.t": "x", "a.u": "w"}), b"".join([
            i32(2), i32(1), b"w", i32(1), b"x",
            i32(1), i32(1), i32(1), b"k", i32(-1), i32(1), i32(1), b"h", i32(2), b"v1"]))


if __name__ == "__main__":
    unittest.main()
