"""A server that is a program of its own."""

import os
import signal
import socket
import subprocess
import sys
import time


def serve(command, port, log, **options):
    """Run `command` until SIGTERM or its end, and print "ready PORT" once something listens at `port`."""
    with open(log, "wb") as output:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **options)

    def stop(*_):
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
        os._exit(0)

    signal.signal(signal.SIGTERM, stop)
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                print(f"ready {port}", flush=True)
                break
        time.sleep(0.1)
    server.wait()
    sys.exit(f"{command[0]} ended")
