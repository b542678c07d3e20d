"""Puts a client and a server into network namespaces, for commands that upload over bad links (root, Linux)."""

import contextlib
import hashlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".build/test-environment/bin/python"
SERVERS = ROOT / "Tests/Servers"
# tusd has no Debian package.
TUSD = os.environ.get("FERRY_TEST_TUSD", "tusd")
HOST = "10.77.0.1"
CLIENT_ADDRESS = "10.77.0.2"
NAMES = [f"ferry-link-{os.getpid()}-{side}" for side in ("client", "server")]
IN_CLIENT, IN_SERVER = (["ip", "netns", "exec", name] for name in NAMES)
CLIENT_DEVICE, SERVER_DEVICE = (f"fl{os.getpid()}{side}" for side in "cs")


def prepare():
    """Exits if something is missing. Makes signals end the command so that it can remove what it has set up."""
    if os.geteuid() != 0:
        sys.exit("network namespaces need root")
    if not PYTHON.exists():
        sys.exit("run Tests/run once: it installs the servers and clients of other people")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


@contextlib.contextmanager
def namespaces():
    """Makes a client's and a server's namespace with a link between them. At the end, processes in them are killed."""
    client, server = NAMES
    commands = [
        f"ip netns add {client}", f"ip netns add {server}",
        f"ip link add {CLIENT_DEVICE} netns {client} type veth peer name {SERVER_DEVICE} netns {server}",
        f"ip -n {client} addr add {CLIENT_ADDRESS}/24 dev {CLIENT_DEVICE}",
        f"ip -n {server} addr add {HOST}/24 dev {SERVER_DEVICE}",
    ]
    for name, end in zip(NAMES, (CLIENT_DEVICE, SERVER_DEVICE)):
        commands += [f"ip -n {name} link set lo up", f"ip -n {name} link set {end} up"]
    commands.append(f"ip -n {client} route add default via {HOST}")
    try:
        for command in commands:
            subprocess.run(command.split(), check=True)
        yield
    finally:
        for name in NAMES:
            result = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True)
            for word in result.stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(word), signal.SIGKILL)
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL)


def in_client(command):
    """Runs a command of `ip` or `nft`, given as text, in the client's namespace."""
    words = ["nft", command[4:]] if command.startswith("nft ") else command.split()
    return subprocess.run([*IN_CLIENT, *words], capture_output=True, text=True)


def release_program(name):
    command = ["swift", "build", "-c", "release", "--product", name]
    if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
        sys.exit(f"{name} could not be built")
    shown = subprocess.run(command + ["--show-bin-path"], cwd=ROOT, capture_output=True, text=True, check=True)
    return pathlib.Path(shown.stdout.strip()) / name


def add_program_options(parser):
    for name in ("ferry", "faulty-link"):
        parser.add_argument(f"--{name}", metavar="PROGRAM", help="instead of the one that is built for release first")


def find_programs(options):
    for name in ("ferry", "faulty-link"):
        member = name.replace("-", "_")
        given = getattr(options, member)
        setattr(options, member, pathlib.Path(given).resolve() if given else release_program(name))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop(process):
    """Kills a process, with its group if it leads one."""
    with contextlib.suppress(ProcessLookupError):
        if process.poll() is None and os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
    process.wait()


class Service:
    """A program that prints a line when it is ready. It can be restarted; each start has its own log."""

    def __init__(self, command, ready, log):
        self.command, self.ready, self.base = [str(word) for word in command], ready, log
        self.process, self.starts = None, 0

    def start(self):
        self.starts += 1
        self.log = self.base.with_name(f"{self.base.name}.{self.starts}.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        limit = time.monotonic() + 30
        while not any(line.startswith(self.ready) for line in self.lines()):
            if self.process.poll() is not None or time.monotonic() > limit:
                stop(self.process)
                raise RuntimeError(f"{self.command} does not start:\n" + "\n".join(self.lines()[-5:]))
            time.sleep(0.02)
        return self

    __enter__ = start

    def __exit__(self, *_):
        self.stop()

    @property
    def port(self):
        return next(int(line.split()[1]) for line in self.lines() if line.startswith(self.ready))

    def lines(self):
        """The complete lines."""
        return self.log.read_text(errors="replace").split("\n")[:-1]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        self.kill()

    def kill(self):
        """Kills the whole group, because some servers listen in child processes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def server(name, port, folder, ferry, log):
    """Starts a server of Tests/Servers or `ferry serve` at a port of 127.0.0.1 in the server's namespace."""
    if name == "serve":
        command = [ferry, "serve", "--no-token", "--directory", folder, "--bind", f"127.0.0.1:{port}"]
        return Service([*IN_SERVER, *command], "receiving into ", log)
    program = {
        "tus": [PYTHON, SERVERS / "tus_server.py"], "nginx": ["sh", SERVERS / "nginx_put.sh"],
        "apache": ["sh", SERVERS / "apache_dav.sh"], "moto": [PYTHON, SERVERS / "moto_server.py"],
        "form": [PYTHON, SERVERS / "form_server.py"], "tusd": ["sh", SERVERS / "tusd.sh"],
    }[name]
    more = [TUSD] if name == "tusd" else []
    return Service([*IN_SERVER, *program, port, folder, *more], "ready ", log)


def s3_contents(port, bucket, what):
    """Returns what Tests/Servers/s3_contents.py reports about the server at a port."""
    result = subprocess.run(
        [*IN_SERVER, PYTHON, SERVERS / "s3_contents.py", str(port), bucket, what], capture_output=True, text=True,
        check=True,
    )
    return [json.loads(line) for line in result.stdout.splitlines()]


class Link(Service):
    """The faulty link to a server, for clients in the client's namespace. `words` are its options."""

    def __init__(self, program, server, port, words, log):
        command = [*IN_SERVER, program, "--to", server, "--port", port, "--anywhere", *words]
        super().__init__(command, "port ", log)

    def report(self):
        """Returns the counts that the link printed when it was stopped."""
        return json.loads(self.lines()[-1])


def digest(path):
    value = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            value.update(chunk)
    return value.hexdigest()
