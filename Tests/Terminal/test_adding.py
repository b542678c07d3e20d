"""Adding files: by typing with Tab, by a pattern, by a paste, by what a terminal makes of a drop."""

import pytest


@pytest.fixture
def screen(server, start):
    screen = start()
    screen.wait("Nothing to upload yet.")
    return screen


def open_dialog(screen, path):
    """Opens the dialog and types a path; what comes in one piece is taken as a paste."""
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
    screen.wait("/holiday/bridge.jpg", "1 file, 5 KB")
    confirm(screen)
    screen.wait("added 1 upload", "bridge.jpg", "Done 1")


def test_tab_goes_through_the_candidates(screen, home):
    for name in "a1.txt", "a2.txt", "a3.txt":
        home.make(name, 10)
    open_dialog(screen, f"{home.files}/a")
    screen.wait("/a")
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


def test_the_destination_is_chosen(home, server, start):
    home.configure(
        server.url, other={"url": server.url + "other/", "protocol": "put"}
    )
    path = home.make("one.txt", 10)
    screen = start()
    screen.wait("Nothing to upload yet.")
    screen.press("a")
    screen.wait("box   1 of 2")
    screen.press("\x1b[Z")
    screen.wait("other   2 of 2")
    screen.press(path)
    screen.wait("1 file")
    confirm(screen)
    screen.wait("Done 1", "-> other")


def test_the_dialog_fits_a_small_screen(server, home, start):
    path = home.make("one.txt", 10)
    screen = start(rows=10, columns=40)
    screen.wait("Nothing to upload yet.")
    open_dialog(screen, path)
    screen.wait("1 file, 10 B", "[Enter] add")
    confirm(screen)
    screen.wait("✓ one.txt")
