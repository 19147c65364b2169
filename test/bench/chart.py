# SPDX-License-Identifier: Apache-2.0
"""chart: bars with a mark for what each must reach, as an SVG of its own, for pages that are light or dark."""
import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT = 820, 150, 300  # names stand left of the bars, figures right of them
HEAD, LINE, THICK, FOOT = 58, 26, 14, 30
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


def step(most):
    """The distance of grid lines: 1, 2 or 5 times a power of ten, with at most six lines."""
    power = 10 ** math.floor(math.log10(most / 6))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= most / 6)


def draw(title, subtitle, bars):
    """The SVG as text. The scale begins at 0 and ends with the largest bar or mark."""
    most = max([max(bar.value, bar.must or 0) for bar in bars], default=1)
    bottom = HEAD + LINE * len(bars)
    height = bottom + FOOT

    def at(value):
        return f"{LEFT + value / most * SPAN:.1f}"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">',
           f"<style>{STYLE}</style>", f'<text class="title" x="8" y="20">{escape(title)}</text>',
           f'<text class="small" x="8" y="38">{escape(subtitle)}</text>']
    for i in range(int(most / step(most)) + 1):
        x = at(i * step(most))
        out += [f'<line class="grid" x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{bottom}"/>',
                f'<text class="small" x="{x}" y="{bottom + 14}" text-anchor="middle">{i * step(most):g}×</text>']
    for i, bar in enumerate(bars):
        y = HEAD + i * LINE
        missed = bar.must is not None and bar.value < bar.must
        out += [f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(bar.name)}</text>',
                f'<rect class="{"short" if missed else "bar"}" x="{LEFT}" y="{y}" height="{THICK}" '
                f'width="{bar.value / most * SPAN:.1f}"/>',
                f'<text x="{LEFT + SPAN + 12}" y="{y + 12}">{bar.value:.3g}× '
                f'<tspan class="small">{escape(bar.note)}</tspan></text>']
        if bar.must is not None:
            out.append(f'<line class="must" x1="{at(bar.must)}" x2="{at(bar.must)}" y1="{y - 3}" y2="{y + THICK + 3}"/>')
    out += [f'<text class="small" x="8" y="{height - 4}">The upright mark is what must be reached.</text>', "</svg>"]
    return "\n".join(out) + "\n"
