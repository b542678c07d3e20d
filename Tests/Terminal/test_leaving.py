"""Tests leaving, hang-ups, and suspending: the terminal must be restored each time."""

import os
import re
import signal

import pytest

from terminal import TIMEOUT

SHELL = (True, True)  # input by lines, with echo


@pytest.fixture
def screen(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))
    screen = start()
    screen.wait("▲ running", "1/2")
    return screen


def is_given_back(screen):
    """Returns true if all modes that the program set are reset."""
    for mode in b"?1049", b"?2004", b"?1000", b"?1006":
        on, off = (screen.raw.rfind(b"\x1b[" + mode + end) for end in (b"h", b"l"))
        assert off > on > -1, f"mode {mode} is still on"
    # The cursor is visible.
    assert screen.raw.rfind(b"\x1b[?25l") <= screen.raw.rfind(b"\x1b[?25h")
    return not screen.is_up


def share(screen):
    """Returns the percentage of the first upload."""
    match = re.search(r"(\d+)%", screen.line("one.bin  "))
    return int(match.group(1)) if match else 0


def test_quitting_when_nothing_runs_asks_nothing(home, server, start):
    home.add(home.make("one.bin", "1K"))
    screen = start()
    screen.wait("✓ done")
    screen.press("q")
    assert screen.exit_status() == 0
    assert is_given_back(screen)
    assert "1 uploaded (1 KiB)" in screen.left_behind


def test_quitting_while_something_runs_asks(screen, home):
    screen.press("q")
    screen.wait("1 upload is running:", "one.bin", "[q] quit", "[w] quit when these are done", "[Esc] stay")
    screen.press_until("\x1b", gone="1 upload is running:")
    screen.press("q")
    screen.wait("1 upload is running:")
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() == 0
    assert is_given_back(screen)
    assert "2 unfinished; `ferry` resumes them" in screen.left_behind
    assert [upload["state"] for upload in home.list()] == ["queued", "queued"]


def test_quitting_when_the_running_ones_are_done(home, server, start):
    home.configure(server.url, bandwidth="2M", concurrency=1)
    home.add(home.make("one.bin", "12M"), home.make("two.bin", "20M"))
    screen = start()
    screen.wait("▲ running", "1/2")
    screen.press("q")
    screen.wait("1 upload is running:")
    screen.press_until("w", "quits when these are done", gone="is running:")
    assert screen.exit_status() == 0
    assert (server.folder / "one.bin").stat().st_size == 12 << 20
    assert "1 uploaded" in screen.left_behind and "1 unfinished" in screen.left_behind


def test_control_c_asks_and_asked_again_quits(screen):
    screen.press("\x03")
    screen.wait("1 upload is running:")
    screen.press_until("\x03", lambda: not screen.is_up)
    assert screen.exit_status() == 0


