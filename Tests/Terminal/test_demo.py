"""Tests `ferry demo`: its screen, and that nothing is left of it afterwards."""

import contextlib
import os
import re
import signal
import urllib.error
import urllib.request

import pytest

from terminal import TIMEOUT


def left(home):
    return os.listdir(home.temporary)


def listening(pid):
    """Returns the ports on which a process listens."""
    sockets = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # The descriptor was closed meanwhile.
            sockets.add(os.readlink(f"/proc/{pid}/fd/{name}"))
    with open(f"/proc/{pid}/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


def shares(screen):
    return {int(number) for number in re.findall(r"(\d+)%", screen.text)}


def test_the_demo_shows_files_moving_bars_and_done(home, start):
    screen = start("demo", rows=30, columns=100)
    screen.wait("interview-cam-A.mov", "報告書-最終版.pdf", "empty.txt", "IMG_10009.CR3", "▲ running")
    seen = set()
    for _ in screen.frames(keep=lambda: "Done 0" in screen.text or len(seen) < 10):
        seen |= shares(screen)
    assert len(seen) >= 10
    screen.wait("✓ done", "━")
    assert left(home), "the demo lives in the temporary folder"
    screen.wait("Done 17", "idle", timeout=90)
    screen.press("q")
    assert screen.exit_status() == 0
    assert "17 uploaded" in screen.left_behind
    assert left(home) == []


def test_the_demo_takes_no_file_of_others(home, start):
    screen = start("demo")
    screen.wait("interview-cam-A.mov")
    (port,) = listening(screen.pid)
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mine", data=b"x", method="PUT")
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(request, timeout=TIMEOUT)
    assert refusal.value.code == 401
    screen.send_signal(signal.SIGTERM)
    assert screen.exit_status() == 143


def test_the_demo_leaves_nothing_behind_when_quit_early(home, start):
    screen = start("demo")
    screen.wait("▲ running")
    screen.press("q")
    screen.wait("are running:")
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() == 0
    assert "the demo's files are removed" in screen.left_behind and "resume" not in screen.left_behind
    assert left(home) == []


def test_the_demo_leaves_nothing_behind_when_terminated(home, start):
    screen = start("demo")
    screen.wait("▲ running")
    screen.send_signal(signal.SIGTERM)
    assert screen.exit_status() == 143
    assert left(home) == []


def test_the_flaky_demo_loses_the_link_and_finishes(home, start):
    screen = start("demo", "--flaky", rows=30, columns=100)
    screen.wait("▲ running")
    screen.wait("OFFLINE since", "nothing is lost", timeout=40)
    assert screen.cell("OFFLINE", row=0).reverse
    screen.wait("online", gone="OFFLINE", timeout=40)
    screen.wait("Done 17", timeout=120)
    screen.press("q")
    assert screen.exit_status() == 0
    assert left(home) == []
