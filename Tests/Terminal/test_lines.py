"""Tests the output of commands on a terminal without a screen: live lines, and tables that fit."""

import json
import os
import re
import signal

import pytest

SLOW = 400_000


@pytest.fixture
def queued(home, server):
    """Three files in the queue. The first takes some seconds."""
    home.configure(server.url, bandwidth=SLOW, concurrency=1)
    home.add(home.make("a-film.mov", "4M"), home.make("b.bin", 10), home.make("c.bin", 10))


def test_run_has_a_live_line_with_share_rate_and_time_left(queued, start):
    terminal = start("run", "--exit-when-idle")
    terminal.wait("% ", " of 4 MiB", "/s", "ETA", "1 running, 2 queued", "a-film.mov  ")
    # The log scrolls above the live lines, and nothing of the live lines is left.
    terminal.wait("100%  a-film.mov", "3 done", gone="1 running, 2 queued")
    assert terminal.exit_status() == 0
    assert "ETA" not in terminal.text


def test_lines_fit_a_narrow_window_and_follow_it(queued, start):
    terminal = start("run", rows=8, columns=40)
    terminal.wait("1 running, 2 queued")
    assert all(len(line) <= 40 for line in terminal.lines())
    terminal.resize(24, 100)
    terminal.wait("ETA", "1 running, 2 queued")
    assert terminal.text.count("1 running, 2 queued") == 1


def test_an_interrupt_takes_the_live_line_away(queued, start):
    terminal = start("run")
    terminal.wait("1 running, 2 queued")
    terminal.send_signal(signal.SIGINT)
    assert terminal.exit_status() == 130
    assert "1 running" not in terminal.text


def test_a_dumb_terminal_has_plain_lines(queued, start):
    terminal = start("run", "--exit-when-idle", TERM="dumb")
    terminal.wait("3 done")
    assert terminal.exit_status() == 0
    assert "queued  " in terminal.text
    assert "1 running" not in terminal.text


def test_wait_shows_what_it_waits_for(queued, start, home):
    assert home.run("run", "--detach").returncode == 0
    try:
        terminal = start("wait", "1")
        terminal.wait("% ", "1 running", gone="2 queued")
        terminal.wait("100%  a-film.mov")
        assert terminal.exit_status() == 0
        assert "1 running" not in terminal.text
    finally:
        home.run("stop")


def test_a_wait_that_ends_too_soon_takes_the_live_line_away_first(queued, start, home):
    assert home.run("run", "--detach").returncode == 0
    try:
        terminal = start("wait", "1", "--timeout", "2")
        terminal.wait("1 running")
        assert terminal.exit_status() == 124
        assert "error: timeout: some uploads are not finished" in [line.rstrip() for line in terminal.lines()]
        assert "1 running" not in terminal.text
    finally:
        home.run("stop")


def test_list_is_a_table_that_fits(home, server, start):
    home.add(home.make("a-very-long-name-of-a-film-that-was-recorded-somewhere-in-the-hills-final.mov", "3M"))
    terminal = start("list", columns=60)
    assert terminal.exit_status() == 0
    header, row = [line for line in terminal.lines() if line.strip()][:2]
    assert header.split() == ["ID", "STATE", "SIZE", "DONE", "NAME", "TO"]
    assert "…" in row and "final.mov" in row and row.rstrip().endswith("box")


def test_list_that_is_piped_cuts_nothing(home, server):
    name = "a-very-long-name-of-a-film-that-was-recorded-somewhere-in-the-hills-and-then-cut-final.mov"
    home.add(home.make(name, 5), home.make("b", 5))
    home.run("pause", "2")
    lines = home.run("list").stdout.decode().splitlines()
    assert len(lines) == 2 and name in lines[0]
    assert [line.split()[0] for line in home.run("list", "--state", "paused").stdout.decode().splitlines()] == ["2"]
    assert len(home.run("list", "--state", "paused,queued").stdout.splitlines()) == 2
    assert len(home.run("list", "--state", "paused", "--state", "queued").stdout.splitlines()) == 2
    assert len(home.run("list", "--state", str(home.state)).stdout.splitlines()) == 2
    wrong = home.run("list", "--state", "lost")
    assert wrong.returncode == 2 and b"there is no state 'lost'" in wrong.stderr


def test_a_long_list_on_a_terminal_shows_whole_addresses(home, server, start):
    address = "http://127.0.0.1:9/" + "a-long-folder/" * 8
    home.add(home.make("a", 5))
    home.add(home.make("b", 5), "--to", address)
    terminal = start("list", "--long", columns=60)
    assert terminal.exit_status() == 0
    assert f"b -> {address}".encode() in terminal.raw


def test_lines_of_a_run_that_is_no_terminal_have_the_time(queued, home):
    result = home.run("run", "--exit-when-idle")
    assert result.returncode == 0
    *lines, total = result.stdout.decode().splitlines()
    assert total == "3 done"
    assert lines and all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  ", line) for line in lines)


def test_many_files_from_a_terminal_are_confirmed(home, server, start):
    for number in range(1001):
        home.make(f"many/{number}", 0)
    terminal = start("add", "--recursive", str(home.files / "many"))
    terminal.wait("Add 1001 files, 0 B, to box? [y/N]")
    terminal.press("n\r")
    terminal.wait("nothing was added")
    assert terminal.exit_status() == 1
    assert home.list() == []
    home.add("--recursive", str(home.files / "many"))
    assert len(home.list()) == 1001


def test_undo_and_redo_on_a_terminal_name_the_change_and_ask(queued, home, start):
    assert home.run("run", "--detach").returncode == 0
    try:
        home.run("pause", "--all")
        home.run("move", "3", "top")
        terminal = start("undo")
        terminal.wait("Undo: move upload 3 back, moved at ", "? [y/N]")
        terminal.press("n\r")
        terminal.wait("nothing was undone")
        assert terminal.exit_status() == 1
        terminal = start("undo")
        terminal.wait("? [y/N]")
        terminal.press("y\r")
        terminal.wait("undone: moved upload 3")
        assert terminal.exit_status() == 0
        terminal = start("redo")
        terminal.wait("Redo: move upload 3? [y/N]")
        terminal.press("y\r")
        terminal.wait("redone: moved upload 3")
        assert terminal.exit_status() == 0
        terminal = start("undo", "--yes")
        terminal.wait("undone: moved upload 3", gone="[y/N]")
        assert terminal.exit_status() == 0
    finally:
        home.run("stop")


@pytest.mark.parametrize("words", [["run", "--ascii"], ["run"]])
def test_ascii_and_no_colour_are_honoured(queued, start, words):
    plain = {} if "--ascii" in words else {"LC_ALL": "C"}
    terminal = start(*words, NO_COLOR="1", **plain)
    terminal.wait("1 running, 2 queued", "##--")
    assert terminal.raw.isascii()
    assert b"\x1b[32m" not in terminal.raw


def test_a_command_that_waits_for_the_engine_says_for_how_long(home, start):
    assert home.run("run", "--detach").returncode == 0
    process = json.loads(home.run("status", "--json").stdout)["process"]
    os.kill(process, signal.SIGSTOP)
    try:
        terminal = start("list")
        terminal.wait("waiting for the queue: ")
        terminal.wait("error: the engine does not answer", gone="waiting for the queue")
        assert terminal.exit_status() == 75
    finally:
        os.kill(process, signal.SIGCONT)
        home.run("stop")
