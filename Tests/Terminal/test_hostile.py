"""Tests that names and messages from outside never control the terminal, and that random input never stops Ferry."""

import http.server
import os
import random
import re
import threading

import pytest

# The sequences that Ferry itself sends: to move, erase, scroll, and set colours and modes.
OWN = re.compile(rb"\x1b(?:\[[0-9;:?>!]*[A-Za-z@`]|[()][0AB]|[78=>MDEc])")

EVIL = b"evil\x1b[31;7mred\x1b]52;c;aGVsbG8=\x07\nline\r\t"
EVIL += b"\x9b31m\xe2\x80\xaetxt.exe\xff\xc2\x9b1m\xc3\xa9.bin"


def check_wire(raw):
    rest = OWN.sub(b"", bytes(raw))
    assert b"\x1b" not in rest, f"an escape sequence that is not ours: {rest[rest.index(0x1B) :][:40]}"
    for foreign in b"\x07", b"\x9b31", b"\xc2\x9b", b"\xe2\x80\xae", b"\xff", b"\x1b[31;7m":
        assert foreign not in raw, f"{foreign!r} reached the terminal"
    # Line ends and cursor movements come from curses. Ferry never sends a bell or a shift.
    assert not re.search(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]", rest)


def test_a_hostile_name_is_shown_harmlessly(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.make(EVIL, "20M")
    screen = start(columns=160)
    screen.wait("Nothing to upload yet.")
    screen.press("a")
    screen.wait("[Enter] add")
    screen.press(f"{home.files}/*")
    screen.wait("1 file", r"evil\e[31;7mred\e]52;c;aGVsbG8=\u{7}\nline\r\t")
    screen.press_until("\r", gone="[Enter] add")
    # The receiver refuses such a name, and the message says so.
    screen.wait("✗ FAILED", r"evil\e[31;7mred", "control characters")
    screen.press("x")
    screen.wait(r"removed evil\e[31;7mred")
    screen.press("q")
    assert screen.exit_status() == 0
    check_wire(screen.raw)


def test_a_misleading_name_is_shown_as_it_is(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.make(b"invoice\xe2\x80\xaefdp.exe\xff", "20M")
    home.add("--recursive", str(home.files))
    screen = start(columns=160)
    screen.wait("▲ running", r"invoice\u{202E}fdp.exe�")
    screen.press("q")
    screen.wait("1 upload is running:", lambda: screen.text.count(r"invoice\u{202E}fdp.exe�") >= 2)
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() == 0
    check_wire(screen.raw)


class Answer(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b"no \x1b]0;owned\x07 access \x1b[31;7m for \xc2\x9b1myou\n" * 3
        self.send_response_only(403, "Nope\x1b]52;c;aGVsbG8=\x07\x1b[31;7m")
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def hostile_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_hostile_response_is_shown_without_control_characters(home, hostile_server, start):
    home.configure(hostile_server, bad={"url": hostile_server, "protocol": "put"})
    home.add("--to", "bad", home.make("one.bin", "1K"))
    screen = start(columns=160)
    screen.wait("✗ FAILED", "403")
    check_wire(screen.raw)
    screen.press("q")
    assert screen.exit_status() == 1
    check_wire(screen.raw)
    assert b"\x1b" not in home.run("list").stdout


FRAGMENTS = [
    b"\x1b", b"\x1b[", b"\x1bO", b"\x1b[A", b"\x1b[B", b"\x1b[1;2B", b"\x1b[3~", b"\x1b[6~", b"\x1b[;;;;", b"\x1b[9;9R",
    b"\x1b[200~", b"\x1b[201~", b"\x1b[201~", b"\x1b[201~", b"\x1b]52;c;", b"\x1bP1$r", b"\x1b\\",
    b"\x07", b"\x07", b"\x07", b"\x1b[<0;12;5M", b"\x1b[<65;1;1M", b"\x1b[<0;99999999999999999999;1M",
    "報".encode(), "é\u0301".encode(), "\u202e".encode(), b"/a/b\r", b"\xff",
]
# Keys that leave or suspend, and the help, in which Enter could run such an action.
LEAVING = b"qwD?\x03\x1a"
OTHERS = [bytes([byte]) for byte in range(256) if byte not in LEAVING]


def noise(dice, count):
    """Random bytes and parts of sequences, in chunks as a slow line may deliver them."""
    left = count
    while left > 0:
        parts = (dice.choice(FRAGMENTS if dice.random() < 0.3 else OTHERS) for _ in range(dice.randint(1, 60)))
        chunk = b"".join(parts)[:left]
        left -= len(chunk)
        yield chunk


def test_a_million_random_bytes_never_stop_the_program(home, server, start):
    home.configure(server.url, bandwidth="200K", concurrency=1)
    home.add(*(home.make(f"{number}.bin", "20M") for number in range(9)))
    # Typed paths are looked up, so the working directory is empty.
    screen = start(command=["/bin/sh", "-c", 'cd "$0" && exec "$1"', str(home.files), os.environ["FERRY"]])
    screen.wait("▲ running", "1/9")
    for chunk in noise(random.Random(7), 1_000_000):
        screen.press(chunk)
        screen.pump(0)
    screen.press(b"\x1b[201~\x07")
    # The remaining input may open another dialog. The help opens only after all of it is read.
    screen.press_until(("\x1b", "?"), "show all keys")
    screen.press_until("\x1b", gone="show all keys")
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() in (0, 1)
    assert screen.modes() == (True, True)
    assert screen.raw.rfind(b"\x1b[?1049l") > screen.raw.rfind(b"\x1b[?1049h")
