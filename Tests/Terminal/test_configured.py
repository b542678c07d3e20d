"""Tests configured keys and colours of the screen."""

import json

import pytest


@pytest.fixture
def slow(home, server):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))


def test_other_keys_act_and_are_shown(home, slow, start):
    home.change(keys={"remove": ["d", "Delete"], "help": ["F2"], "pauseAll": []})
    screen = start()
    screen.wait("▲ running", "F2 help", "d remove", "1/2")
    screen.press("jx")
    screen.wait("2/2")
    screen.press("d")
    screen.wait("removed two.bin", "1/1")
    screen.press(b"\x1bOQ")
    screen.wait("no key", "pause or resume all")


def test_keys_that_cannot_be_bound_keep_the_screen_closed(home, slow, start):
    home.change(keys={"remove": ["p"]})
    screen = start()
    assert screen.exit_status() == 2
    said = " ".join(screen.text.split())
    assert "keys.remove: expected keys that nothing else has there: p is bound to pause too" in said
    assert b"\x1b[?1049h" not in screen.raw


@pytest.mark.parametrize("is_configured", [True, False])
def test_a_theme_of_ones_own(home, slow, start, is_configured):
    file = home.path / "mine.json"
    file.write_text(
        json.dumps({"base": "light", "cursorLine": {"full": 17}, "roles": {"running": {"rgb": "#ff8700"}}})
    )
    if is_configured:
        home.change(appearance={"themeFile": "~/mine.json"})
    screen = start() if is_configured else start("--theme", str(file))
    screen.wait("▲ running", "one.bin", "1/2")
    cell = screen.cell("running", row=3)
    assert (cell.fg, cell.bg) == ("ff8700", "00005f")


@pytest.mark.parametrize(
    ("way", "tmux", "expected"),
    [
        ("bell", "", b"\x07"),
        ("osc9", "", b"\x1b]9;Ferry: 1 done\x07"),
        ("osc9", "/tmp/tmux-0/default,1,0", b"\x1bPtmux;\x1b\x1b]9;Ferry: 1 done\x07\x1b\\"),
    ],
)
@pytest.mark.parametrize("is_attached", [False, True])
def test_the_terminal_calls_when_all_is_done(home, server, start, way, tmux, expected, is_attached):
    home.configure(server.url, bandwidth="1M", concurrency=1)
    home.change(notify={"terminal": way})
    home.add(home.make("one.bin", "2M"))
    if is_attached:
        home.run("pause", "--all")
        assert home.run("run", "--detach").returncode == 0
    try:
        screen = start(TMUX=tmux)
        if is_attached:
            screen.wait("paused")
            screen.press("P")
        screen.wait("▲ running")
        assert expected not in screen.raw
        screen.wait("one.bin done:")
        screen.wait(lambda: expected in screen.raw)
    finally:
        if is_attached:
            home.run("stop")


def test_a_terminal_that_was_not_asked_to_keeps_quiet(home, server, start):
    home.add(home.make("one.bin", "1M"))
    screen = start()
    screen.wait("one.bin done:")
    assert b"\x07" not in screen.raw
