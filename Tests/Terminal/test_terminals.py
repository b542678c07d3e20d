"""Tests terminals of all kinds and sizes, and output that is not a terminal."""

import pathlib
import re
import shutil
import subprocess
import time

import pytest

from terminal import END_OF_FRAME

COLOUR = re.compile(rb"\x1b\[[0-9;:]*(?:3[0-7]|4[0-7]|38|48)[;:m]")


@pytest.fixture
def slow(home, server):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))


def test_every_size_is_drawn(slow, start):
    screen = start()
    screen.wait("▲ running", "1/2")
    for rows, columns, wanted in [
        (40, 120, "[1] All 2"),
        (10, 40, "one.bin"),
        (6, 36, "one.bin"),
        (5, 20, "too small; q quits"),
        (2, 10, "1 up"),
        (60, 200, "[1] All 2"),
        (24, 80, "PROGRESS"),
    ]:
        screen.resize(rows, columns)
        screen.wait(wanted)
        if rows > 6:
            screen.wait(lambda: re.match(r" \? help.* 1/2$", screen.lines()[-1]))


def test_a_storm_of_sizes_ends_in_a_whole_screen(slow, start):
    screen = start()
    screen.wait("▲ running", "1/2")
    screen.press("j")
    screen.wait("2/2")
    for number in range(30):
        screen.resize(10 + number % 7 * 5, 40 + number % 5 * 30)
        screen.pump(0.01)
    screen.resize(24, 80)
    screen.wait("▲ running", "two.bin", lambda: screen.lines()[2].startswith("  STATE"))
    screen.wait(lambda: screen.lines()[23].endswith(" 2/2"))
    assert screen.row("▸") == 4


def test_an_unknown_terminal_is_taken_for_a_common_one(slow, start):
    screen = start(TERM="never-heard-of-it")
    screen.wait("▲ running", "one.bin", "1/2")
    screen.press("q")
    screen.wait("is running:")
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() == 0


def test_no_colours_if_none_are_wanted(slow, start):
    screen = start(NO_COLOR="1")
    screen.wait("▲ running", "one.bin", "1/2")
    assert not COLOUR.search(screen.raw)
    assert screen.cell("one.bin", row=3).reverse, "the cursor is seen without colours too"


def test_the_option_takes_colours_away(slow, start):
    screen = start("--no-color")
    screen.wait("▲ running", "one.bin", "1/2")
    assert not COLOUR.search(screen.raw)


def test_few_colours_where_there_are_few(slow, start):
    screen = start(TERM="xterm")
    screen.wait("▲ running", "one.bin", "1/2")
    assert screen.cell("running", row=3).fg in ("blue", "default")
    assert b"38;5;" not in screen.raw


def describes(term):
    return subprocess.run(["infocmp", term], capture_output=True).returncode == 0


@pytest.mark.skipif(not describes("xterm-direct"), reason="the package ncurses-term is not installed")
@pytest.mark.parametrize(
    "arguments, term", [((), "xterm-direct"), (("--color=direct",), "xterm-256color"), ((), "xterm-direct256")]
)
def test_exact_colours_where_the_terminal_is_described_with_them(slow, start, arguments, term):
    screen = start(*arguments, TERM=term)
    # pyte does not support the colons, so the raw output is checked.
    cursor_line = b"48:2::38:38:38m"
    wanted = [b"38:2::95:175:255m", b"38:2::95:215:215m", cursor_line]
    screen.wait(lambda: all(colour in screen.raw for colour in wanted))
    assert b"38;5;" not in screen.raw and b"38:5:" not in screen.raw


def test_exact_colours_that_nothing_describes_are_those_of_256_and_it_is_said(slow, start):
    screen = start("--color=direct", TERM="screen-256color")
    screen.wait("▲ running", "TERM screen-256color has no 24-bit colours; 256 are used (see ncurses-term)")
    assert screen.cell("running", row=3).fg == "5fafff"


def test_colours_that_are_asked_for_come_in_spite_of_the_environment(slow, start):
    screen = start("--color=always", NO_COLOR="1")
    screen.wait("▲ running", "one.bin", "1/2")
    assert COLOUR.search(screen.raw)


