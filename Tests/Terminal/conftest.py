import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import tempfile
import time

import pytest

from terminal import TIMEOUT, Terminal


@pytest.fixture(scope="session")
def ferry():
    path = os.environ.get("FERRY")
    if not path or not os.access(path, os.X_OK):
        pytest.fail("FERRY must name the program, such as .build/debug/ferry")
    return os.path.abspath(path)


class Home:
    """The folders of a user: configuration, state and files. Their paths are short, as socket paths are limited."""

    def __init__(self, path, ferry):
        self.path = pathlib.Path(path)
        self.files = self.path / "files"
        self.state = self.path / "state" / "ferry"
        self.temporary = self.path / "tmp"
        self._ferry = ferry
        for folder in (self.files, self.temporary, self.path / "config" / "ferry"):
            folder.mkdir(parents=True)

    def environment(self, **changes):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.path),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "XDG_CONFIG_HOME": str(self.path / "config"),
            "XDG_STATE_HOME": str(self.path / "state"),
            "TMPDIR": str(self.temporary),
            "SWIFT_BACKTRACE": "interactive=no,color=no",
            **changes,
        }
        return {name: value for name, value in environment.items() if value is not None}

    def configure(self, url, bandwidth=None, concurrency=3, **destinations):
        limits = {"concurrency": concurrency, "perHost": 8}
        if bandwidth:
            limits["bandwidth"] = bandwidth
        settings = {
            "destinations": {"box": {"url": url + "files/", "protocol": "tus"}, **destinations},
            "defaultDestination": "box",
            "limits": limits,
            "retry": {"base": 0.5, "cap": 1},
            "connectivity": {"monitor": False},
        }
        self._write(settings)

    def change(self, **settings):
        """Adds or replaces members of the configuration."""
        self._write({**json.loads(self._configuration.read_text()), **settings})

    @property
    def _configuration(self):
        return self.path / "config" / "ferry" / "config.json"

    def _write(self, settings):
        self._configuration.write_text(json.dumps(settings))
        self._configuration.chmod(0o600)

    def make(self, name, size):
        """Makes a sparse file. The size is in bytes, or a text such as 3M."""
        units = {"K": 1 << 10, "M": 1 << 20}
        if isinstance(size, str):
            size = int(size[:-1]) * units[size[-1]]
        path = os.path.join(os.fsencode(self.files), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.truncate(size)
        return os.fsdecode(path)

    def run(self, *arguments, **changes):
        return subprocess.run(
            [self._ferry, *arguments],
            env=self.environment(**changes),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
        )

    def add(self, *paths):
        """Adds files to the queue before the screen is opened."""
        result = self.run("add", *paths)
        assert result.returncode == 0, result.stderr.decode()

    def wait_for_log(self, name, text):
        """Waits until a file of the state folder contains a text."""
        end = time.monotonic() + TIMEOUT
        file = self.state / name
        while not (file.exists() and text in file.read_text()):
            assert time.monotonic() < end, f"{name} does not say {text}"
            select.select([], [], [], 0.02)

    def list(self):
        lines = self.run("list", "--json").stdout.decode().splitlines()
        return [json.loads(line) for line in lines]


class Server:
    """Runs `ferry serve` on a free port. A restarted server keeps its port."""

    def __init__(self, home, ferry):
        self.folder = home.path / "received"
        self.folder.mkdir()
        self._home, self._ferry = home, ferry
        self._address = "127.0.0.1:0"
        self._process = None
        self.start()

    def start(self):
        self._process = subprocess.Popen(
            [self._ferry, "serve", "--no-token", "--bind", self._address, "--directory", str(self.folder)],
            env=self._home.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        ready, _, _ = select.select([self._process.stdout], [], [], TIMEOUT)
        line = self._process.stdout.readline().decode() if ready else ""
        match = re.search(r"http://([^/]+)/", line)
        assert match, f"the server does not say where it is: {line!r}"
        self._address = match.group(1)
        self.url = match.group(0)

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def stop(self):
        if self._process.poll() is None:
            self.kill()


@pytest.fixture
def home(ferry):
    path = tempfile.mkdtemp(prefix="ferry-")
    yield Home(path, ferry)
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def server(home, ferry):
    server = Server(home, ferry)
    home.configure(server.url)
    yield server
    server.stop()


@pytest.fixture
def start(home, ferry):
    """Returns a function that starts the program on a terminal: `start("demo", rows=24, columns=80, TERM="xterm")`."""
    terminals = []

    def start(*arguments, rows=24, columns=80, command=None, **changes):
        terminal = Terminal(
            command or [ferry, *arguments], home.environment(**changes), rows=rows, columns=columns
        )
        terminals.append(terminal)
        return terminal

    yield start
    for terminal in terminals:
        terminal.dispose()
