"""A server with many uploads, each at an address of its own on this machine. Some responses are wrong at random."""

import asyncio
import contextlib
import random
import socket
import ssl
import struct
import time

from exchange import Answer, read_body, read_head
from mutations import BODIES, PLACES, STATUSES, Delivery, mutate, written


class Place:
    """The server's state for one upload: its model, its random numbers and its counts."""

    def __init__(self, model, seed, wrong, link, gate=None):
        self.model = model
        self.seed = seed
        #: The share of wrong responses.
        self.wrong = wrong
        self.link = link
        #: Responds first as long as the client is not signed in.
        self.gate = gate
        self.count = 0
        self.earlier = []
        self.is_lied_to = False
        self.log = []
        self.last_seen = time.monotonic()

    def chance(self):
        """The random numbers for the next response. They depend only on the seed and the number of the response."""
        self.count += 1
        return random.Random(f"{self.seed}/{self.count}")

    def honest(self, request):
        """Returns the right response, and whether it is about the file. Only a false one about the file is a lie."""
        if request.method == "CONNECT":
            return Answer(200, is_about_body=True), False
        refusal = self.gate.answer(request) if self.gate and not self.model.is_open(request) else None
        # A refused request may carry the file. A success instead of the refusal would then be about the file.
        return (refusal, refusal.status == 401) if refusal else (self.model.answer(request), True)


class HostileServer:
    """Listens at 127.0.1.1 and the following addresses on one port. Each upload under way has its own address."""

    def __init__(self, size, timeout):
        self.size = size
        self.timeout = timeout
        self.places = [None] * size
        self.answers = 0
        self.listeners = []
        #: The tasks of each address's exchanges.
        self.tasks = [set() for _ in range(size)]
        self.tls = None

    async def start(self, certificate):
        """
        - certificate: A file with a certificate for all addresses, and its key.
        """
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate)
        port = 0
        for index in range(self.size):
            async def serve(reader, writer, index=index):
                await self.serve(index, reader, writer)
            listener = await asyncio.start_server(serve, self.host(index), port, limit=1 << 17)
            port = port or listener.sockets[0].getsockname()[1]
            self.listeners.append(listener)
        self.port = port

    @staticmethod
    def host(index):
        return f"127.0.{1 + index // 250}.{1 + index % 250}"

    def address(self, index):
        return f"{self.host(index)}:{self.port}"

    async def forget(self, indexes):
        """Ends the connections of these addresses and forgets their uploads."""
        tasks = [task for index in indexes for task in self.tasks[index]]
        for index in indexes:
            self.places[index] = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def serve(self, index, reader, writer):
        task = asyncio.current_task()
        self.tasks[index].add(task)
        place = self.places[index]
        try:
            if place and place.link.is_secure and not place.link.has_proxy:
                # This comes before the first `await`, because bytes that are read earlier would be lost.
                await writer.start_tls(self.tls)
            while place and await self.exchange(place, reader, writer):
                pass
        except (ConnectionError, OSError, asyncio.CancelledError):
            pass
        finally:
            self.tasks[index].discard(task)
            with contextlib.suppress(Exception):
                writer.close()

    async def exchange(self, place, reader, writer):
        """Handles one request. Returns True if the connection is kept."""
        request = await read_head(reader)
        if not request:
            return False
        place.last_seen = time.monotonic()
        chance = place.chance()
        is_wrong = chance.random() < place.wrong
        if is_wrong and chance.random() < 0.08:
            return await self.refuse_early(place, request, chance, reader, writer)
        await read_body(reader, request)
        honest, is_about_file = place.honest(request)
        place.last_seen = time.monotonic()
        self.answers += 1
        delivery = mutate(chance, honest, place.earlier, self.timeout) if is_wrong else Delivery(honest)
        place.earlier.append(honest)
        place.is_lied_to |= delivery.is_lie and is_about_file
        place.log.append(
            f"{place.count} {request.method} {request.target[:80]} [{len(request.body)}] -> {honest.status}"
            f" {'+'.join(delivery.changes)} {delivery.answer.status if delivery.changes else ''}"
            f"{' LIE' if delivery.is_lie else ''}")
        await self.deliver(delivery, writer)
        if request.method == "CONNECT" and not is_wrong:
            await writer.start_tls(self.tls)
        return delivery.end == "keep"

    async def refuse_early(self, place, request, chance, reader, writer):
        """Responds before the body is read, and then reads it, closes, resets or waits."""
        for _ in range(chance.choice((0, 1, 5))):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(reader.read(1000), 0.01)
        status = chance.choice(STATUSES)
        fields = [("Location", chance.choice(PLACES))] if chance.random() < 0.3 else []
        answer = Answer(status, fields, chance.choice(BODIES))
        place.is_lied_to |= status < 300
        self.answers += 1
        delivery = Delivery(answer, end=chance.choice(("close", "reset", "hang")))
        place.log.append(f"{place.count} {request.method} {request.target[:80]} early {status} {delivery.end}")
        await self.deliver(delivery, writer)
        return False

    async def deliver(self, delivery, writer):
        data = delivery.prefix + (written(delivery) if delivery.raw is None else delivery.raw) + delivery.suffix
        if delivery.cut is not None:
            data = data[:delivery.cut]
        if delivery.delay:
            await asyncio.sleep(delivery.delay)
        if delivery.drip and len(data) < 100_000:
            size, pause = delivery.drip
            for start in range(0, len(data), size):
                writer.write(data[start:start + size])
                await writer.drain()
                await asyncio.sleep(pause)
        else:
            writer.write(data)
            await writer.drain()
        if delivery.end == "hang":
            await asyncio.sleep(self.timeout * 20)
        if delivery.end == "reset":
            # The socket is None when the connection is lost.
            if connection := writer.get_extra_info("socket"):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
