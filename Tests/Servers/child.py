"""Runs a server that is a separate program."""

import os
import signal
import socket
import subprocess
import sys
import time


def serve(command, port, log=None, **options):
    """Run `command` until SIGTERM or its end, and print "ready PORT" once a process listens at `port`.

    The command's output goes to the file `log`, or to this program's standard error.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with open(log, "wb") if log else os.fdopen(os.dup(2), "wb") as output:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **options)
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    print(f"ready {port}", flush=True)
                    break
            time.sleep(0.05)
        server.wait()
        sys.exit(f"{command[0]} ended")
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
