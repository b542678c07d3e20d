"""Programs on a pseudo-terminal of 80 columns and 24 rows, and what they cost: CPU, bytes written, time to a frame."""

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
# Ferry and btop end each frame with this (synchronized output).
END_OF_FRAME = b"\x1b[?2026l"
TIMEOUT = 60


def cpu_seconds(pid):
    """User and system time of all threads of a process, those that have ended included."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Watched:
    """A command on a terminal of its own. Ends with the block that it is used in."""

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
        # It may want to say something at the end, so somebody has to read it.
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
        """What arrives within a time, as far as it is at hand; nothing if nothing does."""
        if not select.select([self._fd], [], [], max(0, seconds))[0]:
            return b""
        try:
            return os.read(self._fd, 1 << 16)
        except OSError:
            time.sleep(0.01)
            return b""

    def first_frame(self, holding):
        """Seconds from the start to the end of the first frame that holds a text."""
        seen = b""
        while time.monotonic() - self._began < TIMEOUT:
            seen += self._read(1)
            at = seen.find(holding)
            if at >= 0 and seen.find(END_OF_FRAME, at) >= 0:
                return time.monotonic() - self._began
        sys.exit(f"{self.name} shows no frame with {holding.decode()!r}; its last words: {seen[-300:]!r}")

    def first_silence(self):
        """Seconds from the start to the last byte before it writes nothing for a tenth of a second, but for a start."""
        count, last = 0, self._began
        while time.monotonic() - self._began < TIMEOUT:
            data = self._read(0.1)
            if data:
                count, last = count + len(data), time.monotonic()
            elif count > 1000:
                return last - self._began
        sys.exit(f"{self.name} draws nothing")

    def answer(self, key):
        """Seconds from a key to the end of the frame that answers it. The next key comes when the line is quiet."""
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
        """The share of one core and the bytes a second over a time."""
        self._read(0)
        count, cpu, began = 0, cpu_seconds(self.pid), time.monotonic()
        while (left := began + seconds - time.monotonic()) > 0:
            count += len(self._read(left))
        took = time.monotonic() - began
        return (cpu_seconds(self.pid) - cpu) / took, count / took

    def watch(self, seconds):
        """Lets it run and reads what it writes."""
        self.cost(seconds)