@pytest.mark.parametrize("arguments, changes", [((), {"LC_ALL": "C"}), (("--ascii",), {})])
def test_ascii_where_signs_cannot_be_trusted(home, server, start, arguments, changes):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))
    screen = start(*arguments, **changes)
    screen.wait("^ running", "one.bin", ". queued")
    screen.press("q")
    screen.wait("+ Quit -", "| 1 upload is running:")
    assert all(byte < 0x80 for byte in screen.raw)


def test_signs_and_a_hint_where_the_locale_is_not_installed(slow, start):
    screen = start(columns=120, LC_ALL="xx_XX.UTF-8")
    screen.wait("▲ running", "one.bin", "1/2", "the locale xx_XX.UTF-8 is not installed; C.UTF-8 is used")
    screen.wait("(see locale-gen(8), or set LANG=C.UTF-8)")


def test_no_hint_for_a_missing_locale_of_another_codeset(slow, start):
    screen = start(columns=120, LC_ALL="xx_XX.ISO-8859-1")
    screen.wait("^ running", "one.bin", "1/2", gone="is not installed")


CODED = pathlib.Path("/usr/lib/locale/C.utf8")
QUESTION, ONE_CELL, TWO_CELLS = b"\x1b[6n", b"\x1b[2;2R", b"\x1b[2;3R"


@pytest.fixture
def japanese(home, slow):
    """Makes a Japanese locale. Only its name matters, so it is a copy of another locale."""
    if not CODED.is_dir():
        pytest.skip(f"{CODED} is not there")
    shutil.copytree(CODED, home.path / "locales" / "ja_JP.utf8")
    return {"LC_ALL": "ja_JP.UTF-8", "LOCPATH": str(home.path / "locales")}


def test_ascii_where_signs_turn_out_to_be_wide(japanese, start):
    screen = start(**japanese)
    # The reply is sent at once, so that it is not late on a busy machine. It waits with the typed keys.
    screen.press(TWO_CELLS)
    screen.wait("^ running", "one.bin", ". queued", "1/2")
    assert QUESTION in screen.raw
    assert screen.lines()[1].startswith(" All 2"), "what was drawn to find out is gone"


def test_signs_stay_where_they_turn_out_to_be_narrow(japanese, start):
    screen = start(**japanese)
    screen.press(ONE_CELL)
    screen.wait("▲ running", "one.bin", "1/2")
    assert QUESTION in screen.raw


def test_a_terminal_that_does_not_respond_delays_only_briefly(japanese, start):
    screen = start(**japanese)
    screen.wait("▲ running", "one.bin", "1/2")
    assert QUESTION in screen.raw
    # A late reply is ignored. It is neither believed nor read as keys.
    screen.press(TWO_CELLS + b"j")
    screen.wait("▲ running", "2/2", gone="nothing has failed")


@pytest.mark.parametrize("arguments, glyphs", [(("--ascii",), None), ((), "unicode")])
def test_nothing_is_asked_where_signs_are_chosen(home, server, japanese, start, arguments, glyphs):
    home.change(appearance={"glyphs": glyphs} if glyphs else {})
    screen = start(*arguments, **japanese)
    screen.wait("▲ running" if glyphs else "^ running", "one.bin", "1/2")
    assert QUESTION not in screen.raw


def test_nothing_is_asked_where_signs_are_narrow(slow, start):
    screen = start()
    screen.wait("▲ running", "one.bin", "1/2")
    assert QUESTION not in screen.raw


def test_it_runs_inside_tmux_terminals(slow, start):
    screen = start(TERM="screen-256color")
    screen.wait("▲ running", "one.bin", "1/2")
    assert screen.cell("running", row=3).fg == "5fafff"


@pytest.mark.parametrize("arguments, settings", [(("--slow",), {}), ((), {"slow": True})])
def test_on_a_slow_line_things_move_once_a_second_and_keys_take_effect_at_once(
    home, slow, start, arguments, settings
):
    home.change(appearance=settings)
    screen = start(*arguments)
    screen.wait("▲ running", "one.bin", "1/2", lambda: "%" in screen.line("one.bin"))
    before = screen.raw.count(END_OF_FRAME)
    screen.count_bytes(3)
    assert 1 <= screen.raw.count(END_OF_FRAME) - before <= 4
    begun = time.monotonic()
    for position in "212121":
        screen.press("j" if position == "2" else "k")
        screen.wait(f"{position}/2")
    assert time.monotonic() - begun < 3, "six keys, and not a second for each"
