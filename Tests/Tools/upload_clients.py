"""Runs Ferry and other installed clients in turns and prints tables, for the commands of `Tests/bench`."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVERS = ROOT / "Tests/Servers"
PYTHONS = (ROOT / ".build/test-environment/bin/python", "python3")
AT_ONCE = 32


class Cost(typing.NamedTuple):
    """The cost of a command: seconds of wall clock, CPU and kernel, and the peak of resident memory in MiB."""

    wall: float
    cpu: float
    peak: float
    system: float


def measured(command, environment=None, allowed=(0,)):
    """Runs a command, and exits if its status is not in `allowed`."""
    began = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    # ru_maxrss is not used: it counts the process that started this one, before it became the command.
    peak = 0
    ended = threading.Event()

    def watch():
        nonlocal peak
        while not ended.is_set():
            with contextlib.suppress(OSError), open(f"/proc/{process.pid}/status") as status:
                for line in status:
                    if line.startswith("VmHWM:"):
                        peak = max(peak, int(line.split()[1]))
            ended.wait(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        # A signal to this process comes as an exception.
        if process.returncode is None:
            process.kill()
            process.wait()
        ended.set()
        watcher.join()
        process.stderr.close()
    if process.returncode not in allowed:
        sys.exit(f"{' '.join(map(str, command))}: status {process.returncode}\n{said.decode(errors='replace')[-500:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, peak / 1024, usage.ru_stime)


class Server:
    """A server in `Tests/Servers` that counts the bytes of all bodies."""

    def __init__(self, command, origin):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = f"{origin}:{self.process.stdout.readline().split()[1]}"

    def received(self):
        self.process.send_signal(signal.SIGUSR1)
        return int(self.process.stdout.readline().split()[1])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Discard(Server):
    """The C server of `Tests/Servers/discard_uploads.c`, which accepts every upload and keeps only sizes."""

    def __init__(self, folder, prefix=(), host="127.0.0.1", options=()):
        program = compiled("discard_uploads", folder, "-lpthread")
        options = [*options] if host == "127.0.0.1" else ["--anywhere", *options]
        super().__init__([*prefix, program, *options], f"http://{host}")

    def windows(self):
        """Returns the bytes of the last body by windows of the length that `--windows` gave."""
        return [int(word) for word in self.process.stdout.readline().split()[1:]]


def compiled(name, folder, *libraries):
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if compiler is None:
        sys.exit("no C compiler (cc, gcc or clang) in the PATH")
    command = [compiler, "-O2", "-D_GNU_SOURCE", "-o", folder / name, SERVERS / f"{name}.c", *libraries]
    subprocess.run(command, check=True)
    return folder / name


@contextlib.contextmanager
def work_folder():
    base = ROOT / ".build"
    base.mkdir(exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_files(folder, count, size):
    folder.mkdir()
    block = os.urandom(min(size, 1 << 20))
    for number in range(count):
        with open(folder / f"{number:06}.bin", "wb") as file:
            # The number makes the contents differ.
            file.write(number.to_bytes(8, "big") + block[8:])
            for _ in range(size // len(block) - 1):
                file.write(block)
    return folder


def destination(protocol, url, **settings):
    """Returns a destination of Ferry's configuration at a server with every protocol, such as `Discard`."""
    if protocol == "s3":
        place = {"region": "us-east-1", "addressing": "path", "endpoint": url.split("/run")[0]}
        keys = {"accessKey": "key", "secretKey": {"env": "AWS_SECRET_ACCESS_KEY"}}
        settings = {"s3": place, "auth": {"s3": keys}, **settings}
        url = f"s3://bucket/run{url.split('/run')[1]}"
    return {"protocol": protocol, "url": f"{url}/", **settings}


def environment(home):
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    names = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "k" * 40, "AWS_REGION": "us-east-1"}
    quiet = {"AWS_EC2_METADATA_DISABLED": "true", "SWIFT_BACKTRACE": "enable=no"}
    return kept | names | quiet | {"HOME": str(home), "LC_ALL": "C.UTF-8"}


def ferry_client(ferry, make_destination, files, folder, prefix=(), limits=None):
    """Returns a function that adds the files in a new home (not measured) and measures `ferry run`."""

    def run(url):
        home = pathlib.Path(tempfile.mkdtemp(dir=folder))
        (home / ".config/ferry").mkdir(parents=True)
        settings = {"destinations": {"bench": make_destination(url)}, "defaultDestination": "bench"}
        settings |= {"limits": limits} if limits else {}
        (home / ".config/ferry/config.json").write_text(json.dumps(settings))
        (home / ".config/ferry/config.json").chmod(0o600)
        subprocess.run([ferry, "add", "--recursive", files], env=environment(home), stdout=subprocess.DEVNULL, check=True)
        cost = measured([*prefix, ferry, "run", "--exit-when-idle"], environment(home))
        shutil.rmtree(home)
        return cost

    return run


def ferry_clients(protocol, ferry, files, folder, prefix=()):
    """Returns Ferry by name, and with the options that change the requests of small files."""
    choices = {"ferry": {}} | ({"ferry, createWithContent": {"createWithContent": True}} if protocol == "tus" else {})
    return {
        name: ferry_client(ferry, lambda url, more=more: destination(protocol, url, **more), files, folder, prefix)
        for name, more in choices.items()
    }


