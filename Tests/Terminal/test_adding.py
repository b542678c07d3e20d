"""Tests adding files: by typing with Tab, from the list of a folder, by a pattern, by a paste, and by dropping a file
on the terminal.
"""

import base64
import os

import pytest


@pytest.fixture
def screen(server, start):
    screen = start()
    screen.wait("Nothing to upload yet.")
    return screen


def open_dialog(screen, path):
    """Opens the dialog and types a path. Text that arrives at once counts as a paste."""
    screen.press("a")
    screen.wait("Add", "[Enter] add")
    screen.press(path)


def confirm(screen):
    screen.press_until("\r", gone="[Enter] add")


def test_a_path_is_completed_with_tab(screen, home):
    home.make("holiday/beach.jpg", "3K")
    home.make("holiday/bridge.jpg", "5K")
    open_dialog(screen, f"{home.files}/hol")
    screen.wait("/hol", "[Tab] complete")
    screen.press("\t")
    screen.wait("/holiday/")
    screen.press("\t")
    screen.wait("/holiday/b", "beach.jpg", "bridge.jpg")
    screen.press("r")
    screen.press("\t")
    screen.wait("/holiday/bridge.jpg", "1 file, 5 KiB")
    confirm(screen)
    screen.wait("added 1 upload", "bridge.jpg", "Done 1")


def test_tab_goes_through_the_candidates(screen, home):
    for name in "a1.txt", "a2.txt", "a3.txt":
        home.make(name, 10)
    open_dialog(screen, f"{home.files}/a")
    screen.wait("/files/a")
    screen.press("\t")
    screen.wait("a1.txt", "a2.txt", "a3.txt")
    screen.press("\t\t")
    screen.wait(lambda: "/a2.txt" in screen.line("files "))
    confirm(screen)
    screen.wait("added 1 upload", "a2.txt", "All 1")


def test_a_tilde_stands_for_home(screen, home):
    home.make("notes.txt", 100)
    open_dialog(screen, "~/files/notes.txt")
    screen.wait("1 file, 100 B")
    confirm(screen)
    screen.wait("added 1 upload", "Done 1")


def test_a_pattern_adds_what_matches(screen, home):
    for name in "one.jpg", "two.jpg", "deep/three.jpg", "other.txt":
        home.make(name, "1K")
    open_dialog(screen, f"{home.files}/**/*.jpg")
    screen.wait("3 files", "one.jpg", "two.jpg", "three.jpg")
    confirm(screen)
    screen.wait("added 3 uploads", "Done 3")


def test_a_pattern_that_matches_nothing_says_so(screen, home):
    open_dialog(screen, f"{home.files}/*.none")
    screen.wait("0 files", "1 left out")
    screen.press("\x1b")
    screen.wait("Nothing to upload yet.", gone="[Enter] add")


def test_a_paste_opens_the_dialog_and_queues_nothing(screen, home):
    first, second = home.make("with space.txt", 10), home.make("second.txt", 20)
    screen.paste(f"'{first}'\n{second}\n{home.files}/missing.txt\n")
    screen.wait("3 lines pasted", "2 files, 30 B", "1 left out", "missing.txt")
    assert home.list() == []
    confirm(screen)
    screen.wait("added 2 uploads, 1 skipped", "Done 2", "with space.txt")


def test_an_address_that_was_dropped_is_a_path(screen, home):
    home.make("with space.txt", 10)
    screen.paste(f"file://{home.files}/with%20space.txt ")
    screen.wait("1 file, 10 B")
    confirm(screen)
    screen.wait("Done 1", "with space.txt")


def test_a_paste_without_brackets_is_not_taken_for_keys(screen, home):
    path = home.make("quit.txt", 10)
    screen.press(path)
    screen.wait("[Enter] add", "1 file, 10 B")
    confirm(screen)
    screen.wait("Done 1")


def add_to_other(screen, path):
    """Adds a file to the second of two destinations."""
    screen.press("a")
    screen.wait("box   1 of 2")
    screen.press("\x1b[Z")
    screen.wait("other   2 of 2")
    screen.press(path)
    screen.wait("1 file")
    confirm(screen)
    screen.wait("Done 1", "-> other")


def test_the_destination_is_chosen(home, server, start):
    home.configure(
        server.url, other={"url": server.url + "other/", "protocol": "put"}
    )
    screen = start()
    screen.wait("Nothing to upload yet.")
    add_to_other(screen, home.make("one.txt", 10))


@pytest.mark.parametrize("is_attached", [False, True])
def test_a_destination_that_is_new_in_the_configuration_is_offered(home, server, start, is_attached):
    if is_attached:
        assert home.run("run", "--detach").returncode == 0
    try:
        screen = start()
        screen.wait("Nothing to upload yet.")
        home.configure(server.url, other={"url": server.url + "other/", "protocol": "put"})
        add_to_other(screen, home.make("one.txt", 10))
    finally:
        if is_attached:
            home.run("stop")


def test_a_file_that_was_uploaded_before_is_counted_and_left_out(home, server, start):
    home.add(home.make("one.txt", 10))
    assert home.run("run", "--exit-when-idle").returncode == 0
    home.run("remove", "--all")
    assert home.list() == []
    home.make("two.txt", 10)
    screen = start()
    screen.wait("Nothing to upload yet.")
    open_dialog(screen, f"{home.files}/*.txt")
    screen.wait("2 files, 20 B", "1 already done")
    confirm(screen)
    screen.wait("added 1 upload, 1 left out: already queued or done", "two.txt")


