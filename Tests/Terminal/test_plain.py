"""Tests the line mode. It has every function of the screen, and never moves the cursor."""

import os
import signal
import subprocess
import time

import pytest

from terminal import TIMEOUT
from test_hostile import EVIL

ROWS, COLUMNS = 60, 140


@pytest.fixture
def slow(home, server):
    home.configure(server.url, bandwidth="200K", concurrency=1)


@pytest.fixture
def plain(start, slow):
    def plain(*arguments, **changes):
        return start(*(arguments or ["--plain"]), rows=ROWS, columns=COLUMNS, **changes)

    return plain


def is_plain(raw):
    """Returns true if the output contains only text and line ends."""
    return not [byte for byte in raw if byte < 0x20 and byte not in b"\r\n"] and 0x7F not in raw


def end(lines):
    """Leaves while an upload runs."""
    lines.press("quit\n")
    lines.wait("again to quit")
    lines.press("quit\n")
    return lines.exit_status()


def test_a_file_is_added_paused_resumed_and_removed_by_its_number(home, plain, server):
    path = home.make("one.bin", "20M")
    lines = plain()
    lines.wait("help lists the commands", "the queue is empty")
    lines.press(f"add {path}\n")
    # The server has some bytes when the progress is printed.
    lines.wait("1 started: one.bin, 20 MiB, to box", "1 upload runs (1 at ")
    lines.press("pause 1\n")
    lines.wait("1 paused: one.bin")
    lines.press("show 1\n")
    lines.wait("1: one.bin, 20 MiB, paused", f"from: {path}", "protocol: tus")
    lines.press("resume 1\n")
    lines.wait("upload 1 resumed: one.bin")
    lines.wait(lambda: lines.text.count("1 upload runs (1 at ") == 2)
    lines.press("list\n")
    lines.wait(lambda: lines.text.count("1: one.bin, ") == 2)
    lines.press("remove 1\n")
    lines.wait("of 1, one.bin", "type yes to remove it")
    lines.press("no\n")
    lines.wait("nothing was removed")
    lines.press("remove 1\n")
    lines.wait(lambda: lines.text.count("type yes to remove it") == 2)
    lines.press("yes\n")
    lines.wait("1 removed: one.bin")
    lines.press("list\n")
    lines.wait(lambda: lines.text.count("the queue is empty") == 2)
    lines.press("quit\n")
    assert lines.exit_status() == 0
    assert is_plain(lines.raw)


def test_ends_are_printed_with_their_sizes_and_summed_at_the_exit(home, plain, server):
    home.configure(server.url)
    home.add(home.make("one.bin", "3M"), home.make("two.bin", "1K"))
    lines = plain()
    lines.wait("1 started: one.bin", "1 done: one.bin, 3 MiB", "2 done: two.bin, 1 KiB")
    lines.press("q\n")
    assert lines.exit_status() == 0
    assert "2 uploaded (3 MiB)" in lines.text
    assert (server.folder / "one.bin").stat().st_size == 3 << 20


def test_limits_moves_and_wrong_commands(home, plain):
    home.add(*(home.make(f"{number}.bin", "20M") for number in range(1, 4)))
    lines = plain()
    lines.wait("1 started: 1.bin")
    lines.press("move 3 top\n")
    lines.wait("moved to the top")
    lines.press("list queued\n")
    lines.wait("3: 3.bin, 20 MiB, queued", "2: 2.bin, 20 MiB, queued")
    assert lines.row("3: 3.bin") < lines.row("2: 2.bin")
    lines.press("limit 100K\nparallel 2\n")
    lines.wait("total limit: 100 KiB/s", "2 uploads at once", "3 started: 3.bin")
    lines.press("fly away\n")
    lines.wait("there is no command 'fly'; help lists them")
    lines.press("pause 17\n")
    lines.wait("not done: there is no upload 17")
    assert end(lines) == 0


