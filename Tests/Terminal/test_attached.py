"""Tests screens that are attached to an engine in another process. The end of a screen must not end the engine."""

import os
import re
import signal

import pytest


@pytest.fixture
def engine(home, server):
    """An engine in the background with two uploads, of which one runs."""
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"), home.make("two.bin", "20M"))
    engines = [started(home)]
    yield engines
    for process in engines:
        if process is not None:
            end(process)


def started(home):
    result = home.run("run", "--detach")
    assert result.returncode == 0, result.stderr.decode()
    return int(re.search(r"process (\d+)", result.stdout.decode()).group(1))


def end(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def running(home):
    """Returns the id of the process that has the queue; None if there is none."""
    result = home.run("status")
    found = re.search(r"\(process (\d+)\)", result.stdout.decode())
    return int(found.group(1)) if found else None


def test_two_screens_show_and_steer_one_engine(engine, home, start):
    first, second = start(), start(rows=10, columns=40)
    first.wait("▲ running", "1/2")
    second.wait("one.bin", "two.bin")
    first.press("b")
    first.wait("Bandwidth")
    first.press("\x15400K\r")
    first.wait("limit 400 KiB/s")
    first.press("jp")
    first.wait("‖ paused")
    second.wait("‖ two.bin")
    second.press("G")
    second.press("p")
    first.wait("· queued")


def test_progress_is_seen_from_outside(engine, start):
    screen = start()
    screen.wait("▲ running", "KiB/s", "1%")
    screen.wait("2%")


def test_a_screen_that_is_killed_takes_nothing_along(engine, home, start):
    first, second = start(), start()
    first.wait("▲ running")
    second.wait("▲ running")
    first.send_signal(signal.SIGKILL)
    first.exit_status()
    second.press("q")
    second.wait("[q] detach; they continue")
    second.press_until("q", lambda: not second.is_up)
    assert second.exit_status() == 0
    assert "the uploads continue in the engine" in second.left_behind
    assert running(home) == engine[0]


@pytest.mark.parametrize("is_attached", [False, True])
def test_the_events_of_watched_folders_are_shown(home, server, start, is_attached):
    folder = home.path / "a folder with a long name for incoming files"
    home.configure(server.url)
    home.change(watch=[{"folder": str(folder), "to": "box", "settle": 1}])
    process = started(home) if is_attached else None
    try:
        screen = start(rows=40, columns=120)
        screen.wait("  a folder is not there", "is not there; it is looked for")
        folder.mkdir()
        (folder / "new.bin").write_bytes(bytes(10))
        screen.wait("info  added from", "new.bin done", gone="a folder is not there")
    finally:
        if process is not None:
            end(process)


def test_a_lost_terminal_takes_nothing_along(engine, home, start):
    screen = start()
    screen.wait("▲ running")
    screen.close()
    screen.exit_status()
    assert running(home) == engine[0]


def test_the_end_of_a_killed_engine_is_shown_and_s_starts_another(engine, home, start):
    first, second = start(), start()
    first.wait("▲ running", "1/2")
    second.wait("▲ running", "1/2")
    home.add(home.make("three.bin", "1K"))
    end(engine[0])
    first.wait("The engine has gone", "nothing it acknowledged is lost", "[S] start it again")
    second.wait("The engine has gone")
    first.press("S")
    # The other screen finds the new engine by itself.
    second.wait("▲ running", "three.bin", gone="The engine has gone")
    first.wait("three.bin", gone="The engine has gone")
    engine.append(running(home))
    assert engine[-1] not in (None, engine[0])
    assert {upload["name"] for upload in home.list()} == {"one.bin", "two.bin", "three.bin"}


def test_an_engine_that_a_screen_has_started_can_be_stopped_from_elsewhere(engine, home, start):
    screen = start()
    screen.wait("▲ running", "1/2")
    end(engine[0])
    screen.wait("[S] start it again")
    screen.press("S")
    screen.wait("▲ running", gone="The engine has gone")
    engine.append(running(home))
    assert home.run("stop").returncode == 0
    screen.wait("The engine has gone")


def test_without_an_engine_commands_say_so(engine, start):
    screen = start()
    screen.wait("▲ running", "1/2")
    end(engine[0])
    screen.wait("The engine has gone")
    screen.press("p")
    screen.wait("no engine runs; S starts one")
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() == 0
    assert "no engine runs" in screen.left_behind


def test_the_engine_can_be_stopped_from_its_screen(engine, home, start):
    screen = start()
    screen.wait("▲ running")
    screen.press("q")
    screen.wait("[s] stop the engine")
    screen.press_until("s", lambda: not screen.is_up)
    assert screen.exit_status() == 0
    assert f"stopped (process {engine[0]})" in screen.left_behind
    assert running(home) is None
    assert [upload["state"] for upload in home.list()] == ["queued", "queued"]


def test_w_ends_the_engine_when_the_running_uploads_are_done(home, server, start):
    home.configure(server.url, bandwidth="2M", concurrency=1)
    home.add(home.make("one.bin", "10M"), home.make("two.bin", "20M"))
    process = started(home)
    try:
        screen = start()
        screen.wait("▲ running")
        screen.press("q")
        screen.wait("[w] stop it when these are done")
        screen.press_until("w", "quits when these are done", gone="[w] stop the engine")
        assert screen.exit_status() == 0
        assert [upload["state"] for upload in home.list()] == ["done", "queued"]
    finally:
        end(process)


def test_a_screen_leaves_its_uploads_to_the_background(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"))
    screen = start()
    screen.wait("▲ running", "1%")
    screen.press("q")
    screen.wait("[d] detach; they continue in the background")
    screen.press_until("d", lambda: not screen.is_up)
    assert screen.exit_status() == 0
    assert "the uploads continue in the background" in screen.left_behind
    process = running(home)
    try:
        assert process is not None
        again = start()
        again.wait("▲ running", "one.bin")
        # The upload resumes instead of starting from the beginning.
        share = int(re.search(r"(\d+)%", again.line("one.bin")).group(1))
        assert share >= 1
    finally:
        end(process)


def test_lines_are_attached_too(engine, home, start):
    screen = start("--plain")
    screen.wait("one.bin")
    screen.press("pause 2\n")
    screen.wait("2 paused: two.bin")
    screen.press("quit\n")
    assert screen.exit_status() == 0
    assert running(home) == engine[0]


def test_lines_leave_their_uploads_to_the_background(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(home.make("one.bin", "20M"))
    screen = start("--plain")
    screen.wait("1 started: one.bin")
    screen.press("detach\n")
    assert screen.exit_status() == 0
    process = running(home)
    try:
        assert process is not None
    finally:
        end(process)


def test_a_demo_cannot_be_left_in_the_background(start):
    screen = start("demo")
    screen.wait("▲ running", timeout=60)
    screen.press("D")
    screen.wait("the demo cannot be detached")
    screen.press("q")
    screen.wait("[w] quit when these are done", gone="[d]")
