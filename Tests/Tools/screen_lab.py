"""Runs programs on a pseudo-terminal of 80x24, and measures their CPU, output and times to a frame."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

ROWS, COLUMNS = 24, 80
# Ferry and btop end each frame with this sequence (synchronized output).
END_OF_FRAME = b"\x1b[?2026l"
TIMEOUT = 60


def cpu_seconds(pid):
    """Returns the user and system time of all threads of a process, including ended ones."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Watched:
    """A command on a terminal of its own. It ends with the `with` block."""

    def __init__(self, command, environment):
        self.name = os.path.basename(command[0])
        self._began = time.monotonic()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            with contextlib.suppress(OSError):
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
                os.execve(command[0], command, environment)
            os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The program may block on its last output unless somebody reads it.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        end = time.monotonic() + 10
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            self._read(0.02)
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                end = float("inf")
        os.close(self._fd)

    def _read(self, seconds):
        """Returns the bytes that arrive within a time; empty if none do."""
        if not select.select([self._fd], [], [], max(0, seconds))[0]:
            return b""
        try:
            return os.read(self._fd, 1 << 16)
        except OSError:
            time.sleep(0.01)
            return b""

    def first_frame(self, holding):
        """Returns the seconds from the start to the end of the first frame that contains a text."""
        seen = b""
        while time.monotonic() - self._began < TIMEOUT:
            seen += self._read(1)
            at = seen.find(holding)
            if at >= 0 and seen.find(END_OF_FRAME, at) >= 0:
                return time.monotonic() - self._began
        sys.exit(f"{self.name} shows no frame with {holding.decode()!r}; its last words: {seen[-300:]!r}")

    def first_silence(self):
        """Returns the seconds from the start to the last byte before a pause of a tenth of a second."""
        count, last = 0, self._began
        while time.monotonic() - self._began < TIMEOUT:
            data = self._read(0.1)
            if data:
                count, last = count + len(data), time.monotonic()
            elif count > 1000:
                return last - self._began
        sys.exit(f"{self.name} draws nothing")

    def answer(self, key):
        """Returns the seconds from a key to the end of the next frame. The key waits for a pause in the output."""
        while self._read(0.03):
            pass
        seen, began = b"", time.monotonic()
        os.write(self._fd, key.encode())
        while time.monotonic() - began < TIMEOUT:
            seen += self._read(1)
            if END_OF_FRAME in seen:
                return time.monotonic() - began
        sys.exit(f"{self.name} does not answer {key!r}")

    def cost(self, seconds):
        """Returns the share of one core, and the bytes per second, over a time."""
        self._read(0)
        count, cpu, began = 0, cpu_seconds(self.pid), time.monotonic()
        while (left := began + seconds - time.monotonic()) > 0:
            count += len(self._read(left))
        took = time.monotonic() - began
        return (cpu_seconds(self.pid) - cpu) / took, count / took

    def watch(self, seconds):
        """Reads the output for a while."""
        self.cost(seconds)
