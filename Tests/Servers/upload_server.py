"""The uploadserver package for tests: multipart/form-data at http://127.0.0.1:PORT/upload, field `files`.

usage: upload_server.py PORT DIR [OPTION...]

Files are kept in DIR under the names sent; an existing name gets a number unless --allow-replace is given. Further
options are passed to uploadserver (--basic-auth-upload user:password). It speaks HTTP/1.0 and answers 204.
Prints "ready PORT" once it listens; port 0 takes a free one. Ends on SIGTERM.
"""

import os
import sys

from listening import listen


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    listener = listen(int(sys.argv[1]))
    port = listener.getsockname()[1]
    listener.close()
    os.makedirs(sys.argv[2], exist_ok=True)

    import socketserver

    activate = socketserver.TCPServer.server_activate

    def announce(server):
        activate(server)
        print(f"ready {port}", flush=True)

    socketserver.TCPServer.server_activate = announce
    import uploadserver

    sys.argv = ["uploadserver", "--bind", "127.0.0.1", "--directory", sys.argv[2], *sys.argv[3:], str(port)]
    uploadserver.main()


if __name__ == "__main__":
    main()
