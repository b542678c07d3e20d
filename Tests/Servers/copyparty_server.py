"""A file server for tests: copyparty, with everything that it takes (PUT, WebDAV), at http://127.0.0.1:PORT/.

usage: copyparty_server.py PORT DIR

Anybody may do anything in DIR. Prints "ready PORT" once it listens. Ends on SIGTERM.
"""

import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    port, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        command = [
            sys.executable, "-m", "copyparty", "-q", "-i", "127.0.0.1", "-p", port, "-v", f"{folder}::rwmd",
            "--daw", "--no-ansi", "--hist", str(pathlib.Path(home) / "hist"),
        ]
        environment = {"HOME": home, "XDG_CONFIG_HOME": home, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment)
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        try:
            limit = time.monotonic() + 30
            while not listens(int(port)):
                if server.poll() is not None or time.monotonic() > limit:
                    sys.exit("copyparty does not start")
                time.sleep(0.05)
            print(f"ready {port}", flush=True)
            server.wait()
        finally:
            server.kill()


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    main()
