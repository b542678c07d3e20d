"""The commands of `Tests/bench` that compare Ferry with other clients: tls, rtt, s3, digests, limit and memory."""

import contextlib
import itertools
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

from link_lab import CLIENT_DEVICE, HOST, IN_CLIENT, IN_SERVER, NAMES, SERVER_DEVICE, namespaces
from upload_clients import (
    SERVERS, Discard, Places, Server, compiled, conditions, destination, environment, ferry_client, ferry_clients, heading,
    in_turns, measured, others, work_folder, write_files,
)

SMALL = 4096
WINDOW_MILLISECONDS = 100
LIMIT = 2 << 20
WIRE = 400 << 20
MANY, MANY_SIZE, MANY_RATE = 1_000, 256 << 10, 64 << 10
DELAYED = "10.78.0.1", "10.78.0.2"


class TLSPlaces:
    """URLs at nginx with TLS, one for each run. A check removes the files."""

    def __init__(self, nginx, least):
        self.nginx, self.least, self.numbers = nginx, least, itertools.count(1)

    def next(self):
        return f"https://127.0.0.1:{self.nginx.port}/run{next(self.numbers)}"

    def check(self, url):
        folder = self.nginx.folder / "files" / url.rpartition("/")[2]
        arrived = 0
        for file in folder.rglob("*"):
            arrived += file.stat().st_size if file.is_file() else 0
        shutil.rmtree(folder)
        if arrived != self.least:
            sys.exit(f"{arrived} bytes of {self.least} arrived")


@contextlib.contextmanager
def running(server):
    try:
        yield server
    finally:
        server.stop()


def secured(nginx):
    return lambda url: destination("put", url, tls={"caFile": str(nginx.certificate)})


def tls(options, ferry, nginx):
    size = options.mebibytes << 20
    with work_folder() as folder:
        files = write_files(folder / "one", 1, size)
        places = TLSPlaces(nginx, size)
        conditions(f"{options.mebibytes} MiB by PUT over TLS on loopback", options)
        heading()
        clients = {"ferry": ferry_client(ferry, secured(nginx), files, folder)}
        clients |= others("put", files, folder, certificate=nginx.certificate)
        in_turns("put, nginx writes into memory", clients, options.rounds, places.next, places.check)
        if not pathlib.Path("/usr/include/openssl/ssl.h").exists():
            return print("the server that keeps nothing: skipped, it needs libssl-dev")
        program = compiled("discard_tls", folder, "-lssl", "-lcrypto")
        with running(Server([program, nginx.certificate, nginx.key], "https://127.0.0.1")) as server:
            places = Places(server, size)
            in_turns("put, the server keeps nothing", clients, options.rounds, places.next, places.check)


def delay(folder, milliseconds):
    """Delays packets so that a round trip takes `milliseconds`.

    Returns the server's address, the method, and its process or None.
    """
    half = f"{milliseconds * 500}us"
    ends = (IN_CLIENT, CLIENT_DEVICE), (IN_SERVER, SERVER_DEVICE)
    commands = [[*within, "tc", "qdisc", "add", "dev", device, "root", "netem", "delay", half, "limit", "100000"]
                for within, device in ends]
    if all(subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0 for command in commands):
        return HOST, "netem", None
    command = [compiled("delayed_link", folder), *NAMES, str(milliseconds * 500)]
    cable = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    if cable.stdout.readline() != "ready\n":
        sys.exit("rtt: skipped, the kernel has neither netem nor /dev/net/tun")
    for name, own, other in zip(NAMES, reversed(DELAYED), DELAYED):
        for words in f"addr add {own} peer {other} dev delayed", "link set delayed txqueuelen 10000 up":
            subprocess.run(["ip", "-n", name, *words.split()], check=True)
    return DELAYED[0], "Tests/Servers/delayed_link.c, as the kernel has no netem", cable


def rtt(options, ferry):
    if os.geteuid() != 0:
        sys.exit("rtt: skipped, network namespaces need root")
    with work_folder() as folder, namespaces(), contextlib.ExitStack() as stack:
        host, by, cable = delay(folder, options.milliseconds)
        if cable:
            stack.callback(cable.wait)
            stack.callback(cable.terminate)
        server = stack.enter_context(running(Discard(folder, IN_SERVER, host)))
        files = write_files(folder / "small", options.uploads, SMALL)
        connect = [*IN_CLIENT, "curl", "-s", "-o", os.devnull, "-w", "%{time_connect}", server.url]
        seconds = float(subprocess.run(connect, capture_output=True, text=True, check=True).stdout)
        conditions(f"{options.uploads} files of {SMALL} bytes over a delayed link to {server_name()}", options)
        print(f"the delay is made by {by}; a TCP connection takes {1e3 * seconds:.1f} ms\n")
        heading()
        many(("put", "form", "tus", "s3", "webdav"), ferry, files, folder, server, options, IN_CLIENT)


def many(protocols, ferry, files, folder, server, options, prefix=()):
    places = Places(server, sum(file.stat().st_size for file in files.iterdir()))
    for protocol in protocols:
        clients = ferry_clients(protocol, ferry, files, folder, prefix) | others(protocol, files, folder, prefix)
        in_turns(protocol, clients, options.rounds, places.next, places.check)


def server_name():
    return "Tests/Servers/discard_uploads.c, which keeps nothing"


