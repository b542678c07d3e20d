"""Google Cloud Storage for tests: gcp-storage-emulator at http://127.0.0.1:PORT/ with the bucket "bkt".

usage: google_storage.py PORT DIR

Objects are kept in DIR/.cloudstorage/bkt. Prints "ready PORT" once it listens; port 0 takes a free one. Ends on
SIGTERM.
Its sessions: an empty session reports one byte, a finished session is forgotten at once, and DELETE of a session gets
501.
"""

import logging
import sys
import time

from gcp_storage_emulator.server import create_server


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    logging.disable(logging.CRITICAL)
    server = create_server("127.0.0.1", int(sys.argv[1]), False, "bkt", data_dir=sys.argv[2])
    server.start()
    print(f"ready {server._api._httpd.server_address[1]}", flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
