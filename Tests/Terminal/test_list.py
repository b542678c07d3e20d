"""Tests the list in different sizes, and the keys that move in it."""

import os
import re

import pytest

BAR = re.compile("[━╸]+[━╸─]*|─{8,}")


def percent(line):
    match = re.search(r"(\d+)%", line)
    return int(match.group(1)) if match else None


@pytest.mark.parametrize("rows, columns", [(10, 40), (24, 80), (40, 120)])
def test_uploads_run_and_are_done_in_every_size(home, server, start, rows, columns):
    home.configure(server.url, bandwidth="1M", concurrency=1)
    home.add(home.make("film.mov", "3M"), home.make("notes.txt", "2K"))
    screen = start(rows=rows, columns=columns)
    screen.wait("▲", "film.mov", "online")

    seen = set()
    bars = set()
    for _ in screen.frames(keep=lambda: "▲" in screen.text):
        for line in screen.lines():
            if "▲" in line and "film.mov" in line and percent(line) is not None:
                seen.add(percent(line))
                bars.update(BAR.findall(line))
    assert len(seen) >= 3, f"the share moves: {seen}"
    assert columns < 80 or len(bars) >= 3, f"the bar moves: {bars}"

    names = "film.mov", "notes.txt"
    screen.wait(lambda: all("✓" in screen.line(name) for name in names), gone="▲")
    assert columns < 80 or all("done" in screen.line(name) and "100%" in screen.line(name) for name in names)
    screen.press("q")
    assert screen.exit_status() == 0
    assert (server.folder / "film.mov").stat().st_size == 3 << 20


def test_80_columns(home, server, start):
    home.configure(server.url, bandwidth="1M", concurrency=1)
    home.add(home.make("film.mov", "40M"), home.make("notes.txt", "2K"))
    screen = start()
    screen.wait("▲ running", lambda: (percent(screen.line("film.mov")) or 0) >= 5)
    lines = screen.lines()
    status = r" ● online  box  ↑ [\d.]+ [KM]iB/s  limit 1 MiB/s  1 of 1 uploading  (ETA [\d:]+|[\d.]+ MiB left)"
    assert re.match(status, lines[0])
    assert lines[1] == " All 2  Active 1  Queued 1  Paused 0  Failed 0  Done 0"
    assert lines[2] == "  STATE      NAME                       SIZE PROGRESS              RATE      ETA"
    assert re.match(r"▸ ▲ running  film\.mov +40M [━╸][━╸─]{12} +\d+% +[\d.]+[KM]/s", lines[3])
    assert lines[4] == "  · queued   notes.txt                  2.0K"
    assert lines[22] == f" {home.files}/film.mov -> box"
    assert lines[23].startswith(" ? help  a add  p pause  x remove  u undo  q quit")
    assert lines[23].endswith(" 1/2")

    assert screen.cell("running", row=3).fg == "5fafff"
    assert screen.cell("━" if "━" in lines[3] else "╸", row=3).fg == "5fafff"
    assert screen.cell("─", row=3).fg == "585858"
    assert screen.cell("film.mov", row=3).bg == "262626" and screen.cell("film.mov", row=3).bold
    assert screen.cell("queued", row=4).bg == "default"
    assert screen.cell("All", row=1).reverse and not screen.cell("Active", row=1).reverse
    assert screen.cell("?", row=23).bold


def test_40_columns(home, server, start):
    home.configure(server.url, bandwidth="1M", concurrency=1)
    home.add(home.make("film.mov", "40M"), home.make("a-name-that-is-much-too-long-for-this.txt", "2K"))
    screen = start(rows=10, columns=40)
    screen.wait(lambda: (percent(screen.line("film.mov")) or 0) >= 5)
    lines = screen.lines()
    assert re.match(r" ● online ↑[\d.]+[KM]/s 1 up", lines[0])
    assert re.match(r"▸ ▲ film\.mov +\d+% +[\d.]+[KM]/s$", lines[1])
    assert re.match(r"  · a-name-.*…his\.txt|  · a-name.*….*\.txt", lines[2])
    assert re.match(r" \? help  a add  p pause  x remove +1/2$", lines[9])


def test_a_filter_that_comes_in_one_packet_is_typed_and_kept(home, server, start):
    home.configure(server.url)
    home.add(home.make("film.mov", 10), home.make("notes.txt", 10))
    screen = start()
    screen.wait("Done 2")
    screen.press("/state:done notes\r")
    screen.wait("/state:done notes  1/1", gone="film.mov  ")


def test_120_columns(home, server, start):
    home.configure(server.url, bandwidth="1M", concurrency=1)
    home.add(home.make("film.mov", "40M"), home.make("notes.txt", "2K"))
    screen = start(rows=40, columns=120)
    screen.wait(lambda: (percent(screen.line("film.mov  ")) or 0) >= 5)
    lines = screen.lines()
    assert lines[1].startswith(" [1] All 2   [2] Active 1   [3] Queued 1")
    row = r"▸ +1 ▲ running  film\.mov +40M [━╸─]{20} +\d+% +[\d.]+[KM]/s .*  box$"
    assert re.match(row, lines[3])
    assert re.match(r" +2 · queued   notes\.txt +2\.0K +box$", lines[4])


