"""Runs a program on a pseudo-terminal, and interprets its output as the cells of a screen."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import pyte

# The program ends each frame with this sequence. Bytes after it are an incomplete frame.
END_OF_FRAME = b"\x1b[?2026l"
SWITCH = re.compile(rb"\x1b\[\?1049[hl]")
# A timeout in seconds for what usually takes one second. A busy machine may take long.
TIMEOUT = 60


class Cells(pyte.Screen):
    """pyte's screen, with two sequences by which ncurses scrolls a region and which pyte does not support."""

    def scroll_up(self, count=1, **_):
        self._scroll(count, self.index, at_top=False)

    def scroll_down(self, count=1, **_):
        self._scroll(count, self.reverse_index, at_top=True)

    def _scroll(self, count, step, at_top):
        before = self.cursor.x, self.cursor.y
        top, bottom = self.margins or (0, self.lines - 1)
        self.cursor.y = top if at_top else bottom
        for _ in range(count or 1):
            step()
        self.cursor.x, self.cursor.y = before

    def __str__(self):
        return "\n".join(line.rstrip() for line in self.display)


class Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "S": "scroll_up", "T": "scroll_down"}
    events = frozenset({*pyte.ByteStream.events, "scroll_up", "scroll_down"})


class Terminal:
    """Runs a command on a terminal of its own. Tests wait for something to appear, never for time to pass."""

    def __init__(self, command, environment, rows=24, columns=80):
        self.rows, self.columns = rows, columns
        self.raw = bytearray()
        self._held = b""
        self._status = None
        self._closed = False
        self.normal = self._new_screen()
        self._alternate = None
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            with contextlib.suppress(OSError):
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execve(command[0], command, environment)
            os._exit(127)

    def _new_screen(self):
        cells = Cells(self.columns, self.rows)
        return cells, Stream(cells)

    # What the screen shows

    @property
    def is_up(self):
        """True while the program shows its screen, and not the normal screen of the shell."""
        return self._alternate is not None

    @property
    def cells(self):
        return (self._alternate or self.normal)[0]

    @property
    def text(self):
        return str(self.cells)

    @property
    def left_behind(self):
        """The text on the normal screen."""
        return str(self.normal[0])

    def lines(self):
        return [line.rstrip() for line in self.cells.display]

    def row(self, text):
        """Returns the index of the first row with a text."""
        for number, line in enumerate(self.lines()):
            if text in line:
                return number
        raise AssertionError(f"no row shows {text!r}:\n{self.text}")

    def line(self, text):
        """Returns the first line with a text; an empty text if there is none."""
        return next((line for line in self.lines() if text in line), "")

    def cell(self, text, row=None):
        """Returns the first cell of a text, with its character and colours."""
        row = self.row(text) if row is None else row
        cells = [self.cells.buffer[row][column] for column in range(self.columns)]
        # A wide character has two cells, of which the second is empty.
        for column in range(self.columns):
            if "".join(cell.data for cell in cells[column:]).startswith(text) and cells[column].data:
                return cells[column]
        raise AssertionError(f"row {row} does not show {text!r}:\n{self.text}")

    # Input

    def press(self, keys):
        os.write(self._fd, keys.encode() if isinstance(keys, str) else keys)

    def press_until(self, keys, *wanted, gone=()):
        """Presses keys again and again until their effect shows. A new dialog ignores keys for a moment."""
        for _ in range(40):
            for key in [keys] if isinstance(keys, (str, bytes)) else keys:
                self.press(key)
                try:
                    return self.wait(*wanted, gone=gone, timeout=0.25)
                except AssertionError:
                    continue
        self.wait(*wanted, gone=gone, timeout=0)

    def paste(self, text):
        self.press(b"\x1b[200~" + os.fsencode(text) + b"\x1b[201~")

    def resize(self, rows, columns):
        self.pump(0)
        self.rows, self.columns = rows, columns
        self.normal[0].resize(rows, columns)
        # The program draws everything anew after this, so earlier output does not count.
        if self._alternate:
            self._alternate = self._new_screen()
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send_signal(self, number):
        os.kill(self.pid, number)

    def modes(self):
        """The modes of the terminal driver. A shell wants canonical input and echo."""
        local = termios.tcgetattr(self._fd)[3]
        return bool(local & termios.ICANON), bool(local & termios.ECHO)

    def close(self):
        """Closes the window, which takes the terminal away from the program."""
        if not self._closed:
            os.close(self._fd)
        self._closed = True

    # Waits

    def pump(self, seconds):
        """Reads the output for some time. Returns False once no more can come."""
        if self._closed:
            return False
        if not select.select([self._fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            data = b""
        self.raw += data
        self._held += data
        self._feed(at_end=not data)
        return bool(data)

    def _feed(self, at_end):
        while match := SWITCH.search(self._held):
            self._put(self._held[: match.start()])
            self._held = self._held[match.end() :]
            self._alternate = self._new_screen() if match.group().endswith(b"h") else None
        if at_end or not self.is_up:
            # Other sequences may be cut at the end, but not the switch between the screens.
            cut = self._held.rfind(b"\x1b") if not at_end else -1
            is_cut = cut >= 0 and b"\x1b[?1049".startswith(self._held[cut:])
            cut = cut if is_cut else len(self._held)
        else:
            cut = self._held.rfind(END_OF_FRAME)
            cut = cut + len(END_OF_FRAME) if cut >= 0 else 0
        self._put(self._held[:cut])
        self._held = self._held[cut:]

    def _put(self, data):
        (self._alternate or self.normal)[1].feed(data)

    def wait(self, *wanted, timeout=TIMEOUT, gone=()):
        """Waits until all texts are on the screen and those in `gone` are not. `wanted` may contain functions."""

        def is_seen():
            text = self.text
            return all(want() if callable(want) else want in text for want in wanted) and not any(
                text_ in text for text_ in ([gone] if isinstance(gone, str) else gone)
            )

        end = time.monotonic() + timeout
        while not is_seen():
            left = end - time.monotonic()
            if left <= 0 or not self.pump(min(left, 0.25)):
                if is_seen():
                    return
                names = [want.__name__ if callable(want) else want for want in wanted]
                raise AssertionError(
                    f"waited for {names}{f' without {gone}' if gone else ''}; the screen shows\n{self.text}"
                )

    def frames(self, keep=lambda: True, timeout=TIMEOUT):
        """Yields the text of each new frame while `keep` returns true."""
        end = time.monotonic() + timeout
        last = None
        while keep() and time.monotonic() < end:
            if self.text != last:
                last = self.text
                yield last
            if not self.pump(0.25):
                return

    def count_bytes(self, seconds):
        """Returns the number of bytes that arrive within a time."""
        before = len(self.raw)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.pump(left):
            pass
        return len(self.raw) - before

    def exit_status(self, timeout=TIMEOUT):
        """Waits for the end, and returns the exit status; a negative number for a signal, as subprocess does."""
        end = time.monotonic() + timeout
        while self._status is None:
            is_open = self.pump(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
                while self.pump(0):
                    if not select.select([self._fd], [], [], 0)[0]:
                        break
            elif time.monotonic() > end:
                raise AssertionError(f"the program does not end; the screen shows\n{self.text}")
            elif not is_open:
                select.select([], [], [], 0.02)
        return self._status

    def dispose(self):
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            self._status = -signal.SIGKILL
        self.close()
