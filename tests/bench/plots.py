"""Growth with the number of messages, as an SVG: both axes logarithmic, so that a straight line is a power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tests.bench.measure import Figure

#: The pictures: a file name, and the commands in it.
PICTURES = {
    "growth.svg": ("hook unchanged", "hook looks", "check", "check, no index", "prune"),
    "views.svg": tuple(
        f"{view}{form}"
        for view in ("thread", "search", "threads", "receipts", "snapshot")
        for form in ("", ", no index")
    ),
}
COLOURS = (
    "#1b6ca8",
    "#7a9e00",
    "#c0392b",
    "#8e44ad",
    "#555555",
    "#e08e0b",
    "#9c5b2e",
    "#16897a",
    "#d45087",
    "#222222",
)
WIDTH, HEIGHT, LEFT, BELOW = 720, 420, 60, 50


def growth(figures: Mapping[str, Figure], series: Sequence[str]) -> str:
    """One line a command, a point a size."""
    lines = {name: _points(figures, name) for name in series}
    x_range = (10.0, 100_000.0)
    y_range = (1.0, max(y for points in lines.values() for _, y in points) * 1.5)

    def place(x: float, y: float) -> tuple[float, float]:
        across = math.log(x / x_range[0]) / math.log(x_range[1] / x_range[0])
        up = math.log(max(y, y_range[0]) / y_range[0]) / math.log(y_range[1] / y_range[0])
        return LEFT + across * (WIDTH - LEFT - 130), (HEIGHT - BELOW) * (1 - up) + 10

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="{HEIGHT - 8}">messages in the mailbox; median milliseconds of the whole process upwards</text>',
    ]
    for exponent in range(1, 6):
        x, y = place(10.0**exponent, y_range[0])
        parts.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{10**exponent:,}</text>')
    for value in (1, 10, 100, 1000):
        if value <= y_range[1]:
            _, y = place(x_range[0], value)
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 130}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
    for colour, (name, points) in zip(COLOURS, lines.items(), strict=False):
        places = [place(*point) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        x, y = places[-1]
        parts.append(f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _points(figures: Mapping[str, Figure], name: str) -> list[tuple[float, float]]:
    found = []
    for label, figure in figures.items():
        words, _, size = label.rpartition(" ")
        if words == name and size.isdigit():
            found.append((float(size), figure.median))
    return sorted(found)
