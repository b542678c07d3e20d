"""Measures what refused requests cost the receiver, for `Tests/bench refusals`."""

import contextlib
import os
import pathlib
import select
import socket
import statistics
import sys
import time
import typing

from small_files import free_port, started
from upload_clients import work_folder

SIZE = 16 << 10
BODY = b"x" * SIZE
TOKEN = "refusals-" + "0123456789abcdef" * 2
LONGEST_SECONDS = 30
# The receiver reads as much of a refused body, so that the client sees the refusal (`Exchange.largestRest`). What it read
# before the refusal, and the last chunk, come on top.
LARGEST_REST, MARGIN = 64 << 20, 4 << 20


class Kind(typing.NamedTuple):
    """
    A kind of request: the receiver that gets it, the status of the response, and the bytes of the request.

    - crowd: The number of other connections that are open meanwhile, each with an accepted request.
    """

    name: str
    receiver: str
    status: int
    request: typing.Callable[[int], bytes]
    crowd: int = 0


class Cost(typing.NamedTuple):
    """The cost of one request: microseconds of CPU of the receiver and of the client, and bytes."""

    receiver: float
    client: float
    sent: float
    read: float
    received: float


def head(method, target, *fields, host="127.0.0.1", token=TOKEN, length=SIZE):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", *fields]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += [] if length is None else [f"Content-Length: {length}"]
    return "\r\n".join([*lines, "", ""]).encode()


def put(target="/refused", *fields, **options):
    return lambda number: head("PUT", target, *fields, **options) + BODY


def bare(method, target, *fields, **options):
    return lambda number: head(method, target, *fields, length=None, **options)


def tus(method, target, *fields):
    return bare(method, target, "Tus-Resumable: 1.0.0", *fields)


def accepted(number):
    return head("PUT", f"/accepted-{number}") + BODY


def accepted_and_closed(number):
    return head("PUT", f"/accepted-{number}", "Connection: close") + BODY


LONG = "x" * 2000
KINDS = (
    Kind("no token", "plain", 401, put(token=None)),
    Kind("another token", "plain", 401, put(token="x" * len(TOKEN))),
    Kind("another token, of 60 KB", "plain", 401, put(token="x" * 60_000)),
    Kind("another host", "plain", 421, put(host="evil.example")),
    Kind("a web page from elsewhere", "plain", 403, put("/refused", "Origin: http://evil.example")),
    Kind("too large", "small", 413, put()),
    Kind("the quota is used up", "full", 507, put()),
    Kind("a hidden name", "plain", 400, put("/.refused")),
    Kind("a name with a control character", "plain", 400, put("/refused%1b")),
    Kind("a name outside of the folder", "plain", 400, put("/../refused")),
    Kind("too many folders", "plain", 400, put("/a" * 40)),
    Kind("a name that exists", "plain", 412, put("/exists", "If-None-Match: *")),
    Kind("a part of a file", "plain", 400, put("/refused", "Content-Range: bytes 0-9/20")),
    Kind("a coded file", "plain", 415, put("/refused", "Content-Encoding: gzip")),
    Kind("a digest of 2 KB", "plain", 431, put("/refused", f"Repr-Digest: {LONG}")),
    Kind("another digest", "plain", 400, put("/refused", f"Repr-Digest: sha-256=:{'A' * 43}=:")),
    Kind("a method that removes files", "plain", 405, bare("DELETE", "/exists")),
    Kind("reading a file without --list", "plain", 405, bare("GET", "/exists")),
    Kind("listing without --list", "plain", 403, bare("PROPFIND", "/", "Depth: 1")),
    Kind("a file that is missing", "plain", 404, bare("HEAD", "/missing")),
    Kind("a folder in a missing one", "plain", 409, bare("MKCOL", "/missing/folder")),
    Kind("another version of tus", "plain", 412, bare("POST", "/files/", "Tus-Resumable: 0.2.0", "Upload-Length: 5")),
    Kind("tus without a length", "plain", 400, tus("POST", "/files/")),
    Kind("an upload of tus that is missing", "plain", 404, tus("HEAD", "/files/" + "0" * 32)),
    Kind("a form that is none", "plain", 400, lambda n: head("POST", "/", "Content-Type: multipart/form-data") + BODY),
    Kind("two hosts", "plain", 400, put("/refused", "Host: localhost")),
    Kind("another transfer coding", "plain", 501, bare("PUT", "/refused", "Transfer-Encoding: gzip, chunked")),
    Kind("a method that no server has", "plain", 400, bare("REFUSE", "/refused")),
    Kind("a malformed request line", "plain", 400, lambda n: b"PUT\r\n\r\n"),
    Kind("a head that is too large", "plain", 400, bare("PUT", "/refused", f"X-Long: {'x' * 100_000}")),
    Kind("one connection too many", "plain", 503, lambda n: b"", crowd=64),
)
ACCEPTED = Kind("accepted", "plain", 201, accepted)
ACCEPTED_AND_CLOSED = Kind("accepted, and the connection closed", "plain", 201, accepted_and_closed)