def s3(options, ferry):
    with work_folder() as folder, running(Discard(folder)) as server:
        one = write_files(folder / "one", 1, options.mebibytes << 20)
        small = write_files(folder / "small", options.uploads, SMALL)
        conditions(f"S3 on loopback to {server_name()} and checks no signature", options)
        for files, what in (one, f"1 × {options.mebibytes} MiB"), (small, f"{options.uploads} × {SMALL} bytes"):
            print(f"{what}:\n")
            heading()
            many(["s3"], ferry, files, folder, server, options)
            print()


def digests(options, ferry):
    with work_folder() as folder, running(Discard(folder)) as server:
        size = options.mebibytes << 20
        files = write_files(folder / "one", 1, size)
        places = Places(server, size)
        conditions(f"{options.mebibytes} MiB with and without a digest, on loopback to {server_name()}", options)
        heading()
        # With the limit, the link is slower than the digest.
        for limits, link in (None, ""), ({"bandwidth": WIRE}, f", {WIRE >> 20} MiB/s"):
            for protocol, digest in ("put", "sha-256"), ("tus", "sha-256"), ("s3", "crc64nvme"):
                clients = {
                    f"ferry, {word}": ferry_client(
                        ferry, lambda url, word=word: destination(protocol, url, checksum=word), files, folder,
                        limits=limits,
                    )
                    for word in ("none", digest)
                }
                in_turns(protocol + link, clients, options.rounds, places.next, places.check)


def limit(options, ferry):
    size = options.mebibytes << 20
    seconds = size // LIMIT
    with work_folder() as folder, running(Discard(folder, options=["--windows", str(WINDOW_MILLISECONDS)])) as server:
        files = write_files(folder / "one", 1, size)
        file = next(files.iterdir())
        home = folder / "home"
        home.mkdir()
        clients = {
            "ferry": ferry_client(
                ferry, lambda url: destination("put", url), files, folder, limits={"bandwidth": f"{LIMIT >> 20}M"}
            )
        }
        commands = {
            "curl": lambda url: ["curl", "-s", "--limit-rate", str(LIMIT), "-T", file, f"{url}/{file.name}"],
            "rclone": lambda url: ["rclone", "copy", "--config", os.devnull, "--bwlimit", f"{LIMIT >> 20}M", "-q",
                                   files, ":webdav:", "--webdav-url", f"{url}/"],
        }
        for name, command in commands.items():
            if shutil.which(name):
                clients[name] = lambda url, command=command: measured(command(url), environment(home))
        print(f"{options.mebibytes} MiB by PUT at {LIMIT >> 20} MiB/s on loopback to {server_name()};"
              f" medians of {options.rounds} rounds; load {os.getloadavg()[0]:.1f}")
        print(f"deviation: of the bytes in windows of {WINDOW_MILLISECONDS} ms, to the mean; the first and last are left out\n")
        print("| client | rate to the limit | deviation | fullest window to the limit |\n| --- | ---: | ---: | ---: |")
        for name, run in clients.items():
            rows = []
            for number in range(options.rounds):
                run(f"{server.url}/limit{name}{number}")
                windows = server.windows()
                full = windows[1 : seconds * 1000 // WINDOW_MILLISECONDS - 1]
                mean, share = statistics.mean(full), LIMIT * WINDOW_MILLISECONDS / 1000
                rows.append((sum(windows) / len(windows) / share, statistics.pstdev(full) / mean, max(windows) / share))
            rate, deviation, most = (statistics.median(column) for column in zip(*rows))
            print(f"| {name} | {rate:.3f} | {100 * deviation:.1f} % | {most:.2f} |", flush=True)


def memory(options, ferry, nginx):
    size, at_once = options.mebibytes << 20, options.uploads
    with work_folder() as folder, running(Discard(folder)) as server:
        conditions(f"{options.mebibytes} MiB by PUT on loopback, in one file or in {at_once} at once", options)
        heading()
        one, parts = write_files(folder / "one", 1, size), write_files(folder / "parts", at_once, size // at_once)
        limits = {"concurrency": at_once, "perHost": at_once}
        for files, title in (one, "put, 1 file"), (parts, f"put, {at_once} at once"):
            for places, make, certificate, what in (
                (Places(server, size), lambda url: destination("put", url), None, ""),
                (TLSPlaces(nginx, size), secured(nginx), nginx.certificate, ", TLS"),
            ):
                clients = {"ferry": ferry_client(ferry, make, files, folder, limits=limits)}
                clients |= others("put", files, folder, certificate=certificate, at_once=at_once)
                in_turns(title + what, clients, options.rounds, places.next, places.check)
        slow_memory(options, ferry, nginx, folder)


def slow_memory(options, ferry, nginx, folder):
    """Sends many files at once to a server that reads each of them slowly. `curl --parallel` takes at most 300."""
    files = write_files(folder / "many", MANY, MANY_SIZE)
    limits = {"concurrency": MANY, "perHost": MANY}
    for origin, make, pair, what in (
        ("http", lambda url: destination("put", url), (), ""),
        ("https", secured(nginx), (nginx.certificate, nginx.key), ", TLS"),
    ):
        command = [sys.executable, SERVERS / "slow_server.py", str(MANY_RATE), *pair]
        with running(Server(command, f"{origin}://127.0.0.1")) as server:
            places = Places(server, MANY * MANY_SIZE)
            clients = {"ferry": ferry_client(ferry, make, files, folder, limits=limits)}
            in_turns(f"put, {MANY} at once, slow server{what}", clients, options.rounds, places.next, places.check)
