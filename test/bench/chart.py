# SPDX-License-Identifier: Apache-2.0
"""chart: bars with a mark for what each must reach, as an SVG of its own, for pages that are light or dark."""
import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT = 820, 150, 300  # names stand left of the bars, figures right of them
HEAD, LINE, THICK, FOOT = 58, 26, 14, 38
SPAN = WIDTH - LEFT - RIGHT

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.small { font-size: 11px; fill: #59636e; }
.grid { stroke: #d1d9e0; }
.bar { fill: #0969da; }
.short { fill: #bc4c00; }
.must { stroke: #1f2328; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .grid { stroke: #3d444d; }
  .bar { fill: #4493f8; }
  .short { fill: #f0883e; }
  .must { stroke: #f0f6fc; }
}
"""


@dataclass(frozen=True)
class Bar:
    name: str
    value: float  # times
    must: float  # or None
    note: str


def ticks(most):
    """1, 2 and 5 times powers of ten, up to the first that nothing is beyond."""
    all_of_them = [factor * 10 ** power for power in range(7) for factor in (1, 2, 5)]
    return all_of_them[:max(2, sum(tick < most for tick in all_of_them) + 1)]


def draw(title, subtitle, bars):
    """The SVG as text. The scale is logarithmic and begins at 1, where nothing is won; a bar below that has no length."""
    lines = ticks(max([max(bar.value, bar.must or 0) for bar in bars], default=1))
    bottom = HEAD + LINE * len(bars)
    height = bottom + FOOT

    def width(value):
        return round(math.log(max(value, 1)) / math.log(lines[-1]) * SPAN, 1)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">',
           f"<style>{STYLE}</style>", f'<text class="title" x="8" y="20">{escape(title)}</text>',
           f'<text class="small" x="8" y="38">{escape(subtitle)}</text>']
    for tick in lines:
        x = LEFT + width(tick)
        out += [f'<line class="grid" x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{bottom}"/>',
                f'<text class="small" x="{x}" y="{bottom + 14}" text-anchor="middle">{tick}×</text>']
    for i, bar in enumerate(bars):
        y = HEAD + i * LINE
        missed = bar.must is not None and bar.value < bar.must
        out += [f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(bar.name)}</text>',
                f'<rect class="{"short" if missed else "bar"}" x="{LEFT}" y="{y}" height="{THICK}" '
                f'width="{width(bar.value)}"/>',
                f'<text x="{LEFT + SPAN + 12}" y="{y + 12}">{bar.value:.3g}× '
                f'<tspan class="small">{escape(bar.note)}</tspan></text>']
        if bar.must is not None:
            x = LEFT + width(bar.must)
            out.append(f'<line class="must" x1="{x}" x2="{x}" y1="{y - 3}" y2="{y + THICK + 3}"/>')
    out += [f'<text class="small" x="8" y="{height - 4}">The upright mark is what must be reached. The scale is logarithmic.</text>', "</svg>"]
    return "\n".join(out) + "\n"
