"""A tus 1.0.0 server for tests: tuspyserver at http://127.0.0.1:PORT/files/.

usage: tus_server.py PORT|unix:PATH DIR

Uploads are kept in DIR. Prints "ready PORT" (or "ready unix:PATH") once it listens; port 0 takes a free one. Ends on
SIGTERM.
Every upload needs `filename` and `filetype` metadata, or tuspyserver answers HEAD with 400.
"""

import sys

import fastapi
import tuspyserver
import uvicorn

from listening import listen, place


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listener = listen(sys.argv[1])
    app = fastapi.FastAPI()
    app.include_router(
        tuspyserver.create_tus_router(prefix="files", files_dir=sys.argv[2], strict_offset_validation=True)
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            print(f"ready {place(listener)}", flush=True)

    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
