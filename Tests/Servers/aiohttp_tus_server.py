"""A tus 1.0.0 server for tests that discards broken requests: aiohttp-tus at http://127.0.0.1:PORT/files.

usage: aiohttp_tus_server.py PORT|unix:PATH DIR

A finished upload is DIR/FILENAME, and its URL is then unknown. Prints "ready PORT" (or "ready unix:PATH")
once it listens; port 0 takes a free one. Ends on SIGTERM.
"""

import pathlib
import sys

from aiohttp import web
from aiohttp_tus import setup_tus

from listening import listen, place


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listener = listen(sys.argv[1])
    # A request's body is read into memory, and may be a whole file.
    app = web.Application(client_max_size=1 << 30)
    setup_tus(app, upload_path=pathlib.Path(sys.argv[2]), upload_url="/files", allow_overwrite_files=True)

    async def tell(app):
        print(f"ready {place(listener)}", flush=True)

    app.on_startup.append(tell)
    web.run_app(app, sock=listener, print=None, access_log=None, shutdown_timeout=1)


if __name__ == "__main__":
    main()
