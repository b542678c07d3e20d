"""Draws the demo's screen: `FERRY=.build/debug/ferry python Tests/Terminal/picture.py FOLDER [NAME...]`.

The pictures are NAME.png: 80x24, 120x40, 40x10, light, mono; without a name all. Each shows uploads that are
done, running, failed, edited, paused and waiting. movie.py makes the README's picture.

It needs neither a browser nor a display: pyte keeps the cells, and Pillow draws them. The fonts are DejaVu Sans Mono
(fonts-dejavu-core), and for CJK WenQuanYi Micro Hei (fonts-wqy-microhei) if it is there.
"""

import os
import pathlib
import sys
import tempfile
import unicodedata

from PIL import Image, ImageDraw, ImageFont

from terminal import Terminal

SIZE, MARGIN = 15, 12
DARK, LIGHT = ("d0d0d0", "16181d"), ("24292e", "fbfbf9")
# The rows, the columns, the options, and the colours of text and background.
PICTURES = {
    "80x24": (24, 80, [], DARK),
    "120x40": (40, 120, [], DARK),
    "40x10": (10, 40, [], DARK),
    "light": (24, 80, ["--theme", "light"], LIGHT),
    "mono": (24, 80, ["--no-color"], DARK),
}
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
WIDE, REST = FONTS + "wqy/wqy-microhei.ttc", FONTS + "dejavu/DejaVuSans.ttf"
# Box-drawing lines as (from left, to right, from top, to bottom), in halves of a cell.
LINES = {
    "─": (0, 2, 1, 1),
    "│": (1, 1, 0, 2),
    "┌": (1, 2, 1, 2),
    "┐": (0, 1, 1, 2),
    "└": (1, 2, 0, 1),
    "┘": (0, 1, 0, 1),
}
# The heavy lines of progress bars, by their length in halves of a cell.
BARS = {"━": 2, "╸": 1}


def colour(name, default):
    value = default if name == "default" else ANSI.get(name, name)
    return tuple(int(value[at : at + 2], 16) for at in (0, 2, 4))


class Fonts:
    def __init__(self, size):
        self.regular, self.bold = (ImageFont.truetype(path, size) for path in (REGULAR, BOLD))
        ascent, descent = self.regular.getmetrics()
        width = round(self.regular.getlength("M"))
        self.cell = width, ascent + descent
        # The glyphs of CJK are as large as two cells.
        others = (WIDE, 2 * width), (REST, size)
        self._others = [ImageFont.truetype(path, size) for path, size in others if os.path.exists(path)]
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


def draw(screen, path, sheet):
    """Writes the cells of a screen as a PNG. `sheet` has the colours of text and background."""
    fonts = Fonts(SIZE)
    width, height = fonts.cell
    size = screen.columns * width + 2 * MARGIN, screen.lines * height + 2 * MARGIN
    image = Image.new("RGB", size, colour("default", sheet[1]))
    canvas = ImageDraw.Draw(image)
    for row in range(screen.lines):
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            # The right half of a wide character is empty.
            if cell.data:
                draw_cell(canvas, cell, (MARGIN + column * width, MARGIN + row * height), fonts, sheet)
    # With fewer colours, small signs would get the colour of larger ones.
    image.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def draw_cell(canvas, cell, corner, fonts, sheet):
    (x, y), (width, height) = corner, fonts.cell
    ink, paper = colour(cell.fg, sheet[0]), colour(cell.bg, sheet[1])
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
        # All fonts share the baseline of the letters.
        canvas.text((x, y + fonts.ascent), cell.data, font=font, fill=ink, anchor="ls")
        if cell.underscore:
            canvas.line([x, y + height - 2, x + width - 1, y + height - 2], fill=ink)


def stir(terminal, home):
    """Edits one file and removes another before their turn, pauses an upload, and halves the bandwidth."""
    terminal.wait(lambda: terminal.is_up and any(home.glob("ferry-demo-*/files/IMG_10009.CR3")), "▲")
    files = next(home.glob("ferry-demo-*/files"))
    (files / "b-roll-city.mov").write_bytes(b"another one")
    (files / "voice-over.wav").unlink()
    terminal.press("G")
    terminal.wait("17/17")
    terminal.press("p")
    terminal.wait("‖")
    terminal.press("b")
    terminal.wait("┌")
    terminal.press("5M\r")
    terminal.wait("▲", gone="┌")


def is_telling(terminal):
    """Returns true if the two bad files have been detected and, on a large screen, enough uploads are done."""
    text = terminal.text
    return "✗" in text and text.count("▲") >= 2 and (terminal.rows < 20 or text.count("✓") >= 7)


def take(name, folder):
    rows, columns, options, sheet = PICTURES[name]
    target = folder / f"{name}.png"
    with tempfile.TemporaryDirectory(prefix="ferry-") as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home}
        environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        terminal = Terminal([os.environ["FERRY"], "demo", *options], environment, rows=rows, columns=columns)
        try:
            stir(terminal, pathlib.Path(home))
            # The cursor moves to a row that changes.
            terminal.press("gjjj")
            terminal.wait("4/17")
            terminal.wait(lambda: is_telling(terminal), timeout=60)
            draw(terminal.cells, target, sheet)
        finally:
            terminal.dispose()
    print(f"{target}: {os.path.getsize(target) / 1000:.0f} KB")


def main():
    names = sys.argv[2:] or list(PICTURES)
    if len(sys.argv) < 2 or set(names) - set(PICTURES):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        take(name, folder)


if __name__ == "__main__":
    main()
