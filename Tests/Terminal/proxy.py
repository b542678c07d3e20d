"""A TCP proxy before an HTTP server. It counts the bytes of files, and can act as a bad link or a busy server."""

import base64
import contextlib
import fcntl
import re
import select
import socket
import struct
import termios
import threading
import time

CHUNK = 1 << 14
# The seconds between two checks for commands of the test.
TICK = 0.02
HEAD = re.compile(rb"^(\S+) (\S+) HTTP/1\.[01]\r\n", re.MULTILINE)
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
LOCATION = re.compile(rb"\r\nlocation: *(?:https?://[^/\r]+)?(\S+)", re.IGNORECASE)
FILENAME = re.compile(rb"\r\nupload-metadata: *(?:[^\r]*,)?filename ([A-Za-z0-9+/=]+)", re.IGNORECASE)


class Request:
    """A request, with the number of body bytes that the client has sent."""

    def __init__(self, method, path, name, length):
        self.method, self.path, self.name, self.length = method, path, name, length
        self.body = 0
        self.refused = False


class Connection:
    def __init__(self, client, server):
        self.client, self.server = client, server
        self.up = self.down = 0
        self.is_open = True
        # The request under way, and the name in the last request that created an upload.
        self.request = self.created = None


class CountingProxy:
    """Listens on a free port. The test's thread may call all methods at any time.

    The sent bytes of a file are those that the proxy has read, and at a cut also those in its kernel's buffer, whose
    size is at most `buffer`. Bytes in the client's own kernel do not count as sent.
    """

    BUFFER = 1 << 15

    def __init__(self, port):
        self._target = port
        self._lock = threading.Lock()
        self._names = {}
        self._refusal = None
        self._stalled = False
        self._ended = False
        self._waiting_before, self._same_since = None, 0.0
        # The number of bytes at different times, for each file and for all files (None).
        self._marks = {None: [(time.monotonic(), 0)]}
        self.connections = []
        self.requests = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        # The size is set before a connection is accepted, so that the kernel never offers a larger window.
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.BUFFER)
        self.buffer = self._listener.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        threading.Thread(target=self._accept, daemon=True).start()

    # Faults of the link

    def stall(self):
        """Stops reading and forwarding. All connections stay open."""
        self._stalled = True

    def resume(self):
        self._stalled = False

    def refuse(self, seconds):
        """Makes the proxy respond to every request with 503 and `Retry-After`."""
        self._refusal = seconds

    def accept(self):
        self._refusal = None

    def cut(self):
        """Resets all connections."""
        with self._lock:
            for connection in self.connections:
                if connection.is_open:
                    self._reset(connection)

    def stop(self):
        self._ended = True
        self._listener.close()
        self.cut()

    def is_full(self):
        """Returns True when the windows of all stalled connections are closed, so that no more bytes arrive."""
        busy = [connection for connection in self.connections if connection.is_open and connection.request]
        waiting = [self._waiting(connection) for connection in busy]
        is_same = waiting == self._waiting_before
        if not is_same:
            self._waiting_before, self._same_since = waiting, time.monotonic()
        return bool(waiting) and is_same and min(waiting) > 0 and time.monotonic() - self._same_since > 1

    # Counts

    @property
    def total(self):
        """The bytes that the client has sent of all files."""
        return self._marks[None][-1][1]

    def paces(self, name=None):
        """The rates in bytes per second over the last seconds, for several spans, of a file or of all files."""
        with self._lock:
            marks = list(self._marks.get(name, ()))
        now = time.monotonic()
        paces = []
        for span in (2, 3, 4, 6):
            inside = [mark for mark in marks if mark[0] >= now - span]
            if len(inside) > 1:
                paces.append((inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0]))
        return paces

    def bytes_of(self, name):
        """The bytes that the client has sent of a file, in all requests."""
        with self._lock:
            return sum(request.body for request in self.requests if request.name == name)

    def requests_of(self, name, *methods):
        with self._lock:
            return [request for request in self.requests if request.name == name and request.method in methods]

    # Implementation

    def _accept(self):
        while not self._ended:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            connection = Connection(client, server)
            with self._lock:
                self.connections.append(connection)
            for pump in (self._pump_up, self._pump_down):
                threading.Thread(target=pump, args=[connection], daemon=True).start()

    def _reset(self, connection):
        # Bytes that the kernel has acknowledged have left the client, even if they were not read.
        request = connection.request
        if request is not None:
            request.body += min(self._waiting(connection), request.length - request.body)
        connection.is_open = False
        for end in (connection.client, connection.server):
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()

    @staticmethod
    def _waiting(connection):
        """Returns the number of unread bytes in the proxy's kernel."""
        try:
            return struct.unpack("i", fcntl.ioctl(connection.client, termios.FIONREAD, bytes(4)))[0]
        except (OSError, ValueError):
            return 0

    def _read(self, connection, end):
        """Returns the next bytes; empty when the connection has ended."""
        while connection.is_open:
            with contextlib.suppress(OSError, ValueError):
                if self._stalled or not select.select([end], [], [], TICK)[0]:
                    if self._stalled:
                        time.sleep(TICK)
                    continue
                with self._lock:
                    if self._stalled:
                        continue
                    data = end.recv(CHUNK) if connection.is_open else b""
                    if end is connection.client:
                        self._count(connection, data)
                    return data
            return b""
        return b""

    def _count(self, connection, data):
        """Parses requests. A head arrives as a whole, because Ferry writes it at once. The caller has the lock."""
        connection.up += len(data)
        while data:
            request = connection.request
            if request is None:
                match = HEAD.match(data)
                end = data.find(b"\r\n\r\n")
                assert match and end >= 0, f"no request's head: {data[:80]!r}"
                request = self._request(match, data[:end])
                request.refused = self._refusal is not None
                self.requests.append(request)
                connection.request = request
                if request.method == "POST":
                    connection.created = request.name
                data = data[end + 4 :]
            part = min(len(data), request.length - request.body)
            request.body += part
            self._mark(request.name, part)
            data = data[part:]
            if request.body == request.length and not request.refused:
                connection.request = None

    def _mark(self, name, count):
        now = time.monotonic()
        for key in (None, name):
            marks = self._marks.setdefault(key, [(now, 0)])
            marks.append((now, marks[-1][1] + count))

    def _request(self, match, head):
        method, path = match.group(1).decode(), match.group(2).decode()
        length = LENGTH.search(head)
        filename = FILENAME.search(head)
        name = base64.b64decode(filename.group(1)).decode() if filename else self._names.get(path)
        return Request(method, path, name or path.rpartition("/")[2], int(length.group(1)) if length else 0)

    def _pump_up(self, connection):
        answered = False
        while data := self._read(connection, connection.client):
            request = connection.request
            with contextlib.suppress(OSError):
                if request is None or not request.refused:
                    connection.server.sendall(data)
                elif not answered:
                    answered = True
                    connection.client.sendall(
                        f"HTTP/1.1 503 Service Unavailable\r\nRetry-After: {self._refusal or 1}\r\n"
                        "Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
                    )
                    connection.client.shutdown(socket.SHUT_WR)
        with contextlib.suppress(OSError):
            connection.server.shutdown(socket.SHUT_WR)

    def _pump_down(self, connection):
        while data := self._read(connection, connection.server):
            connection.down += len(data)
            created = LOCATION.search(data)
            if created:
                with self._lock:
                    self._names[created.group(1).decode()] = connection.created
            try:
                connection.client.sendall(data)
            except OSError:
                break
        with self._lock:
            if connection.is_open:
                connection.is_open = False
                connection.client.close()
                connection.server.close()