def test_the_progress_is_printed_every_ten_seconds(home, plain):
    home.add(home.make("one.bin", "20M"))
    lines = plain()
    lines.wait("1 upload runs (1 at ", " left, ", "KiB/s", " to go")
    assert lines.text.count("1 upload runs") == 1
    assert end(lines) == 0


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"TERM": "dumb"}, "because 'dumb' is a dumb or unknown terminal"),
        ({"ACCESSIBLE": "1"}, "ferry in plain lines; help lists the commands"),
    ],
)
def test_without_being_asked_on_the_command_line(home, plain, changes, reason):
    home.add(home.make("one.bin", "20M"))
    lines = plain("screen", **changes)
    lines.wait(reason, "1 started: one.bin")
    assert end(lines) == 0
    assert "1 unfinished; `ferry` resumes them" in lines.text
    assert is_plain(lines.raw)


def test_accessible_may_be_zero(slow, start):
    screen = start(ACCESSIBLE="0")
    screen.wait("Nothing to upload yet.", lambda: screen.is_up)


def test_output_into_a_pipe_is_lines(home, plain, ferry, start):
    home.add(home.make("one.bin", "20M"))
    lines = start(command=["/bin/sh", "-c", f"'{ferry}' | cat; echo over"], rows=ROWS, columns=COLUMNS)
    lines.wait("ferry in plain lines, because", "1 started: one.bin")
    lines.press("pause 1\n")
    lines.wait("1 paused: one.bin")
    lines.press("quit\n")
    lines.wait("1 unfinished", "over")
    assert is_plain(lines.raw)


def test_control_d_leaves_at_the_second_time(home, plain):
    home.add(home.make("one.bin", "20M"))
    lines = plain()
    lines.wait("1 started: one.bin")
    lines.press("\x04")
    lines.wait("1 upload is running; type `quit` again to quit")
    lines.press("\x04")
    assert lines.exit_status() == 0
    assert [upload["state"] for upload in home.list()] == ["queued"]