class Receiver:
    """A running `ferry serve`."""

    def __init__(self, ferry, folder, name, *options):
        self.folder, self.port = folder / name, free_port()
        token = folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        command = [ferry, "serve", "--directory", self.folder, "--bind", f"127.0.0.1:{self.port}", "--token-file", token]
        self.process = started(self.port, *command, *options, env=os.environ | {"HOME": str(folder)})

    def cpu(self):
        """Returns the seconds of CPU so far, user and system, finer than the ticks of /proc/PID/stat."""
        # clock_getcpuclockid(3): the clock of another process, CPUCLOCK_SCHED.
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def read(self):
        """Returns the bytes that it has read so far from sockets and files."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/io").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("rchar:"))

    def peak(self):
        """Returns the peak of resident memory in MiB."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def stop(self):
        self.process.terminate()
        self.process.wait()


def response(connection, has_body=True):
    """Reads a response. Returns its status, the bytes read, and whether the connection ends."""
    text = b""
    while b"\r\n\r\n" not in text:
        chunk = connection.recv(65_536)
        if not chunk:
            return (int(text.split()[1]) if text else 0), len(text), True
        text += chunk
    lines, _, body = text.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in lines.split(b"\r\n")[1:])
    left = int(fields.get(b"content-length", 0)) - len(body) if has_body else 0
    count = len(text)
    while left > 0 and (chunk := connection.recv(65_536)):
        left -= len(chunk)
        count += len(chunk)
    return int(lines.split()[1]), count, fields.get(b"connection") == b"close"


def send(connection, request):
    # The receiver may refuse and close while the request is sent. Its response can be read all the same.
    with contextlib.suppress(ConnectionError):
        connection.sendall(request)


class Load:
    """Sends requests of one kind over several connections, one after another on each."""

    def __init__(self, receiver, kind, connections):
        self.receiver, self.kind = receiver, kind
        self.connections = [None] * connections
        example = kind.request(0)
        self.has_body, self.ends = not example.startswith(b"HEAD"), b"Connection: close" in example
        self.sent = self.received = 0

    def run(self, first, count):
        for number in range(0, count, len(self.connections)):
            used = range(min(len(self.connections), count - number))
            for index in used:
                if self.connections[index] is None:
                    self.connections[index] = self.receiver.connect()
                request = self.kind.request(first + number + index)
                self.sent += len(request)
                send(self.connections[index], request)
            for index in used:
                self.take(index)
        for connection in self.connections:
            if connection is not None:
                connection.close()

    def take(self, index):
        connection = self.connections[index]
        try:
            status, count, ends = response(connection, self.has_body)
        except ConnectionError:
            sys.exit(f"{self.kind.name}: the connection broke before the response")
        if status != self.kind.status:
            sys.exit(f"{self.kind.name}: status {status}, and {self.kind.status} was expected")
        self.received += count
        if ends or self.ends:
            connection.close()
            self.connections[index] = None


def cost(receiver, kind, first, count, connections):
    """Returns the cost of a request, and whether the receiver closes the connection after it."""
    load = Load(receiver, kind, connections)
    others = [receiver.connect() for _ in range(kind.crowd)]
    for other in others:
        other.sendall(head("OPTIONS", "/", length=None))
        response(other)
    before = receiver.cpu(), receiver.read(), time.process_time()
    load.run(first, count)
    client = time.process_time() - before[2]
    # What the receiver does after the response belongs to the request.
    time.sleep(0.1)
    cpu, read = receiver.cpu() - before[0], receiver.read() - before[1]
    for other in others:
        other.close()
    # The next kind does not pay for closing them.
    time.sleep(0.1 if others else 0)
    figures = (1e6 * cpu, 1e6 * client, load.sent, read, load.received)
    ends = load.connections[0] is None
    return Cost(*(figure / count for figure in figures)), ends


