"""The CPU seconds of ferry for thousands of small files, for `Tests/bench small`."""

import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

SIZE = 4096
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; keepalive_requests 1000000; client_max_body_size 0; client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/t1; fastcgi_temp_path {folder}/t2; uwsgi_temp_path {folder}/t3; scgi_temp_path {folder}/t4;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/files;
        location / {{ dav_methods PUT DELETE MKCOL COPY MOVE; create_full_put_path on; }}
        location /bucket/ {{ add_header ETag '"0"'; return 200; }}
    }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(port, *command, **options):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.02)
    process.terminate()
    sys.exit(f"{command[0]} does not start")


def destinations(nginx, ferry):
    """By protocol. What nginx does not speak, `ferry serve` does; S3 is answered and not kept."""
    keys = {"accessKey": "key", "secretKey": {"env": "BENCH_SECRET"}}
    place = {"region": "us-east-1", "addressing": "path", "endpoint": f"http://127.0.0.1:{nginx}"}
    return {
        "put": {"protocol": "put", "url": f"http://127.0.0.1:{nginx}/put/"},
        "form": {"protocol": "form", "url": f"http://127.0.0.1:{ferry}/"},
        "tus": {"protocol": "tus", "url": f"http://127.0.0.1:{ferry}/files/"},
        "s3": {"protocol": "s3", "url": "s3://bucket/in/", "s3": place, "auth": {"s3": keys}},
        "webdav": {"protocol": "webdav", "url": f"http://127.0.0.1:{nginx}/dav/"},
    }


def run(ferry, folder, files, destination, prefix):
    """Queues the files in a home of its own; returns the seconds of user, system and wall clock of `ferry run`."""
    home = pathlib.Path(tempfile.mkdtemp(dir=folder))
    (home / ".config/ferry").mkdir(parents=True)
    text = json.dumps({"destinations": {"bench": destination}, "defaultDestination": "bench"})
    (home / ".config/ferry/config.json").write_text(text)
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment = kept | {"HOME": str(home), "LC_ALL": "C.UTF-8", "BENCH_SECRET": "k" * 40}
    add = [ferry, "add", "--recursive", files]
    subprocess.run(add, env=environment, stdout=subprocess.DEVNULL, check=True)
    began = time.monotonic()
    process = subprocess.Popen(
        [*prefix, ferry, "run", "--exit-when-idle"],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"ferry run: status {process.returncode}")
    shutil.rmtree(home)
    return usage.ru_utime, usage.ru_stime, time.monotonic() - began


def measure(ferry, rounds, count, prefix):
    os.environ["PATH"] += ":/usr/sbin:/usr/local/sbin"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
    folder.chmod(0o755)
    files = folder / "small"
    files.mkdir()
    for number in range(count):
        (files / f"{number:06}.bin").write_bytes(os.urandom(SIZE))
    servers = []
    try:
        ports = free_port(), free_port()
        (folder / "files/dav").mkdir(parents=True)
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=ports[0]))
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        servers.append(started(ports[0], "nginx", "-p", folder, "-c", folder / "nginx.conf", *user))
        serve = [ferry, "serve", "--no-token", "--directory", folder / "in", "--bind", f"127.0.0.1:{ports[1]}"]
        servers.append(started(ports[1], *serve, env=os.environ | {"HOME": str(folder)}))
        print(f"{count} files of {SIZE} bytes, loopback, {rounds} rounds; load {os.getloadavg()[0]:.1f}")
        for name, destination in destinations(*ports).items():
            rows = [run(ferry, folder, files, destination, prefix) for _ in range(rounds)]
            cost = [1e3 * (user + system) / count for user, system, _ in rows]
            user, system, wall = (statistics.median(column) for column in zip(*rows))
            print(
                f"{name:7} {statistics.median(cost):.3f} ms of CPU a file ({min(cost):.3f} to {max(cost):.3f}),"
                f" {100 * system / (user + system):.0f} % of it in the kernel; {count / wall:.0f} files/s"
            )
    finally:
        for server in servers:
            server.terminate()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)
