"""Measures the CPU seconds of Ferry and other clients for thousands of small files, for `Tests/bench small`."""

import itertools
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from upload_clients import Discard, costs, ferry_clients, others, write_files

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
    }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(port, *command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.02)
    process.terminate()
    sys.exit(f"{command[0]} does not start")


def measure(ferry, rounds, count, prefix):
    os.environ["PATH"] += ":/usr/sbin:/usr/local/sbin"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
    folder.chmod(0o755)
    files = write_files(folder / "small", count, SIZE)
    servers = []
    try:
        port = free_port()
        (folder / "files").mkdir()
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        servers.append(started(port, "nginx", "-p", folder, "-c", folder / "nginx.conf", *user))
        discard = Discard(folder)
        servers.append(discard.process)
        runs = itertools.count()
        addresses = {
            "put": lambda: f"http://127.0.0.1:{port}/run{next(runs)}",
            "form": lambda: f"{discard.url}/run{next(runs)}",
            "tus": lambda: f"{discard.url}/files",
            "s3": lambda: f"{discard.url}/run{next(runs)}",
            "webdav": lambda: f"{discard.url}/run{next(runs)}",
        }
        print(f"{count} files of {SIZE} bytes, loopback, {rounds} rounds in turns; load {os.getloadavg()[0]:.1f}")
        for name, address in addresses.items():
            clients = ferry_clients(name, ferry, files, folder, prefix)
            # With a prefix only `ferry run` is measured.
            clients |= {} if prefix else others(name, files, folder)
            for client, rows in costs(clients, rounds, address).items():
                cost = [1e3 * row.cpu / count for row in rows]
                wall, cpu, _, system = (statistics.median(column) for column in zip(*rows))
                print(
                    f"{name:7} {client:16} {statistics.median(cost):.3f} ms of CPU a file"
                    f" ({min(cost):.3f} to {max(cost):.3f}), {100 * system / cpu:.0f} % of it in the kernel;"
                    f" {count / wall:.0f} files/s",
                    flush=True,
                )
    finally:
        for server in servers:
            server.terminate()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)
