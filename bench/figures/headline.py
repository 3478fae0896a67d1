# SPDX-License-Identifier: BSD-3-Clause
"""`auto` on an H200 against the best of cuSPARSE for each matrix of @headline: the README's figures and its plot."""

import math
import statistics
from xml.sax.saxutils import escape

from . import Unknown, figure, plot, read_csv

RECORD = "h200/auto_headline.csv"
STATES = {"solver": "in a solver", "cold": "cold caches", "hot": "back to back"}
TITLES = {"fem": "finite elements", "stencil_few": "repeated values", "stencil_distinct": "stencils", "circuit": "circuits",
          "graph": "graphs", "graph_weighted": "weighted graphs", "lp": "linear programs", "dense": "dense", "random": "random"}


def speeds(value, cache):
    """{class: {matrix: the fastest peer's time divided by that of `auto`}}, in the record's order."""
    classes = {}
    for row in read_csv(RECORD):
        if (row["value"], row["cache"]) != (value, cache):
            continue
        peers = [float(time) for name, time in row.items() if name.startswith("cusparse_") and time]
        title = row["matrix"] + ", other values" * (row["values"] != "file" and "(" not in row["matrix"])
        classes.setdefault(row["class"], {})[title] = min(peers) / float(row["auto_us"])
    if not classes:
        raise Unknown(f"{RECORD} has no {value}, {cache}")
    return classes


def mean(classes):
    """Geometric mean of the classes' geometric means."""
    return statistics.geometric_mean(statistics.geometric_mean(members.values()) for members in classes.values())


@figure
def headline(value, cache, what="mean"):
    """One number: the mean over the classes, the least speed of a matrix, or the number of matrices."""
    classes = speeds(value, cache)
    each = [speed for members in classes.values() for speed in members.values()]
    return {"mean": f"{mean(classes):.2f}", "least": f"{min(each):.2f}", "matrices": str(len(each))}[what]


class Drawing:
    """An SVG picture whose vertical axis is logarithmic."""

    left, top, height, step, low, high = 46, 44, 250, 19, 0.8, 5.0

    def __init__(self, columns):
        self.width = self.left + columns * self.step + 12
        self.parts = []

    def y(self, speed):
        share = math.log(min(max(speed, self.low), self.high) / self.low) / math.log(self.high / self.low)
        return self.top + self.height * (1 - share)

    def add(self, element, text=None, title=None, **attributes):
        written = "".join(f' {name.rstrip("_").replace("_", "-")}="{value:.1f}"' if isinstance(value, float) else
                          f' {name.rstrip("_").replace("_", "-")}="{value}"' for name, value in attributes.items())
        inside = (f"<title>{escape(title)}</title>" if title else "") + (escape(text) if text else "")
        self.parts.append(f"<{element}{written}>{inside}</{element}>" if inside else f"<{element}{written}/>")

    def svg(self, description):
        below = 150
        size = f'width="{self.width}" height="{self.top + self.height + below}"'
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {self.width} {self.top + self.height + below}" role="img">',
            f"<title>{escape(description)}</title>", STYLE,
            f'<rect class="paper" {size}/>', *self.parts, "</svg>", ""])


STYLE = """<style>
text { font: 11px system-ui, sans-serif; fill: #24292f } .paper { fill: #ffffff } .grid { stroke: #d0d7de } .one { stroke: #57606a }
.faster { fill: #1a7f37 } .slower { fill: #cf222e } .mark { fill: none; stroke: #24292f } .class { font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .paper { fill: #0d1117 } .grid { stroke: #30363d } .one { stroke: #8b949e }
.faster { fill: #3fb950 } .slower { fill: #f85149 } .mark { stroke: #e6edf3 } }
</style>"""


@plot("docs/images/headline.svg")
def draw_headline():
    """A bar for products in a solver, a circle for those back to back, a dash for those with cold caches."""
    states = {cache: speeds("f64", cache) for cache in STATES}
    # A class has at least the columns that its title needs.
    columns = {name: max(len(members), math.ceil(len(TITLES[name]) * 7 / Drawing.step)) + 1 for name, members in states["solver"].items()}
    drawing = Drawing(sum(columns.values()))
    for speed in (1, 1.5, 2, 3, 4, 5):
        y = drawing.y(speed)
        drawing.add("line", class_="one" if speed == 1 else "grid", x1=drawing.left, x2=drawing.width - 8, y1=y, y2=y)
        drawing.add("text", f"{speed:g} ×", x=drawing.left - 6, y=y + 4, text_anchor="end")
    x = drawing.left
    words = "Speed relative to the fastest of cuSPARSE, f64.  Bars: in a solver.  Circles: back to back.  Dashes: cold caches."
    drawing.add("text", words, x=drawing.left, y=16)
    for name, members in states["solver"].items():
        drawing.add("text", TITLES[name], x=float(x), y=drawing.top - 8.0, class_="class")
        for matrix, speed in members.items():
            hot, cold = states["hot"][name][matrix], states["cold"][name][matrix]
            top, bottom = min(drawing.y(speed), drawing.y(1)), max(drawing.y(speed), drawing.y(1))
            words = f"{matrix} ({TITLES[name]}): {speed:.2f}; back to back {hot:.2f}, cold {cold:.2f}"
            drawing.add("rect", title=words, class_="slower" if speed < 0.995 else "faster", x=x + 3.0, y=top, width=12.0,
                        height=max(bottom - top, 1.0))
            drawing.add("circle", class_="mark", cx=x + 9.0, cy=drawing.y(hot), r=3)
            drawing.add("line", class_="mark", x1=x + 2.0, x2=x + 16.0, y1=drawing.y(cold), y2=drawing.y(cold))
            at = f"{x + 12:.0f},{drawing.top + drawing.height + 8:.0f}"
            drawing.add("text", matrix if len(matrix) < 26 else matrix[:24] + "…", transform=f"translate({at}) rotate(-60)", text_anchor="end")
            x += drawing.step
        x += drawing.step * (columns[name] - len(members))
    return drawing.svg("Speed of auto on an H200, relative to the fastest of cuSPARSE's formats and algorithms, for each matrix of "
                       "@headline in f64; 1 is equal, more is faster")
