"""A WebDAV server for tests: WsgiDAV behind cheroot at http://127.0.0.1:PORT/, files below DIR/files.

usage: wsgidav_server.py PORT DIR

Prints "ready PORT" once it listens; port 0 takes a free one. Ends on SIGTERM.
"""

import os
import signal
import sys

from cheroot import wsgi
from wsgidav.wsgidav_app import WsgiDAVApp


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    files = os.path.join(sys.argv[2], "files")
    os.makedirs(files, exist_ok=True)
    app = WsgiDAVApp(
        {
            "provider_mapping": {"/": files},
            "simple_dc": {"user_mapping": {"*": True}},
            "logging": {"enable": False},
            "verbose": 0,
        }
    )
    server = wsgi.Server(("127.0.0.1", int(sys.argv[1])), app)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    server.prepare()
    print(f"ready {server.bind_addr[1]}", flush=True)
    server.serve()


if __name__ == "__main__":
    main()