def others(protocol, files, folder, prefix=(), certificate=None, at_once=AT_ONCE):
    """Returns the other installed clients for a protocol: a function by name that measures one run to a URL."""
    names = sorted(files.iterdir())
    home = folder / "home"
    home.mkdir(exist_ok=True)
    rclone = ["rclone", "copy", "--config", os.devnull, "--transfers", str(at_once), "--checkers", "8", "-q"]
    rclone += ["--ca-cert", certificate] if certificate else []

    def curl(url):
        each = "form = \"file=@{}\"\nurl = \"{}/\"" if protocol == "form" else "upload-file = \"{}\"\nurl = \"{}/{}\""
        # `next` forgets the options before it.
        kept = "silent\nfail\noutput = /dev/null\n" + (f"cacert = \"{certificate}\"\n" if certificate else "")
        text = "\nnext\n".join(kept + each.format(path, url, path.name) for path in names)
        (folder / "curl.conf").write_text(text)
        parallel = ["--parallel", "--parallel-immediate", "--parallel-max", str(at_once)] if len(names) > 1 else []
        return ["curl", *parallel, "-K", folder / "curl.conf"]

    def lftp(url):
        base, _, run = url.rpartition("/")
        lines = f"set http:use-propfind no; set cmd:parallel 1; set net:max-retries 2; set net:connection-limit {at_once};"
        lines += f"set ssl:ca-file {certificate};" if certificate else ""
        queue = " ".join(str(path) for path in names)
        return ["lftp", "-c", f"{lines} open {base}; mput -P {at_once} -O {run}/ {queue}"]

    def tuspy(url):
        known = tempfile.mkdtemp(dir=folder)
        return [tuspy_python(), SERVERS / "tuspy_loop.py", f"{url}/", f"{known}/known", *names]

    def rclone_webdav(url):
        return [*rclone, files, ":webdav:", "--webdav-url", f"{url}/"]

    def rclone_s3(url):
        # Without a HEAD after each object, because the server keeps nothing and cannot respond to it.
        place = ["--s3-provider", "Other", "--s3-env-auth", "--s3-no-check-bucket", "--s3-no-head"]
        return [*rclone, *place, "--s3-endpoint", url.split("/run")[0], files, f":s3:bucket/run{url.split('/run')[1]}"]

    def s5cmd(url):
        place, run = url.split("/run")
        return ["s5cmd", "--endpoint-url", place, "cp", f"{files}/", f"s3://bucket/run{run}/"]

    def aws(url):
        place, run = url.split("/run")
        return ["aws", "--endpoint-url", place, "s3", "cp", "--recursive", "--quiet", files, f"s3://bucket/run{run}/"]

    many = "curl --parallel" if len(names) > 1 else "curl"
    clients = {
        "put": {many: curl, "lftp": lftp},
        "form": {many: curl},
        "tus": {"tuspy": tuspy},
        "s3": {"s5cmd": s5cmd, "aws": aws, "rclone": rclone_s3},
        "webdav": {"rclone": rclone_webdav},
    }[protocol]
    found = {}
    for name, command in clients.items():
        if tuspy_python() if name == "tuspy" else shutil.which(name.split()[0]):
            found[name] = lambda url, command=command: measured([*prefix, *command(url)], environment(home))
        else:
            print(f"{name}: skipped, it is not installed")
    return found


def tuspy_python():
    """Returns a Python that has tuspy; None if there is none."""
    for python in PYTHONS:
        if shutil.which(python) is None:
            continue
        if subprocess.run([python, "-c", "import tusclient"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def conditions(what, options):
    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(f"{what}; medians of {options.rounds} rounds in turns; {cores} cores, load {load:.1f}")
    if options.rounds > 1:
        print("a round before them is not counted")
    print("wall and CPU (user and system of the client alone) in seconds; the ratios are to the first line\n")


def heading():
    print("| protocol | client | wall s | CPU s | CPU s from – to | peak MiB | wall ratio | CPU ratio |")
    print("| --- | --- | ---: | ---: | --- | ---: | ---: | ---: |")


def costs(clients, rounds, address, check=lambda url: None):
    """
    Runs each client `rounds` times, with a warm-up if there are several rounds, and returns the costs of each run.

    - address: Returns a URL that no run has used.
    - check: Is called with the URL after the run, and exits if the files are not there.
    """
    rows = {name: [] for name in clients}
    warm = rounds > 1
    for number in range(rounds + warm):
        for name, run in clients.items() if number % 2 else reversed(clients.items()):
            url = address()
            cost = run(url)
            check(url)
            if number >= warm:
                rows[name].append(cost)
    return rows


def in_turns(title, clients, rounds, address, check):
    """Runs the clients as `costs` does, and prints a line of medians for each."""
    rows = costs(clients, rounds, address, check)
    medians = {name: Cost(*(statistics.median(column) for column in zip(*row))) for name, row in rows.items()}
    base = next(iter(medians.values()))
    for name, (wall, cpu, *_) in medians.items():
        parts = [row.cpu for row in rows[name]]
        print(
            f"| {title} | {name} | {wall:.2f} | {cpu:.2f} | {min(parts):.2f} – {max(parts):.2f}"
            f" | {max(row.peak for row in rows[name]):.0f} | {wall / base.wall:.2f} | {cpu / base.cpu:.2f} |",
            flush=True,
        )
    return medians


class Places:
    """URLs at a server, a new one for each run."""

    def __init__(self, server, least):
        self.server, self.least, self.count = server, least, 0

    def next(self):
        self.count += 1
        self.before = self.server.received()
        return f"{self.server.url}/run{self.count}"

    def check(self, url):
        arrived = self.server.received() - self.before
        if arrived < self.least:
            sys.exit(f"only {arrived} bytes of {self.least} arrived at {url}")
