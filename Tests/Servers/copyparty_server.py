"""A file server for tests: copyparty with PUT and WebDAV, at http://127.0.0.1:PORT/.

usage: copyparty_server.py PORT DIR

Every client may read and write in DIR. Prints "ready PORT" once it listens. Ends on SIGTERM.
"""

import pathlib
import sys
import tempfile

import child


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
        child.serve(command, int(port), env=environment)


if __name__ == "__main__":
    main()
