# SPDX-License-Identifier: Apache-2.0
"""report: what came of a row, as a file, and as text for people. One JSON file a row, so that rows can be run one by one."""
import json

from bench import chart
from bench.figures import OURS, failures, judge, medians, number, ratios
from bench.rows import ROWS

NAMES = {"tidemark": "tidemark", "debezium": "Debezium", "tuned": "Debezium, tuned"}


def result_of(name, runs, machine, options):
    """All that is to be known of a row; as it is stored."""
    row = ROWS[name]
    return {"row": name, "what": row.what, "chief": row.chief, "machine": machine, "options": options, "runs": runs,
            "medians": medians(runs), "ratios": {other: ratios(runs, other) for other in row.against},
            "bars": [judge(bar, runs) for bar in row.bars], "failures": failures(runs)}


def store(folder, result):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{result['row']}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def load(folder):
    """The stored results, in the order of the rows."""
    paths = {name: folder / f"{name}.json" for name in ROWS}
    return [json.loads(path.read_text()) for path in paths.values() if path.exists()]


# ---- a row on the terminal

def bar_text(bar):
    """'records/s ≥ 10× debezium: 11.4×, met; aim 12×'"""
    sign, unit, whose = ("≥", "×", f" {NAMES[bar['against']]}") if bar["against"] else ("≤", "", "")
    value = "not measured" if bar["met"] is None else f"{number(bar['value'])}{unit}, {'met' if bar['met'] else 'MISSED'}"
    return f"{bar['figure']} {sign} {number(bar['must'])}{unit}{whose}: {value}; aim {number(bar['aim'])}{unit}"


def text(result):
    columns = list(dict.fromkeys(figure for figures in result["medians"].values() for figure in figures))
    lines = [f"\n{result['row']}: {result['what']}", f"  {'':18}" + "".join(f"{column:>20}" for column in columns)]
    for label, figures, unit in ([(NAMES[name], figures, "") for name, figures in result["medians"].items()]
                                 + [(f"× {NAMES[name]}", figures, "×") for name, figures in result["ratios"].items() if figures]):
        cells = (number(figures[column]) + unit if column in figures else "" for column in columns)
        lines.append(f"  {label:18}" + "".join(f"{cell:>20}" for cell in cells))
    lines += [f"  must: {bar_text(bar)}" for bar in result["bars"]]
    return "\n".join(lines + [f"  FAILED: {failure}" for failure in result["failures"]])


# ---- all rows on a page

def _cells(result, bar):
    """One line of the table: a bar, or the chief figure of a row without one."""
    figure, other = bar["figure"], bar["against"] or next(iter(result["ratios"]))
    of = result["medians"]
    shown = [number(of[name][figure]) if figure in of.get(name, {}) else "" for name in (OURS, other)]
    ratio = result["ratios"].get(other, {}).get(figure)
    must = "" if bar["must"] is None else f"{number(bar['must'])}×" if bar["against"] else f"≤ {number(bar['must'])}"
    share = of.get(OURS, {}).get("% of the limit") if figure == "records/s" else None
    return [result["row"], figure, shown[0], f"{shown[1]}{' (tuned)' if other == 'tuned' and shown[1] else ''}",
            "" if ratio is None else f"{number(ratio)}×", must,
            {True: "yes", False: "no", None: ""}[bar["met"]], "" if share is None else f"{share:.0f} %"]


def markdown(results):
    head = ["work", "figure", "tidemark", "Debezium", "ratio", "must", "met", "of the limit"]
    lines = [head, ["---"] * len(head)]
    for result in results:
        chief = {"figure": result["chief"], "against": None, "must": None, "met": None}
        lines += [_cells(result, bar) for bar in result["bars"] or [chief]]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def svg(results):
    """The chart: for each row and each program it ran against, the ratio of the chief figure and what it must be."""
    bars = []
    for result in results:
        for other, ratios_to in result["ratios"].items():
            if result["chief"] in ratios_to:
                must = [bar["must"] for bar in result["bars"]
                        if bar["against"] == other and bar["figure"] == result["chief"]]
                bars.append(chart.Bar(f"{result['row']}{', tuned' if other == 'tuned' else ''}", ratios_to[result["chief"]],
                                      must[0] if must else None, _pair(result, other)))
    machine = results[-1]["machine"] if results else {}
    where = f"{machine.get('cpu')}, {machine.get('cores')} cores shared with server and broker; {machine.get('when')}"
    return chart.draw("How many times better than Debezium 3.6.1 at the same work", where, bars)


def _pair(result, other):
    """'310,000 against 27,100 records/s'"""
    ours, theirs = (result["medians"][name][result["chief"]] for name in (OURS, other))
    return f"{number(ours)} against {number(theirs)} {result['chief']}"