@pytest.mark.parametrize(
    "number, status", [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_and_keeps_the_queue(home, plain, number, status):
    home.add(home.make("one.bin", "20M"))
    lines = plain()
    lines.wait("1 started: one.bin")
    lines.send_signal(number)
    assert lines.exit_status() == status
    assert [upload["state"] for upload in home.list()] == ["queued"]


def test_control_c_ends_it(home, plain):
    home.add(home.make("one.bin", "20M"))
    lines = plain()
    lines.wait("1 started: one.bin")
    lines.press("\x03")
    assert lines.exit_status() == 130


def test_the_window_is_closed(home, plain):
    home.add(home.make("one.bin", "20M"))
    lines = plain()
    lines.wait("1 started: one.bin")
    lines.close()
    assert lines.exit_status() == 129
    assert [upload["state"] for upload in home.list()] == ["queued"]


def test_suspended_brought_back_and_in_the_background(home, slow, server, start, ferry):
    home.configure(server.url, bandwidth="2M", concurrency=1)
    home.add(home.make("one.bin", "12M"))
    shell = start(
        command=["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"],
        PS1="READY> ",
        rows=ROWS,
        columns=COLUMNS,
    )
    shell.wait("READY>")
    shell.press(f"{ferry} --plain\n")
    shell.wait("1 started: one.bin")
    shell.press("\x1a")
    shell.wait("Stopped")
    shell.press("fg\n")
    shell.press("show 1\n")
    shell.wait("1: one.bin, 12 MiB")
    shell.press("\x1a")
    shell.wait(lambda: shell.text.count("Stopped") == 2)
    shell.press("bg\n")
    # The input goes to the shell, and the uploads continue.
    shell.press("echo $((40 + 2))\n")
    shell.wait("42", "1 done: one.bin")
    shell.press("fg\n")
    shell.press("quit\n")
    # Until Ferry has ended, it may read input that is meant for the shell.
    shell.wait(lambda: "READY>" in shell.text.partition("1 uploaded (12 MiB)")[2])
    shell.press("exit\n")
    shell.exit_status()


def test_without_input_it_runs_until_nothing_is_left(home, server):
    home.add(home.make("one.bin", "3M"), home.make("two.bin", "1K"))
    result = home.run()
    lines = result.stdout.decode().splitlines()
    assert result.returncode == 0, result.stderr.decode()
    assert lines[0] == "ferry in plain lines, because standard input or output is not a terminal"
    assert lines[-2:] == ["nothing is left to run", "2 uploaded (3 MiB)"]
    assert any(line.startswith("upload 1 done: one.bin, 3 MiB") for line in lines)
    assert is_plain(result.stdout + result.stderr)


def test_without_input_a_failure_is_printed_and_makes_the_status(home, server):
    path = home.make("one.bin", "1K")
    home.add(path)
    os.remove(path)
    result = home.run("--plain")
    assert result.returncode == 1
    assert "1 failed: one.bin: " in result.stdout.decode()
    assert "1 failed or held; `ferry list --long --state failed,held` says why" in result.stdout.decode()


def test_commands_may_come_from_a_pipe(home, server, ferry):
    path = home.make("one two.bin", "1K")
    result = subprocess.run(
        [ferry, "--plain"],
        env=home.environment(),
        input=f"add {path} to box\nadd /nowhere\nlimit 20M\n".encode(),
        capture_output=True,
        timeout=TIMEOUT,
    )
    said = result.stdout.decode()
    assert result.returncode == 0, said
    assert "left out: /nowhere: no such file" in said
    assert "total limit: 20 MiB/s" in said
    assert "1 done: one two.bin, 1 KiB" in said
    assert (server.folder / "one two.bin").exists()


def test_a_burst_of_small_files_is_readable(home, server):
    count = 600
    folder = home.files / "many"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.txt").write_text("x")
    home.add("--recursive", str(folder))
    began = time.monotonic()
    result = home.run("--plain")
    seconds = time.monotonic() - began
    lines = result.stdout.decode().splitlines()
    assert result.returncode == 0
    assert len(list(server.folder.rglob("*.txt"))) == count
    assert lines[-1].startswith(f"{count} uploaded")
    # There are at most five lines a second, and some more at both ends. A busy machine takes more seconds.
    assert len(lines) < 30 + 6 * seconds, lines


def test_many_failures_are_named_and_bounded(home, server):
    paths = [home.make(f"{number}.bin", "1K") for number in range(100)]
    home.add(*paths)
    for path in paths:
        os.remove(path)
    result = home.run("--plain")
    said = result.stdout.decode()
    assert result.returncode == 1
    assert "failed: 0.bin: " in said
    assert "list failed says why" in said
    assert said.count("\n") < 40, said


def test_a_hostile_name_never_reaches_the_terminal(home, plain):
    home.make(EVIL, "20M")
    home.make(b"invoice\xe2\x80\xaefdp.exe\xff", "20M")
    lines = plain()
    lines.wait("the queue is empty")
    lines.press(f"add {home.files}/*\n")
    # The receiver refuses such a name, and the message says so.
    lines.wait("failed: evil", r"evil\e[31;7mred", r"invoice\u{202E}fdp.exe")
    lines.press("list\nshow 1 2\n")
    lines.wait("  state: ", lambda: lines.text.count("  from: ") == 2)
    lines.press("remove 1 2\n")
    # The question comes only if bytes have arrived by then.
    asks = "type yes to remove them"
    lines.wait(lambda: asks in lines.text or "removed: invoice" in lines.text)
    if asks in lines.text:
        lines.press("yes\n")
    lines.wait("removed: evil", "removed: invoice")
    lines.press("quit\n")
    lines.exit_status()
    assert is_plain(lines.raw)
    for foreign in b"\xc2\x9b", b"\xe2\x80\xae", b"\xff":
        assert foreign not in lines.raw


def test_the_demo_runs_in_lines(home, start):
    lines = start("demo", "--plain", rows=ROWS, columns=COLUMNS)
    lines.wait("started: interview-cam-A.mov, 96 MiB, to films")
    assert end(lines) == 0
    assert is_plain(lines.raw)
    assert os.listdir(home.temporary) == []