def test_the_dialog_fits_a_small_screen(server, home, start):
    path = home.make("one.txt", 10)
    screen = start(rows=10, columns=40)
    screen.wait("Nothing to upload yet.")
    open_dialog(screen, path)
    screen.wait("1 file, 10 B", "[Enter] add")
    confirm(screen)
    screen.wait("✓ one.txt")


DOWN, UP, RIGHT, LEFT = "\x1b[B", "\x1b[A", "\x1b[C", "\x1b[D"


def enter_list(screen, path, *wanted):
    """Opens the dialog with a path, and moves to the list."""
    open_dialog(screen, path)
    screen.wait(*wanted, gone="looking")
    screen.press(DOWN)
    screen.wait("[space] mark")


def test_files_of_two_folders_are_marked_and_added(screen, home):
    for name in "one/a.mov", "one/b.mov", "two/c.mov", "two/d.mov", "top.txt":
        home.make(name, "2K")
    enter_list(screen, f"{home.files}/", "one/", "two/", "top.txt")
    screen.press(RIGHT)
    screen.wait("a.mov", "b.mov", "files ~/files/one/", gone="top.txt")
    screen.press(" ")
    screen.wait("1 marked", "1 file, 2 KiB")
    screen.press(LEFT)
    screen.wait("top.txt", "1 marked, 1 elsewhere")
    screen.press("j\r")
    screen.wait("d.mov", "files ~/files/two/")
    screen.press("j ")
    screen.wait("2 marked, 1 elsewhere", "2 files, 4 KiB")
    assert home.list() == []
    screen.press("a")
    screen.wait("added 2 uploads", "Done 2", "a.mov", "d.mov", gone="[space] mark")
    assert sorted(os.path.basename(upload["path"]) for upload in home.list()) == ["a.mov", "d.mov"]


def test_a_folder_that_is_marked_is_counted_with_all_in_it(screen, home):
    for number in range(5):
        home.make(f"day/deep/{number}.mov", "1K")
    enter_list(screen, f"{home.files}/", "day/")
    screen.press(" ")
    screen.wait("1 marked", "5 files, 5 KiB")
    screen.press("a")
    screen.wait("added 5 uploads", "Done 5")


def test_a_file_under_the_cursor_is_added_by_enter(screen, home):
    home.make("one.txt", 10)
    home.make("two.txt", 20)
    enter_list(screen, f"{home.files}/", "one.txt", "two.txt")
    screen.wait("one.txt, 10 B")
    screen.press("j")
    screen.wait("two.txt, 20 B")
    confirm(screen)
    screen.wait("added 1 upload", "Done 1", "two.txt")


def path_bytes(path):
    """Returns the bytes of a path in `ferry list --json`, which is text, or base64 if it is not UTF-8."""
    coded = path.removeprefix("base64:")
    return path.encode() if coded == path else base64.b64decode(coded)


def test_names_that_no_line_can_hold_are_marked_and_added(screen, home):
    folder = os.fsencode(home.files) + b"/odd\xff"
    os.mkdir(folder)
    names = [b" quote'\x1b[31mred", b"bad\xfe", b"line\nend"]
    for name in names:
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"x")
    enter_list(screen, f"{home.files}/", "odd\ufffd/")
    screen.press(RIGHT)
    screen.wait("bad\ufffd", "line\\nend", "quote'\\e[31mred")
    screen.press("\x01")
    screen.wait("3 marked", "3 files, 3 B")
    screen.press("a")
    # The receiver refuses names with control characters.
    screen.wait("All 3", "Failed 2", "Done 1", "bad\ufffd")
    paths = [upload["path"] for upload in home.list()]
    assert {path_bytes(path) for path in paths} == {folder + b"/" + name for name in names}


def test_a_folder_that_is_gone_says_so_and_can_be_left(screen, home):
    home.make("day/a.mov", "1K")
    home.make("top.txt", "1K")
    enter_list(screen, f"{home.files}/", "day/", "top.txt")
    os.unlink(home.files / "day" / "a.mov")
    os.rmdir(home.files / "day")
    screen.press(RIGHT)
    screen.wait("cannot be read: no such folder")
    screen.press(LEFT)
    screen.wait("top.txt", gone="day/")
    screen.press("\x1b")
    screen.wait("[Tab] complete")
    screen.press("\x1b")
    screen.wait("Nothing to upload yet.", gone="[Tab] complete")


def test_all_that_is_left_out_is_listed(screen, home):
    home.make("day/a.mov", "1K")
    for number in range(30):
        home.make(f"day/.hidden{number:02}", "1K")
    enter_list(screen, f"{home.files}/", "day/")
    screen.press(" ")
    screen.wait("1 file, 1 KiB", "30 left out", "[v] left out")
    screen.press("v")
    screen.wait("Left out: 1 to ", " of 30", ".hidden00: is hidden")
    screen.press("G")
    screen.wait(".hidden29")
    screen.press("\x1b")
    screen.wait("[space] mark")


def test_the_list_works_on_a_small_screen_with_plain_signs(server, home, start):
    home.make("one.txt", 10)
    home.make("two.txt", 20)
    screen = start("--ascii", "--no-color", rows=10, columns=40)
    screen.wait("Nothing to upload yet.")
    enter_list(screen, f"{home.files}/", "one.txt")
    screen.press(" ")
    screen.wait("1 marked", "1 file, 10 B", ">  two.txt")
    screen.press("a")
    screen.wait("+ one.txt")