@pytest.mark.parametrize(
    "number, status", [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_and_keeps_the_queue(screen, home, number, status):
    screen.send_signal(number)
    assert screen.exit_status() == status
    if number != signal.SIGHUP:
        # After a hang-up nothing can be written, as there is no terminal.
        assert is_given_back(screen)
    assert [upload["state"] for upload in home.list()] == ["queued", "queued"]


def test_the_window_is_closed(screen, home):
    screen.close()
    assert screen.exit_status() == 129
    assert [upload["state"] for upload in home.list()] == ["queued", "queued"]


@pytest.mark.parametrize("arguments", [(), ("--plain",)])
def test_on_hangup_continue_finishes_the_uploads_after_the_window_is_closed(home, server, start, arguments):
    home.configure(server.url, bandwidth="2M", concurrency=1)
    home.add(home.make("one.bin", "3M"), home.make("two.bin", "1M"))
    screen = start("--on-hangup=continue", *arguments)
    screen.wait("started" if arguments else "▲ running")
    screen.close()
    assert screen.exit_status() == 0
    assert [upload["state"] for upload in home.list()] == ["done", "done"]
    log = (home.state / "hangup.log").read_text()
    assert "two.bin" in log and log.endswith("2 done\n")


def test_the_log_without_a_window_is_limited_and_has_no_progress(home, server, start):
    # Six seconds: lines without a terminal have progress each five.
    home.configure(server.url, bandwidth="500K", concurrency=1)
    home.add(home.make("one.bin", "3M"))
    log = home.state / "hangup.log"
    with open(log, "wb") as file:
        file.truncate((8 << 20) + 1)
    screen = start("--on-hangup=continue")
    screen.wait("▲ running")
    screen.close()
    assert screen.exit_status() == 0
    assert (home.state / "hangup.log.1").stat().st_size == (8 << 20) + 1
    assert log.read_text().endswith("1 done\n") and log.read_text().count("running") == 1


def test_a_run_without_a_window_ends_by_a_signal(home, server, start):
    home.configure(server.url, bandwidth="100K", concurrency=1)
    home.add(home.make("one.bin", "20M"))
    screen = start("--on-hangup=continue")
    screen.wait("▲ running")
    screen.close()
    home.wait_for_log("hangup.log", "one.bin")
    screen.send_signal(signal.SIGTERM)
    assert screen.exit_status() == 143
    assert [upload["state"] for upload in home.list()] == ["queued"]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_after_a_crash_the_terminal_is_usable(screen, number):
    screen.send_signal(number)
    screen.wait(lambda: not screen.is_up, lambda: screen.modes() == SHELL)
    assert is_given_back(screen)
    assert screen.exit_status(timeout=60) == -number


def test_it_resumes_after_a_kill(home, server, start):
    home.configure(server.url, bandwidth="2M", concurrency=1)
    home.add(home.make("one.bin", "12M"), home.make("two.bin", "1M"))
    screen = start()
    screen.wait("▲ running", lambda: share(screen) >= 50)
    screen.send_signal(signal.SIGKILL)
    assert screen.exit_status() == -signal.SIGKILL

    screen = start()
    screen.wait("one.bin", "two.bin", "All 2")
    screen.wait("▲ running", lambda: share(screen) > 0)
    assert share(screen) >= 30, "it resumes from the bytes that the server stored"
    screen.wait("Done 2")
    assert (server.folder / "one.bin").stat().st_size == 12 << 20


def test_the_server_goes_and_comes_back(home, server, start):
    home.configure(server.url, bandwidth="2M", concurrency=1)
    home.add(home.make("one.bin", "8M"))
    screen = start()
    screen.wait("▲ running", "━━")
    server.kill()
    screen.wait("↻ retry", "in ")
    assert screen.cell("retry").fg == "ffaf00"
    assert "%" in screen.line("one.bin  "), "the bar stays where it was"
    server.start()
    screen.wait("✓ done", "Done 1")
    assert (server.folder / "one.bin").stat().st_size == 8 << 20


def test_suspended_and_brought_back(home, server, start, ferry):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"))
    shell = start(command=["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"], PS1="READY> ")
    shell.wait("READY>")
    shell.press(f"{ferry}\n")
    shell.wait("▲ running", "one.bin")
    for _ in range(3):
        shell.press("\x1a")
        # The text of an earlier round is still there, and the screen is left before the modes are restored.
        shell.wait("ferry and its uploads are suspended", "Stopped", lambda: not shell.is_up)
        shell.wait(lambda: shell.modes() == SHELL)
        shell.press("fg\n")
        shell.wait("one.bin", "online", lambda: shell.is_up)
    shell.press("\x1a")
    shell.wait("Stopped", lambda: not shell.is_up)
    # The size changes while Ferry is suspended.
    shell.resize(10, 40)
    shell.press("fg\n")
    shell.wait("one.bin", lambda: shell.is_up and shell.lines()[9].startswith(" ? help"))
    shell.press("q")
    shell.wait("is running:")
    shell.press_until("q", lambda: not shell.is_up)
    shell.press("exit\n")
    shell.exit_status()


def test_uploads_continue_in_the_background(home, server, start, ferry):
    home.configure(server.url, bandwidth="2M", concurrency=1)
    home.add(home.make("one.bin", "5M"))
    shell = start(command=["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"], PS1="READY> ")
    shell.wait("READY>")
    shell.press(f"{ferry}\n")
    shell.wait("▲ running", "━")
    shell.press("\x1a")
    shell.wait("Stopped", lambda: not shell.is_up)
    shell.press("bg\n")
    shell.wait(lambda: (server.folder / "one.bin").exists() or None)
    assert not shell.is_up
    shell.press("fg\n")
    shell.wait("✓ done", lambda: shell.is_up)
    shell.press("q")
    shell.wait(lambda: not shell.is_up)


def test_without_a_shell_it_says_that_it_cannot_be_suspended(screen):
    # A session leader has no shell that could resume it, so it cannot suspend itself.
    assert os.getsid(screen.pid) == screen.pid
    screen.press("\x1a")
    screen.wait("cannot suspend: no shell to go back to", "one.bin", timeout=TIMEOUT)
