"""An HTTP/1.1 server on 127.0.0.1 that reads the files of PUT requests slowly and keeps nothing.

usage: slow_server.py RATE [CERTIFICATE KEY]

Reads RATE bytes a second from each connection; with TLS if a certificate is given. Prints "ready PORT" once it listens, and
on SIGUSR1 "received" and the bytes of all bodies so far. Ends on SIGTERM.
"""

import asyncio
import signal
import ssl
import sys

BLOCK = 16384
received = 0


async def take(reader, rate):
    """Reads one request."""
    global received
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    clock = asyncio.get_running_loop().time
    began, taken = clock(), 0
    while taken < length:
        block = await reader.readexactly(min(BLOCK, length - taken))
        taken += len(block)
        received += len(block)
        await asyncio.sleep(began + taken / rate - clock())


async def serve(reader, writer, rate):
    try:
        while True:
            await take(reader, rate)
            writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        writer.close()


def say(*words):
    print(*words, flush=True)


async def main(rate, *files):
    context = None
    if files:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
    # A small window, so that the rest of a body waits in the client.
    server = await asyncio.start_server(
        lambda reader, writer: serve(reader, writer, int(rate)), "127.0.0.1", 0, ssl=context, limit=BLOCK, backlog=4096
    )
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, lambda: say("received", received))
    loop.add_signal_handler(signal.SIGTERM, server.close)
    say("ready", server.sockets[0].getsockname()[1])
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except asyncio.CancelledError:
        pass
