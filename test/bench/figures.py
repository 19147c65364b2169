# SPDX-License-Identifier: Apache-2.0
"""figures: medians, ratios and bars: what may be said of several runs.

A run is {contender: figures}; figures of one that failed are {"failed": why} and count for nothing else.
A ratio is above 1 where tidemark is the better one, whichever way the figure goes. It is taken within one run, and of the
ratios of all runs the median: what disturbed a run disturbed both.
"""
import statistics
from dataclasses import dataclass

OURS = "tidemark"
MORE_IS_BETTER = {"records/s", "limit/s", "% of the limit"}
NO_RATIO = {"records", "limit/s", "% of the limit", "load/s"}
LEAST = 1e-6  # what has no measurable size


@dataclass(frozen=True)
class Bar:
    """What is asked of a figure: as a ratio to another contender at least, or (against None) by itself at most."""
    figure: str
    must: float
    aim: float
    against: str = None


def of(runs, contender):
    """Its figures, run by run, without failed ones."""
    return [run[contender] for run in runs if contender in run and "failed" not in run[contender]]


def medians(runs):
    """{contender: {figure: median}}"""
    names = {name: None for run in runs for name in run}
    return {name: {figure: statistics.median(one[figure] for one in of(runs, name)) for figure in of(runs, name)[0]}
            for name in names if of(runs, name)}


def ratio(figure, ours, theirs):
    better, worse = (ours, theirs) if figure in MORE_IS_BETTER else (theirs, ours)
    return better / max(worse, LEAST)


def ratios(runs, against):
    """{figure: median of the ratios}; empty without a run in which both ended well."""
    pairs = [(run[OURS], run[against]) for run in runs
             if all(name in run and "failed" not in run[name] for name in (OURS, against))]
    common = [figure for figure in pairs[0][0] if figure in pairs[0][1] and figure not in NO_RATIO] if pairs else []
    return {figure: statistics.median(ratio(figure, ours[figure], theirs[figure]) for ours, theirs in pairs)
            for figure in common}


def judge(bar, runs):
    """The bar with what came of it; value and met are None where it was not measured."""
    if bar.against:
        value = ratios(runs, bar.against).get(bar.figure)
        met = None if value is None else value >= bar.must
    else:
        value = medians(runs).get(OURS, {}).get(bar.figure)
        met = None if value is None else value <= bar.must
    return {"figure": bar.figure, "against": bar.against, "must": bar.must, "aim": bar.aim, "value": value, "met": met}


def failures(runs):
    return [f"{name}, run {i}: {figures['failed']}" for i, run in enumerate(runs, 1) for name, figures in run.items()
            if "failed" in figures]


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * percent / 100))]


def number(value):
    """Three digits that count, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
