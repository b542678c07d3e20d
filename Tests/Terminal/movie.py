"""Records the demo as an animated picture: `FERRY=.build/debug/ferry python Tests/Terminal/movie.py FILE.svg`.

`ferry demo --flaky` runs on a pseudo-terminal, and its screen is recorded twice a second. The connections break every
few seconds, the link is down at times, one upload is paused and resumed, and one file is removed before its turn. The
README shows the result, .github/demo.svg. A browser that prefers reduced motion shows only the first frame.
"""

import html
import itertools
import os
import pathlib
import sys
import tempfile
import time
import unicodedata

from picture import ANSI, BARS, DARK
from terminal import Terminal

ROWS, COLUMNS = 20, 80
STEP, FRAMES = 0.5, 48
WIDTH, HEIGHT, SIZE, MARGIN = 8.4, 18, 14, 10
INK, PAPER = DARK


def record(home):
    """Returns the rows of each frame, each a list of cells."""
    environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home}
    environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    terminal = Terminal([os.environ["FERRY"], "demo", "--flaky"], environment, rows=ROWS, columns=COLUMNS)
    # The keys to press, by the number of the frame before which they are pressed.
    keys = {6: "jjj", 14: "p", 22: "p"}
    try:
        terminal.wait(lambda: terminal.is_up, "▲")
        (next(pathlib.Path(home).glob("ferry-demo-*/files")) / "voice-over.wav").unlink()
        for number in range(FRAMES):
            terminal.press(keys.get(number, b""))
            end = time.monotonic() + STEP
            while (left := end - time.monotonic()) > 0 and terminal.pump(left):
                pass
            buffer = terminal.cells.buffer
            yield [tuple(buffer[row][column] for column in range(COLUMNS)) for row in range(ROWS)]
    finally:
        terminal.dispose()


def style(cell):
    """Returns the colours and attributes of a cell, without its text."""
    ink, paper = (
        default if name == "default" else ANSI.get(name, name)
        for name, default in ((cell.fg, INK), (cell.bg, PAPER))
    )
    if cell.reverse:
        ink, paper = paper, ink
    is_wide = bool(cell.data) and unicodedata.east_asian_width(cell.data[0]) in "WF"
    return ink, paper, cell.bold, is_wide, cell.data in BARS


def drawn(row):
    """Returns a row of cells as SVG."""
    parts, column = [], 0
    # The right half of a wide character is empty and belongs to the left half.
    for (ink, paper, is_bold, is_wide, is_bar), group in itertools.groupby((cell for cell in row if cell.data), style):
        text = "".join(cell.data for cell in group)
        columns = len(text) * (2 if is_wide else 1)
        left, column = column, column + columns
        if paper != PAPER:
            parts.append(rectangle(left, columns, 0, HEIGHT, paper))
        if is_bar:
            parts.append(rectangle(left, sum(BARS[sign] / 2 for sign in text), HEIGHT / 2 - 1, 3, ink))
            continue
        left += (len(text) - len(text.lstrip())) * (2 if is_wide else 1)
        text = text.strip()
        if text:
            span = len(text) * (2 if is_wide else 1) * WIDTH
            weight = ' class="b"' if is_bold else ""
            fill = "" if ink == INK else f' fill="#{ink}"'
            parts.append(
                f'<text x="{left * WIDTH:.5g}" y="14" textLength="{span:.5g}"{weight}{fill}>{html.escape(text)}</text>'
            )
    return "".join(parts)


def rectangle(left, columns, top, height, fill):
    return (
        f'<rect x="{left * WIDTH:.5g}" y="{top:g}" width="{columns * WIDTH:.5g}" height="{height}" fill="#{fill}"/>'
    )


def movie(frames):
    """Returns the SVG of a column of all frames. A window on it shows them one after another."""
    names, shown, count = {}, [], 0
    for count, frame in enumerate(frames, 1):
        for number, row in enumerate(map(drawn, frame)):
            if row:
                name = names.setdefault(row, f"r{len(names)}")
                shown.append(f'<use href="#{name}" y="{((count - 1) * ROWS + number) * HEIGHT}"/>')
    width, height = COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + 2 * MARGIN
    rows = "\n".join(f'<g id="{name}">{row}</g>' for row, name in names.items())
    size = f'viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" {size}>
<style>
text {{ font: {SIZE}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }}
.b {{ font-weight: bold }}
#f {{ animation: f {count * STEP:g}s steps({count}) infinite }}
@keyframes f {{ to {{ transform: translateY(-{count * ROWS * HEIGHT}px) }} }}
@media (prefers-reduced-motion: reduce) {{ #f {{ animation: none }} }}
</style>
<defs>
{rows}
</defs>
<rect width="100%" height="100%" rx="6" fill="#{PAPER}"/>
<svg fill="#{INK}" x="{MARGIN}" y="{MARGIN}" width="{COLUMNS * WIDTH:g}" height="{ROWS * HEIGHT}"><g id="f">
{"".join(shown)}
</g></svg>
</svg>
"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="ferry-") as home:
        text = movie(record(home))
    pathlib.Path(sys.argv[1]).write_text(text)
    print(f"{sys.argv[1]}: {len(text.encode()) / 1000:.0f} KB")


if __name__ == "__main__":
    main()
