"""Makes a socket that listens on this machine only."""

import socket


def listen(place):
    """Return a listening socket at `PORT` on 127.0.0.1 (0 takes a free one) or at `unix:PATH`."""
    text = str(place)
    if text.startswith("unix:"):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(text.removeprefix("unix:"))
    else:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", int(text)))
    # A broken connection loses the bytes in this buffer. A large buffer would make tests count them as sent twice.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 128 << 10)
    listener.listen(128)
    return listener


def place(listener):
    """Return the requested place, with the port that was chosen."""
    name = listener.getsockname()
    return f"unix:{name}" if listener.family == socket.AF_UNIX else str(name[1])
