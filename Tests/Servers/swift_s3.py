"""OpenStack Swift with its S3 interface for tests, at http://127.0.0.1:PORT/: it checks every signature.

usage: swift_s3.py PORT DIR

Everything it writes is below DIR, which must be on a file system with user extended attributes and is removed at the
end. Port 0 takes a free
one; the other servers and memcached are on free ports of this machine too. Prints "ready PORT" once it answers. Ends
with all its children on SIGTERM, or when its parent has ended. Access key "test:tester", secret "testing". Tests make
the buckets that they need. Status 69 if memcached is not installed. Linux only.
"""

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

PR_SET_PDEATHSIG = 1
SERVERS = ("account", "container", "object")
PIPELINE = (
    "catch_errors gatekeeper healthcheck proxy-logging cache listing_formats bulk tempurl s3api tempauth copy slo dlo "
    "versioned_writes symlink proxy-logging proxy-server"
)
FILTERS = (
    "catch_errors gatekeeper healthcheck proxy-logging:proxy_logging cache:memcache listing_formats bulk tempurl s3api "
    "tempauth copy slo dlo versioned_writes symlink"
)
SETTINGS = {
    "cache": "memcache_servers = 127.0.0.1:{memcached}",
    "s3api": "location = us-east-1\nmax_upload_part_num = 10000",
    # S3 allows 10,000 parts. Swift's default is 1000 segments.
    "slo": "max_manifest_segments = 10000",
    "tempauth": "user_test_tester = testing .admin",
}


def free_ports(count):
    """Return free ports. All of them are held at the same time, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def write_settings(folder, ports):
    """Write the settings of the servers, and rings of one device each."""
    etc = folder / "etc"
    etc.mkdir(parents=True)
    (folder / "srv" / "d1").mkdir(parents=True)
    (etc / "swift.conf").write_text(
        "[swift-hash]\nswift_hash_path_suffix = suffix\nswift_hash_path_prefix = prefix\n"
        "[storage-policy:0]\nname = gold\ndefault = yes\n"
    )
    common = f"bind_ip = 127.0.0.1\nworkers = 0\nuser = root\nswift_dir = {etc}\nlog_address = {folder}/no-syslog\n"
    for server in SERVERS:
        (etc / f"{server}-server.conf").write_text(
            f"[DEFAULT]\ndevices = {folder}/srv\nmount_check = false\nbind_port = {ports[server]}\n{common}"
            f"[pipeline:main]\npipeline = {server}-server\n[app:{server}-server]\nuse = egg:swift#{server}\n"
        )
    filters = ""
    for entry in FILTERS.split():
        name, _, egg = entry.partition(":")
        settings = SETTINGS.get(name, "").format(**ports)
        filters += f"[filter:{name}]\nuse = egg:swift#{egg or name}\n{settings}\n"
    (etc / "proxy-server.conf").write_text(
        f"[DEFAULT]\nbind_port = {ports['proxy']}\n{common}[pipeline:main]\npipeline = {PIPELINE}\n{filters}"
        "[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\nallow_account_management = true\n"
        # There is one disk each. Without this, a server that responds late on a busy machine is not used for a minute.
        "conn_timeout = 20\nnode_timeout = 60\nerror_suppression_limit = 100000\n"
    )
    from swift.common.ring import RingBuilder

    for server in SERVERS:
        builder = RingBuilder(4, 1, 0)
        builder.add_dev(
            {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": ports[server], "device": "d1", "weight": 1.0}
        )
        builder.rebalance()
        builder.get_ring().save(str(etc / f"{server}.ring.gz"))


def start(command, folder, log):
    """Start a child process that ends when this program ends, for any reason."""
    libc = ctypes.CDLL(None)
    with (folder / log).open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
        )


def wait_until_it_answers(port, children):
    for _ in range(600):
        for child in children:
            if child.poll() is not None:
                sys.exit(f"{child.args[0]} ended with status {child.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthcheck", timeout=5) as answer:
                if answer.read() == b"OK":
                    return
        except OSError:
            time.sleep(0.05)
    sys.exit("the proxy server does not answer")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    memcached = shutil.which("memcached", path=os.environ.get("PATH", "") + ":/usr/bin:/usr/local/bin")
    if memcached is None:
        print("memcached is not installed", file=sys.stderr)
        sys.exit(69)
    parent = os.getppid()
    folder = pathlib.Path(sys.argv[2]).resolve()
    names = ("memcached", *SERVERS, "proxy")
    ports = dict(zip(names, free_ports(len(names))))
    ports["proxy"] = int(sys.argv[1]) or ports["proxy"]
    write_settings(folder, ports)
    programs = pathlib.Path(sys.executable).parent
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    children = []
    try:
        user = ["-u", "root"] if os.geteuid() == 0 else []
        command = [memcached, "-l", "127.0.0.1", "-p", str(ports["memcached"]), "-U", "0", "-m", "16", *user]
        children.append(start(command, folder, "memcached.log"))
        for server in (*SERVERS, "proxy"):
            command = [sys.executable, programs / f"swift-{server}-server", folder / "etc" / f"{server}-server.conf"]
            children.append(start(command, folder, f"{server}.log"))
        wait_until_it_answers(ports["proxy"], children)
        print(f"ready {ports['proxy']}", flush=True)
        while os.getppid() == parent and all(child.poll() is None for child in children):
            time.sleep(0.2)
    finally:
        for child in children:
            child.kill()
        for child in children:
            child.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
