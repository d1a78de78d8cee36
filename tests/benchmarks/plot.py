"""Growth as a picture: milliseconds against pages, both in powers of ten."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["growth"]

LINES = (
    ("remember_new", "remember", "#c2410c"),
    ("recall", "recall", "#1d4ed8"),
    ("read_current", "read_current", "#15803d"),
)
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 360, 70, 50


def growth(sizes: Sequence[dict[str, object]]) -> str:
    """An SVG of the medians at each size."""
    points = {
        key: [(float(str(s["pages"])), s[key].median) for s in sizes if key in s]  # type: ignore[attr-defined]
        for key, _, _ in LINES
    }
    every = [y for line in points.values() for _, y in line]
    lowest, highest = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    first, last = (math.log10(float(str(sizes[i]["pages"]))) for i in (0, -1))
    across = (WIDTH - LEFT - 130) / max(last - first, 1e-9)
    upward = (HEIGHT - BOTTOM - 30) / max(highest - lowest, 1)

    def x(pages: float) -> float:
        return LEFT + (math.log10(pages) - first) * across

    def y(ms: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(ms) - lowest) * upward

    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
        "<style>text { font: 13px sans-serif }</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for power in range(lowest, highest + 1):
        at = y(10.0**power)
        drawn.append(f'<path d="M{LEFT} {at:.0f}H{WIDTH - 130}" stroke="#ddd"/>')
        drawn.append(
            f'<text x="{LEFT - 8}" y="{at + 4:.0f}" text-anchor="end">{10.0**power:g} ms</text>'
        )
    for size in sizes:
        at = x(float(str(size["pages"])))
        below = f'x="{at:.0f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle"'
        drawn.append(f"<text {below}>{size['pages']:,}</text>")
    drawn.append(f'<text x="{LEFT}" y="{HEIGHT - 10}">pages of five facts</text>')
    for key, title, colour in LINES:
        if points[key]:
            way = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points[key])
            drawn.append(
                f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>'
            )
            a, b = points[key][-1]
            drawn.append(
                f'<text x="{x(a) + 8:.0f}" y="{y(b) + 4:.0f}" fill="{colour}">{title}</text>'
            )
    return "\n".join([*drawn, "</svg>", ""])
