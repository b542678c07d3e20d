"""An S3 server for tests that checks no signature: moto at http://127.0.0.1:PORT/, contents in memory.

usage: moto_server.py PORT DIR

Port 0 takes a free one. DIR is not used. Prints "ready PORT" once it listens. Ends on SIGTERM. Tests make the
buckets that they need.
"""

import signal
import sys

from moto.moto_server.threaded_moto_server import ThreadedMotoServer


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=int(sys.argv[1]), verbose=False)
    server.start()
    print(f"ready {server.get_host_and_port()[1]}", flush=True)
    signal.sigwait([signal.SIGTERM])


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    main()
