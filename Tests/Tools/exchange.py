"""Requests as they are read, and correct responses, before anything is changed in them."""

import asyncio
import dataclasses
import re
import urllib.parse


@dataclasses.dataclass
class Request:
    method: str
    target: str
    fields: dict
    body: bytes = b""
    #: False if the connection ended first or the form of the body is invalid.
    is_whole: bool = True

    @property
    def path(self):
        return urllib.parse.unquote(self.target.split("?")[0])

    @property
    def query(self):
        parts = self.target.split("?", 1)
        return dict(urllib.parse.parse_qsl(parts[1], keep_blank_values=True)) if len(parts) > 1 else {}


@dataclasses.dataclass
class Answer:
    status: int
    fields: list = dataclasses.field(default_factory=list)
    body: bytes = b""
    #: True for the response to a HEAD, which has a length but no body.
    is_about_body: bool = False

    def copy(self):
        return Answer(self.status, list(self.fields), self.body, self.is_about_body)


async def read_head(reader):
    """Reads the next request without its body. Returns None if there is none."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        return None
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3:
        return None
    fields = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            fields[name.strip().lower()] = value.strip()
    # A request to a proxy has an absolute URL. The proxy here is the server itself.
    target = re.sub(r"^https?://[^/]*", "", words[1]) if words[1].startswith("http") else words[1]
    return Request(words[0], target or "/", fields)


async def read_body(reader, request):
    """Reads the body after the head. If the connection ends first, the bytes so far are kept."""
    try:
        if request.fields.get("transfer-encoding", "").lower() == "chunked":
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                request.body += await reader.readexactly(size)
                await reader.readexactly(2)
            await reader.readuntil(b"\r\n")
        else:
            left = int(request.fields.get("content-length", "0"))
            # The chunks are joined once. Appending each to a large body would copy the body each time.
            chunks = []
            try:
                while left > 0:
                    chunk = await reader.read(min(left, 1 << 18))
                    if not chunk:
                        raise ConnectionError
                    chunks.append(chunk)
                    left -= len(chunk)
            finally:
                request.body = b"".join(chunks)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
        request.is_whole = False
