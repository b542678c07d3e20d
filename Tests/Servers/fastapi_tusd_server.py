"""A tus 1.0.0 server for tests: fastapi-tusd at http://127.0.0.1:PORT/files.

usage: fastapi_tusd_server.py PORT DIR

Uploads are in DIR, each under its id. The server closes the connection at OPTIONS, without a response. Prints
"ready PORT" once it listens; port 0 takes a free one. On SIGTERM it writes the offset of each upload and ends at once.
"""

import sys

import fastapi
import fastapi_tusd
import uvicorn

from listening import listen, place


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listener = listen(sys.argv[1])
    app = fastapi.FastAPI()
    # The store is given as a path, so that uploads are found behind a symbolic link too.
    app.include_router(fastapi_tusd.TusRouter(store_dir=sys.argv[2], location="/files", prefix="/files"))

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            print(f"ready {place(listener)}", flush=True)

    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=0)
    Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
