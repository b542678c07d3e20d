"""Tests the keys that change uploads. One upload runs slowly and the others wait behind it."""

import base64
import re

import pytest


@pytest.fixture
def screen(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(*(home.make(f"{name}.bin", "20M") for name in ("one", "two", "three", "four")))
    screen = start()
    screen.wait("▲ running", "1/4")
    return screen


def order(screen):
    return [match.group(1) for line in screen.lines() if (match := re.search(r"(\w+)\.bin +20M", line))]


def test_pause_and_resume(screen):
    screen.press("p")
    screen.wait("paused one.bin; p resumes", lambda: "‖ paused" in screen.line("one.bin  "))
    screen.wait(lambda: "▲ running" in screen.line("two.bin  "))
    assert screen.cell("paused", row=3).fg == "d7af5f"
    screen.press("p")
    screen.wait("resumed one.bin", lambda: "paused" not in screen.line("one.bin  "))


def test_pause_all_and_resume(screen):
    screen.press("P")
    screen.wait("paused 4 uploads", "Paused 4", "Active 0")
    screen.press("P")
    screen.wait("resumed 4 uploads", "Active 1", "Paused 0")


def test_moving_in_the_queue(screen):
    screen.press("G")
    for key, wanted in [
        ("K", ["one", "two", "four", "three"]),
        ("J", ["one", "two", "three", "four"]),
        ("T", ["four", "one", "two", "three"]),
        ("\x1b[1;2B", ["one", "four", "two", "three"]),
        ("\x1b[1;2A", ["four", "one", "two", "three"]),
        ("B", ["one", "two", "three", "four"]),
    ]:
        screen.press(key)
        screen.wait(lambda: order(screen) == wanted)
        assert "four.bin" in screen.line("▸")


def test_marked_uploads_are_acted_on_together(screen):
    screen.press("j  ")
    screen.wait("2 marked", "4/4")
    assert screen.line("two.bin  ").startswith(" *") and screen.line("three.bin  ").startswith(" *")
    screen.press("p")
    screen.wait("paused 2 uploads", "Paused 2")
    assert "queued" in screen.line("four.bin  ")
    screen.press("\x1b")
    screen.wait(gone="marked")


def test_the_marks_can_be_inverted_and_set_on_all(screen):
    screen.press("j *")
    screen.wait("3 marked")
    assert not screen.line("two.bin  ").startswith(" *")
    screen.press("\x01")
    screen.wait("4 marked")
    screen.press("T")
    screen.press("\x1b")
    screen.wait(gone="marked")


def test_an_upload_without_bytes_at_the_server_is_removed_at_once(screen, home):
    screen.press("Gx")
    screen.wait("removed four.bin", "3/3", gone="four.bin  ")
    assert (home.files / "four.bin").exists()


def test_u_undoes_a_removal_and_ctrl_r_redoes_it(screen):
    screen.press("Gx")
    screen.wait("u undoes", gone="four.bin  ")
    screen.press("u")
    screen.wait("Undo: put back 1 upload, removed at")
    screen.press_until("y", "undone: put back four.bin", "four.bin  ")
    screen.press("\x12")
    screen.wait("redone: removed", gone="four.bin  ")


def test_an_upload_with_bytes_at_the_server_is_removed_after_a_question(screen, server):
    def has_bytes():
        return re.search(r" [1-9]\d*%", screen.line("one.bin  "))

    screen.wait(has_bytes)
    screen.press("p")
    screen.wait("‖ paused", has_bytes)
    screen.press("gx")
    screen.wait("Remove one.bin", "The server already has", "[Esc] keep them (default)", "[y] remove")
    screen.press_until("\r", "one.bin  ", gone="Remove one.bin")
    screen.wait("nothing was removed")
    screen.press("x")
    screen.wait("The server already has")
    screen.press_until("y", gone="Remove one.bin")
    screen.wait("removed one.bin", "/3", gone="one.bin  ")
    screen.press("P")
    screen.wait("Active 0")
    screen.press("q")
    assert screen.exit_status() == 0
    assert not list(server.folder.rglob("*one*"))


def test_the_done_ones_are_cleared(home, server, start):
    home.add(home.make("one.bin", "1K"), home.make("two.bin", "1K"))
    screen = start()
    screen.wait("Done 2")
    screen.press("X")
    screen.wait("removed 2 uploads", "Nothing to upload yet.")
    screen.press("X")
    screen.wait("nothing is done yet")


def test_trying_again_what_is_held(home, server, start):
    path = home.make("gone.bin", "1K")
    home.add(path, home.make("there.bin", "1K"))
    (home.files / "gone.bin").unlink()
    screen = start()
    screen.wait("✗ FAILED", "no such file", "Failed 1", "Done 1")
    assert screen.cell("FAILED").fg == "ff5f5f"
    screen.press("g")
    screen.wait("r retry", "1/2")
    assert screen.lines()[23].startswith(" ? help  r retry")
    home.make("gone.bin", "1K")
    screen.press("r")
    screen.wait("Done 2")


def test_trying_all_again(home, server, start):
    home.add(home.make("one.bin", "1K"), home.make("two.bin", "1K"))
    for name in "one.bin", "two.bin":
        (home.files / name).unlink()
    screen = start()
    screen.wait("Failed 2")
    for name in "one.bin", "two.bin":
        home.make(name, "1K")
    screen.press("R")
    screen.wait("Done 2")


def test_limiting_the_bandwidth(screen):
    screen.press("b")
    screen.wait("Bandwidth of all uploads", "200K")
    screen.press("\x15nonsense\r")
    screen.wait("not an amount; try 20M")
    screen.press("\x15300K\r")
    screen.wait("total limit: 300", "limit 300 KiB/s", gone="Bandwidth of")
    screen.press("b")
    screen.wait("Bandwidth of")
    screen.press("\x15\r")
    screen.wait("no bandwidth limit", gone="limit 300")
    screen.press("b")
    screen.wait("Bandwidth of")
    screen.press("\x15auto\r")
    screen.wait("the bandwidth limit is as configured", "limit 200 KiB/s")


def test_limiting_how_many_run(screen):
    screen.press("c")
    screen.wait("Uploads at once", "from 1 to 1000")
    screen.press("\x150\r")
    screen.wait("not a number from 1 to 1000")
    screen.press("\x153\r")
    screen.wait("3 uploads at once", "Active 3", "3 of 3 uploading")
    screen.press("c\x1b")
    screen.wait(gone="from 1 to 1000")


def test_help_shows_every_key_narrows_and_runs(screen):
    screen.press("?")
    screen.wait("Keys", "type to search", "pause or resume", "limit the bandwidth")
    screen.press("pause all")
    screen.wait("P ", gone="limit the bandwidth")
    screen.press("\r")
    screen.wait("paused 4 uploads", gone="type to search")
    screen.press("?")
    screen.wait("type to search")
    screen.press("\x1b")
    screen.wait(gone="type to search")


@pytest.mark.parametrize("rows, columns", [(10, 40), (40, 120)])
def test_help_fits_small_and_large_screens(server, start, rows, columns):
    screen = start(rows=rows, columns=columns)
    screen.wait("Nothing to upload yet.")
    screen.press("?")
    screen.wait("Keys", "[Enter] run", "show all keys")
    screen.press("draw")
    screen.wait("redraw the screen", gone="show all keys")


def test_the_mouse_can_be_given_back_to_the_terminal(screen):
    screen.press("m")
    screen.wait("mouse off")
    assert screen.raw.rfind(b"\x1b[?1000l") > screen.raw.rfind(b"\x1b[?1000h")
    screen.press("m")
    screen.wait("mouse on")
    assert screen.raw.rfind(b"\x1b[?1000h") > screen.raw.rfind(b"\x1b[?1000l")


def test_redrawing_sends_the_whole_screen(home, server, start):
    home.add(home.make("one.bin", "1M"))
    home.run("pause", "--all")
    screen = start()
    screen.wait("‖ paused")
    before = len(screen.raw)
    screen.press("\x0c")
    screen.wait(lambda: b"\x1b[H\x1b[2J" in screen.raw[before:] or b"\x1b[2J" in screen.raw[before:])
    screen.wait("‖ paused", "one.bin")


def test_a_path_is_copied_to_the_clipboard_of_the_terminal(home, server, start):
    home.configure(server.url, bandwidth="1M", concurrency=1)
    path = home.make("film é.mov", "4M")
    home.add(path)
    screen = start()
    screen.wait("film é.mov", "1/1")
    screen.press("y")
    screen.wait("Copy: film é.mov", "local path")
    screen.press("p")
    screen.wait("to the terminal's clipboard")
    expected = base64.b64encode(str(path).encode())
    assert b"\x1b]52;c;" + expected + b"\x1b\\" in screen.raw


def test_the_graph_goes_and_gives_its_line_to_the_list(screen):
    screen.wait(" peak ")
    screen.press("tt")
    screen.wait(gone=" peak ")
    screen.press("t")
    screen.wait(" peak ")


def test_the_rows_stand_in_the_order_that_was_asked_for(screen):
    screen.press("on")
    screen.wait("by name", "NAME▲")
    assert order(screen) == ["four", "one", "three", "two"]
    screen.press("K")
    screen.wait("moving needs the queue's order")
