"""A proxy that is busy at times: forwards requests to 127.0.0.1:TARGET, or responds 503 with `Retry-After: 2`.

usage: busy_proxy.py PORT TARGET SECONDS PERIOD

Listens on 127.0.0.1:PORT. New requests get 503 in the last SECONDS of each PERIOD; requests under way continue. Each
connection has one request. Prints "ready PORT" once it listens; port 0 takes a free one. Ends on SIGTERM.
"""

import asyncio
import contextlib
import re
import sys
import time

from listening import listen, place

REFUSAL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Proxy:
    def __init__(self, target, busy, period):
        self.target, self.busy, self.period = target, busy, period
        self.begin = time.monotonic()

    @property
    def is_busy(self):
        return (time.monotonic() - self.begin) % self.period >= self.period - self.busy

    async def serve(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if self.is_busy:
                await self.refuse(reader, writer)
            else:
                await self.pass_on(head, reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def refuse(self, reader, writer):
        writer.write(REFUSAL)
        await writer.drain()
        writer.write_eof()
        # Closing a connection with unread bytes would send a reset, and the client might lose the response.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                while await reader.read(1 << 16):
                    pass

    async def pass_on(self, head, reader, writer):
        server, to_server = await asyncio.open_connection("127.0.0.1", self.target)
        try:
            head = re.sub(rb"(?im)^connection:.*\r\n", b"", head)
            to_server.write(head[:-2] + b"Connection: close\r\n\r\n")
            up = asyncio.create_task(copy(reader, to_server))
            await copy(server, writer)
            up.cancel()
        finally:
            to_server.close()


async def copy(reader, writer):
    with contextlib.suppress(OSError):
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
        writer.write_eof()


async def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    listener = listen(int(sys.argv[1]))
    proxy = Proxy(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
    server = await asyncio.start_server(proxy.serve, sock=listener)
    print(f"ready {place(listener)}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