def test_an_empty_queue_says_what_to_do(server, start):
    screen = start()
    screen.wait("Nothing to upload yet.", "add files, or paste their paths")
    screen.press("q")
    assert screen.exit_status() == 0


def test_the_number_keys_show_parts_of_the_queue(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(*(home.make(f"{name}.bin", "20M") for name in ("one", "two", "three")))
    home.run("pause", "3")
    screen = start()
    screen.wait("All 3  Active 1  Queued 1  Paused 1")
    for key, shown in ("2", "one"), ("3", "two"), ("4", "three"):
        screen.press(key)
        screen.wait(f"{shown}.bin", "1/1")
        assert sum(".bin  " in line for line in screen.lines()[3:22]) == 1
    assert screen.cell("Paused", row=1).reverse
    for key in "5", "6":
        screen.press(key)
        screen.wait("Nothing here.  1 shows all.", "0/0")
    screen.press("1")
    screen.wait("one.bin", "two.bin", "three.bin", "/3")


def test_paging_through_a_long_list(home, server, start):
    home.configure(server.url, bandwidth="100K", concurrency=1)
    for number in range(100):
        home.make(f"many/{number:03}.bin", "1M")
    home.add("--recursive", str(home.files / "many"))
    screen = start()
    screen.wait("▲ running", "1/100")
    # A page has 17 rows.
    for keys, position, name in [
        ("\x1b[6~", "18/100", "017.bin"),
        ("\x06", "35/100", "034.bin"),
        ("\x04", "43/100", "042.bin"),
        ("\x15", "35/100", "034.bin"),
        ("\x02", "18/100", "017.bin"),
        ("\x1b[5~", "1/100", "000.bin"),
        ("G", "100/100", "099.bin"),
        ("k", "99/100", "098.bin"),
        ("\x1b[A", "98/100", "097.bin"),
        ("\x1b[B", "99/100", "098.bin"),
        ("g", "1/100", "000.bin"),
        ("j", "2/100", "001.bin"),
        ("\x1b[F", "100/100", "099.bin"),
        ("\x1b[H", "1/100", "000.bin"),
    ]:
        screen.press(keys)
        screen.wait(lambda: screen.lines()[23].endswith(f" {position}"))
        row = screen.row("▸")
        assert name in screen.lines()[row]
        assert screen.cell(name, row=row).bg == "262626"


def test_the_wheel_and_a_click_move_the_cursor(home, server, start):
    home.configure(server.url, bandwidth="100K", concurrency=1)
    home.add(*(home.make(f"{number}.bin", "1M") for number in range(9)))
    screen = start()
    screen.wait("▲ running", "1/9")
    screen.press("\x1b[<65;10;10M")
    screen.wait("4/9")
    screen.press("\x1b[<0;20;9M\x1b[<0;20;9m")
    screen.wait("6/9")
    screen.press("\x1b[<0;10;2M\x1b[<0;10;2m")
    screen.wait("1/1")
    assert screen.cell("Active", row=1).reverse


def test_idle_sends_nothing(home, server, start):
    home.add(home.make("one.bin", "1M"), home.make("two.bin", "1M"))
    home.run("pause", "--all")
    screen = start()
    screen.wait("‖ paused", "one.bin", "two.bin")
    assert screen.count_bytes(3) == 0


def test_a_slash_filters_the_rows_by_the_text_after_it(home, server, start):
    home.configure(server.url, bandwidth="1M", concurrency=1)
    home.add(*(home.make(name, "2M") for name in ("film.mov", "a.jpg", "b.jpg", "notes.txt")))
    screen = start()
    screen.wait("film.mov", "notes.txt", "1/4")
    screen.press("/")
    screen.press("jpg")
    screen.wait("2 of 4", "a.jpg", "b.jpg", "Enter keep", gone="film.mov")
    screen.press("\r")
    screen.wait("/jpg", gone="2 of 4")
    screen.press("\x1b")
    screen.wait("film.mov", "notes.txt", gone="/jpg")


def test_a_light_theme_has_a_light_line_under_the_cursor(home, server, start):
    home.configure(server.url)
    home.add(home.make("notes.txt", "2K"))
    screen = start("--theme", "light")
    screen.wait("notes.txt", "1/1")
    assert screen.cell("notes.txt", row=3).bg == "e4e4e4"


def test_the_log_lists_the_events_and_leads_to_the_upload(home, server, start):
    path = home.make("gone.bin", "1K")
    home.add(path, home.make("here.bin", "1K"))
    os.unlink(path)
    screen = start()
    screen.wait("FAILED", "Done 1")
    screen.press("gr")
    # The reply to the key may be shown before or after the failure that follows it.
    screen.wait(lambda: "retrying gone.bin" in screen.text or "gone.bin failed: no such file" in screen.text)
    screen.press("l")
    screen.wait("┌ Log", "retrying gone.bin", "gone.bin failed: no such file")
    screen.press("/")
    screen.wait("[Esc] clear")
    screen.press("such\r")
    screen.wait("/such", gone="retrying gone.bin")
    screen.press("\r")
    screen.wait(gone="┌ Log")
    assert screen.line("gone.bin").startswith("▸")
