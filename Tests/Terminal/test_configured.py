"""What the configuration changes of the screen's keys and colours."""

import json

import pytest


@pytest.fixture
def slow(home, server):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))


def test_other_keys_act_and_are_shown(home, slow, start):
    home.change(keys={"remove": ["d", "Delete"], "help": ["F2"], "pauseAll": []})
    screen = start()
    screen.wait("▲ up", "F2 help", "d remove", "1/2")
    screen.press("jx")
    screen.wait("2/2")
    screen.press("d")
    screen.wait("removed two.bin", "1/1")
    screen.press(b"\x1bOQ")
    screen.wait("no key", "pause all, or go on")


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
    screen.wait("▲ up", "one.bin", "1/2")
    cell = screen.cell("up", row=3)
    assert (cell.fg, cell.bg) == ("ff8700", "00005f")
