"""Tests the status line for a server that asks to wait."""

import http.server
import re
import threading

import pytest


class Busy(http.server.BaseHTTPRequestHandler):
    """A server that responds with 503 and `Retry-After` of ten minutes while `is_busy` is true."""

    is_busy = True

    def _answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(503 if type(self).is_busy else 201)
        if type(self).is_busy:
            self.send_header("Retry-After", "600")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_HEAD = do_OPTIONS = _answer

    def log_message(self, *_):
        pass


@pytest.fixture
def busy():
    class Answer(Busy):
        pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", Answer
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_that_asks_to_wait_is_in_the_status_line_until_the_next_try(home, start, busy):
    url, answer = busy
    home.configure(url)
    home.change(destinations={"box": {"url": url, "protocol": "put"}})
    home.add(home.make("one.bin", "1K"), home.make("two.bin", "1K"))
    screen = start()
    screen.wait("◐ SLOW  127.0.0.1 asks to wait (503) until ", "2 uploads wait")
    assert re.search(r"^ ◐ SLOW .* until \d\d:\d\d:\d\d; 2 uploads wait", screen.text.splitlines()[0])
    answer.is_busy = False
    screen.press("n")
    screen.wait("● online", "Done 2", gone="SLOW")


def test_lines_report_it_once(home, start, busy):
    url, _ = busy
    home.configure(url)
    home.change(destinations={"box": {"url": url, "protocol": "put"}})
    home.add(home.make("one.bin", "1K"))
    lines = start("--plain", rows=60, columns=140)
    lines.wait("127.0.0.1 asks to wait (503) until ", "1 upload waits", "retrying in 10 min: one.bin")
    lines.press("now\n")
    lines.wait("trying now", lambda: lines.text.count("asks to wait (503)") == 2)
    lines.press("quit\n")
    assert lines.exit_status() == 0
