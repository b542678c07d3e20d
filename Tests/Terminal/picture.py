"""Draws the demo's screen as a picture: `FERRY=.build/debug/ferry python Tests/Terminal/picture.py [FILE]`.

No browser and no display: pyte keeps the cells and Pillow draws them. Letters come from DejaVu Sans Mono
(fonts-dejavu-core), CJK from WenQuanYi Micro Hei (fonts-wqy-microhei) if it is there.
"""

import os
import pathlib
import re
import sys
import tempfile
import unicodedata

from PIL import Image, ImageDraw, ImageFont

from terminal import Terminal

ROWS, COLUMNS = 24, 100
SIZE, MARGIN = 15, 12
FOREGROUND, BACKGROUND = "d0d0d0", "16181d"
ANSI = {
    "black": "1c1c1c",
    "red": "d75f5f",
    "green": "5faf5f",
    "brown": "d7af5f",
    "blue": "5f87d7",
    "magenta": "af87d7",
    "cyan": "5fafaf",
    "white": "d0d0d0",
}
FONTS = "/usr/share/fonts/truetype/"
REGULAR, BOLD = FONTS + "dejavu/DejaVuSansMono.ttf", FONTS + "dejavu/DejaVuSansMono-Bold.ttf"
FALLBACKS = FONTS + "wqy/wqy-microhei.ttc", FONTS + "dejavu/DejaVuSans.ttf"
# Lines of box drawing as (from left, to right, from top, to bottom), in halves of a cell.
LINES = {
    "─": (0, 2, 1, 1),
    "│": (1, 1, 0, 2),
    "┌": (1, 2, 1, 2),
    "┐": (0, 1, 1, 2),
    "└": (1, 2, 0, 1),
    "┘": (0, 1, 0, 1),
}
# Heavy ones, which bars are made of: how far they reach, in halves of a cell.
BARS = {"━": 2, "╸": 1}


def colour(name, default):
    value = default if name == "default" else ANSI.get(name, name)
    return tuple(int(value[at : at + 2], 16) for at in (0, 2, 4))


class Fonts:
    def __init__(self, size):
        self.regular, self.bold = (ImageFont.truetype(path, size) for path in (REGULAR, BOLD))
        self._others = [ImageFont.truetype(path, size) for path in FALLBACKS if os.path.exists(path)]
        ascent, descent = self.regular.getmetrics()
        self.cell = round(self.regular.getlength("M")), ascent + descent
        self.ascent = ascent
        self._missing = {id(font): bytes(font.getmask("\U0010ffff")) for font in self._all}

    @property
    def _all(self):
        return [self.bold, self.regular, *self._others]

    def pick(self, character, is_bold):
        for font in self._all if is_bold else self._all[1:]:
            if bytes(font.getmask(character)) != self._missing[id(font)]:
                return font
        return self.regular


def draw(screen, path):
    """Writes the cells of a screen as a PNG with few colours."""
    fonts = Fonts(SIZE)
    width, height = fonts.cell
    size = screen.columns * width + 2 * MARGIN, screen.lines * height + 2 * MARGIN
    image = Image.new("RGB", size, colour("default", BACKGROUND))
    canvas = ImageDraw.Draw(image)
    for row in range(screen.lines):
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            # The right half of a wide character holds nothing.
            if cell.data:
                draw_cell(canvas, cell, (MARGIN + column * width, MARGIN + row * height), fonts)
    image.quantize(48, dither=Image.Dither.NONE).save(path, optimize=True)


def draw_cell(canvas, cell, corner, fonts):
    (x, y), (width, height) = corner, fonts.cell
    ink, paper = colour(cell.fg, FOREGROUND), colour(cell.bg, BACKGROUND)
    if cell.reverse:
        ink, paper = paper, ink
    columns = 2 if unicodedata.east_asian_width(cell.data[0]) in "WF" else 1
    canvas.rectangle([x, y, x + columns * width - 1, y + height - 1], fill=paper)
    middle = x + width // 2, y + height // 2
    if cell.data in LINES:
        left, right, top, bottom = LINES[cell.data]
        xs, ys = (x, middle[0], x + width - 1), (y, middle[1], y + height - 1)
        if left != right:
            canvas.line([xs[left], middle[1], xs[right], middle[1]], fill=ink)
        if top != bottom:
            canvas.line([middle[0], ys[top], middle[0], ys[bottom]], fill=ink)
    elif cell.data in BARS:
        end = x + width * BARS[cell.data] // 2 - 1
        canvas.rectangle([x, middle[1] - 1, end, middle[1] + 1], fill=ink)
    elif cell.data.strip():
        font = fonts.pick(cell.data[0], cell.bold)
        # On the baseline of the letters, whichever font it is.
        canvas.text((x, y + fonts.ascent), cell.data, font=font, fill=ink, anchor="ls")
        if cell.underscore:
            canvas.line([x, y + height - 2, x + width - 1, y + height - 2], fill=ink)


def is_telling(terminal):
    """Some are done, some run with a remaining time, and some still wait."""
    text = terminal.text
    times = re.findall(r"▲ up .*\d+% .*\d\d:\d\d", text)
    return text.count("✓ done") >= 3 and len(times) >= 2 and "· queued" in text and "ETA 0" in text


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("screen.png")
    with tempfile.TemporaryDirectory(prefix="ferry-") as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home}
        environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        terminal = Terminal([os.environ["FERRY"], "demo"], environment, rows=ROWS, columns=COLUMNS)
        try:
            terminal.wait(lambda: is_telling(terminal), timeout=60)
            # The row that is looked at is one where something happens.
            terminal.press("jjj")
            terminal.wait("4/17")
            draw(terminal.cells, target)
            terminal.press("q")
            terminal.wait("running:")
            terminal.press_until("q", lambda: not terminal.is_up)
            terminal.exit_status()
        finally:
            terminal.dispose()
    print(f"{target}: {os.path.getsize(target) / 1000:.0f} KB")


if __name__ == "__main__":
    main()
