"""Terminals of all kinds and sizes, and what is no terminal."""

import re

import pytest

COLOUR = re.compile(rb"\x1b\[[0-9;:]*(?:3[0-7]|4[0-7]|38|48)[;:m]")


@pytest.fixture
def slow(home, server):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))


def test_every_size_is_drawn(slow, start):
    screen = start()
    screen.wait("▲ up", "1/2")
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
    screen.wait("▲ up", "1/2")
    screen.press("j")
    screen.wait("2/2")
    for number in range(30):
        screen.resize(10 + number % 7 * 5, 40 + number % 5 * 30)
        screen.pump(0.01)
    screen.resize(24, 80)
    screen.wait("▲ up", "two.bin", lambda: screen.lines()[2].startswith("  STATE"))
    screen.wait(lambda: screen.lines()[23].endswith(" 2/2"))
    assert screen.row("▸") == 4


def test_an_unknown_terminal_is_taken_for_a_common_one(slow, start):
    screen = start(TERM="never-heard-of-it")
    screen.wait("▲ up", "one.bin", "1/2")
    screen.press("q")
    screen.wait("is running:")
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() == 0


def test_no_colours_if_none_are_wanted(slow, start):
    screen = start(NO_COLOR="1")
    screen.wait("▲ up", "one.bin", "1/2")
    assert not COLOUR.search(screen.raw)
    assert screen.cell("one.bin", row=3).reverse, "the cursor is seen without colours too"


def test_the_option_takes_colours_away(slow, start):
    screen = start("--no-color")
    screen.wait("▲ up", "one.bin", "1/2")
    assert not COLOUR.search(screen.raw)


def test_few_colours_where_there_are_few(slow, start):
    screen = start(TERM="xterm")
    screen.wait("▲ up", "one.bin", "1/2")
    assert screen.cell("up", row=3).fg in ("blue", "default")
    assert b"38;5;" not in screen.raw


@pytest.mark.parametrize("arguments, changes", [((), {"LC_ALL": "C"}), (("--ascii",), {})])
def test_ascii_where_signs_cannot_be_trusted(home, server, start, arguments, changes):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))
    screen = start(*arguments, **changes)
    screen.wait("> up", "one.bin", ". queued")
    screen.press("q")
    screen.wait("+ Quit -", "| 1 upload is running:")
    assert all(byte < 0x80 for byte in screen.raw)


def test_it_runs_inside_tmux_terminals(slow, start):
    screen = start(TERM="screen-256color")
    screen.wait("▲ up", "one.bin", "1/2")
    assert screen.cell("up", row=3).fg == "5fafff"