def small(receivers, options):
    """Prints the cost of each kind of refusal, beside that of accepted requests."""
    bases = ACCEPTED, ACCEPTED_AND_CLOSED
    rows = {kind: [] for kind in (*bases, *KINDS)}
    ending = {}
    first = 0
    for number in range(options.rounds + 1):
        for kind in rows:
            # A round before the others is not counted, and shorter.
            count = options.requests if number else max(options.connections, options.requests // 10)
            figures, ending[kind] = cost(receivers[kind.receiver], kind, first, count, options.connections)
            rows[kind] += [figures] if number else []
            first += count
    medians = {kind: Cost(*(statistics.median(column) for column in zip(*costs))) for kind, costs in rows.items()}
    print("| request | status | connection | receiver µs | to accepted | client µs | bytes sent | read | received |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    most = (0, "")
    for kind, row in medians.items():
        base = medians[ACCEPTED_AND_CLOSED if ending[kind] else ACCEPTED]
        print(
            f"| {kind.name} | {kind.status} | {'closed' if ending[kind] else 'kept'} | {row.receiver:.0f}"
            f" | {row.receiver / base.receiver:.2f} | {row.client:.0f} | {row.sent:.0f} | {row.read:.0f} | {row.received:.0f} |"
        )
        most = max(most, (row.receiver / base.receiver, kind.name)) if kind in KINDS else most
    print(f"\nthe most expensive refusal: {most[1]}, {most[0]:.2f} of an accepted request")


def large_request(receiver, fields, size, stops, token=TOKEN):
    """Sends one large PUT. Returns the status and the bytes of content sent."""
    block = b"x" * (1 << 20)
    sent = status = 0
    with receiver.connect() as connection:
        connection.sendall(head("PUT", f"/large-{time.monotonic_ns()}", *fields, token=token, length=size))
        if "Expect: 100-continue" in fields:
            status, _, _ = response(connection)
            if status != 100:
                return status, 0
        with contextlib.suppress(ConnectionError):
            while sent < size and not (stops and select.select([connection], [], [], 0)[0]):
                sent += connection.send(block[: size - sent])
        with contextlib.suppress(ConnectionError):
            status, _, _ = response(connection)
    return status, sent


def large(receivers, options):
    """Prints the cost of large requests, by clients that heed the refusal and by clients that do not."""
    size = options.mebibytes << 20
    expect = "Expect: 100-continue"
    cases = (
        ("accepted", "plain", (), False, TOKEN),
        ("no token, sent on", "plain", (), False, None),
        ("no token, stopped at the response", "plain", (), True, None),
        ("no token, not sent before `100 Continue`", "plain", (expect,), True, None),
        ("too large, sent on", "small", (), False, TOKEN),
        ("too large, stopped at the response", "small", (), True, TOKEN),
        ("too large, not sent before `100 Continue`", "small", (expect,), True, TOKEN),
        ("the quota is used up, sent on", "full", (), False, TOKEN),
    )
    print("\n| request | status | receiver ms | to accepted | MiB sent | MiB read | seconds |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    base = None
    for name, receiver, fields, stops, token in cases:
        server = receivers[receiver]
        rows = []
        for _ in range(options.rounds):
            before = server.cpu(), server.read(), time.monotonic()
            status, sent = large_request(server, fields, size, stops, token)
            wall = time.monotonic() - before[2]
            time.sleep(0.1)
            rows.append((server.cpu() - before[0], sent, server.read() - before[1], wall))
            for file in server.folder.glob("large-*"):
                file.unlink()
        cpu, sent, read, wall = (statistics.median(column) for column in zip(*rows))
        base = base or cpu
        # A reset can overtake the response.
        shown = status or "reset"
        print(
            f"| {name} | {shown} | {1e3 * cpu:.1f} | {cpu / base:.2f} | {sent / (1 << 20):.1f} | {read / (1 << 20):.1f}"
            f" | {wall:.2f} |",
            flush=True,
        )
        longest = max(row[2] for row in rows)
        if name != "accepted" and longest > LARGEST_REST + MARGIN:
            sys.exit(f"{name}: {longest} bytes were read, and the limit is {LARGEST_REST}")


def measure(ferry, options):
    with work_folder() as folder:
        receivers = {}
        try:
            for name, limits in ("plain", ()), ("small", ("--max-size", "8K")), ("full", ("--quota", "4K")):
                receivers[name] = Receiver(ferry, folder, name, *limits)
            (receivers["plain"].folder / "exists").write_text("exists")
            print(
                f"{options.requests} requests of each kind over {options.connections} connections, a body of {SIZE} bytes"
                f" where there is one; medians of {options.rounds} rounds; {os.cpu_count()} cores,"
                f" load {os.getloadavg()[0]:.1f}\n"
            )
            small(receivers, options)
            large(receivers, options)
            peaks = ", ".join(f"{name} {receiver.peak():.0f} MiB" for name, receiver in receivers.items())
            print(f"\npeaks of resident memory: {peaks}")
        finally:
            for receiver in receivers.values():
                receiver.stop()
