"""Adds random errors to responses, from a seed: in their content and in the way they are sent.

`mutate` returns what to send. A response is marked as a lie if it could make a client believe that the server has more
bytes than it has. A client that then reports an upload as done has made no error.
"""

import dataclasses
import json
import re

from exchange import Answer

NUMBERS = [
    "-1", "0", "1", "00", "+5", "5.0", "1e9", "0x10", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "99999999999999999999999999", "", " ", "abc", "1,1", "1;2", "١٢",
]
TEXTS = [
    "", " ", "\t", "a" * 9000, "\x01\x7f", "\xff\xfe", "%00", "%", "%zz", "\u202e", "é", "../../etc/passwd", "'\"<>&", "{}",
    "null", "W/\"\"", "\"", "?1", "?0", "?", "bytes=0-", "bytes=5-2", "bytes */*", "bytes=0-99999999999999999999",
]
PLACES = [
    "", "/", "//", "///", "?", "#", "http://", "http:///x", "https://", "ftp://127.0.0.1/", "file:///etc/passwd",
    "http+unix://%2Ftmp%2Fx/", "//other.example/x", "http://user:word@127.0.0.1/", "http://[::1", "http://[::1]:0/",
    "http://127.0.0.1:99999/", "http://127.0.0.1:1/", "javascript:1", "data:,x", "/%2e%2e/%2e%2e/", "/x\\y", "/ä ö",
    "http://\u0430.example/", "http://169.254.169.254/latest/", ".", "..", "./../..//", "/{name}", "*",
]
FIELDS = [
    "Location", "Upload-Offset", "Upload-Length", "Upload-Complete", "Upload-Limit", "Upload-Expires", "Range", "ETag",
    "Content-Type", "Content-Location", "Retry-After", "Tus-Resumable", "Tus-Extension", "Tus-Max-Size", "Date", "DAV",
    "Upload-Draft-Interop-Version", "WWW-Authenticate", "Content-Encoding", "Allow", "Set-Cookie", "Link", "Digest",
    "Repr-Digest", "X-Goog-Hash", "OC-Checksum", "Content-MD5", "x-amz-checksum-crc64nvme", "x-ms-error-code",
]
STATUSES = [
    0, 42, 99, 200, 201, 202, 204, 205, 206, 207, 226, 299, 300, 301, 302, 303, 304, 307, 308, 310, 400, 401, 402, 403,
    404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 415, 416, 417, 421, 422, 423, 425, 426, 428, 429, 431, 451, 460,
    499, 500, 501, 502, 503, 504, 505, 507, 511, 520, 524, 599, 600, 999,
]
BODIES = [
    b"", b"\0", b"\xff\xfe\x00", b"{", b"{}", b"[]", b"null", b"\"x\"", b"0", b"[" * 5000, b'{"a":' * 5000,
    b"<a>" * 5000, b"<a>" * 60 + b"</a>" * 60, b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", b"<?xml version='1.0'?>",
    b"<Error><Code>NoSuchUpload</Code></Error>", b"<Error><Code>" + b"x" * 5000 + b"</Code></Error>", b"<Error/>",
    b"<html><body>Please sign in</body></html>", b"\x1f\x8b\x08\x00\x00", b"x" * 2_000_000,
    b'{"error":{"code":"nameAlreadyExists"}}', b'{"uploadUrl":"","nextExpectedRanges":[]}',
    b'{"nextExpectedRanges":["-5","9-2","99999999999999999999-"]}', b'{"size":"-1"}', b'{"size":1e400}',
    b"<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>0</NextPartNumberMarker></ListPartsResult>",
    b"<d:multistatus xmlns:d='DAV:'/>", b"<InitiateMultipartUploadResult><UploadId/></InitiateMultipartUploadResult>",
]


REASON = b"Reason"


@dataclasses.dataclass
class Delivery:
    """The way in which a response is sent."""

    answer: Answer
    #: Descriptions of the changes, for people.
    changes: list = dataclasses.field(default_factory=list)
    is_lie: bool = False
    #: The bytes to send in place of the response.
    raw: bytes | None = None
    #: The bytes to send before the response.
    prefix: bytes = b""
    #: The bytes to send after it, as if for another request.
    suffix: bytes = b""
    #: Replaces the framing: a false length; "none" has no length, "chunked" and "torn chunks" use chunks.
    framing: str | None = None
    #: The seconds before the first byte.
    delay: float = 0
    #: The bytes of one write and the seconds between two writes; None writes everything at once.
    drip: tuple | None = None
    #: The number of bytes to send; None sends all.
    cut: int | None = None
    #: The end of the connection after the response: "keep", "close", "reset" or "hang".
    end: str = "keep"
    #: Responds after so many bytes of the request's body; None responds after all of it.
    early: int | None = None


def written(delivery):
    """Returns the bytes of a response, with the framing of the delivery."""
    answer = delivery.answer
    lines = [f"HTTP/1.1 {answer.status:03} ".encode() + REASON]
    for name, value in answer.fields:
        lines.append(f"{name}: {value}".encode("utf-8", "replace"))
    body = b"" if answer.is_about_body else answer.body
    framing = delivery.framing
    if framing == "chunked":
        lines.append(b"Transfer-Encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    elif framing == "torn chunks":
        lines.append(b"Transfer-Encoding: chunked")
        body = b"%x\r\n%s" % (len(body) + 7, body)
    elif framing == "two":
        lines += [b"Content-Length: %d" % len(body), b"Content-Length: %d" % (len(body) + 1)]
    elif framing not in (None, "none"):
        lines.append(f"Content-Length: {framing}".encode())
    elif framing is None and not answer.is_about_body and answer.status not in (204, 304):
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def mutate(chance, answer, earlier, timeout):
    """Returns a delivery of `answer` with one to three errors.

    `earlier` are the responses that the server sent before. `timeout` is how long the client waits for a response.
    """
    delivery = Delivery(answer.copy())
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        kind = chance.choice(KINDS)
        kind(chance, delivery, earlier, timeout)
        delivery.changes.append(kind.__name__)
    return delivery


def status(chance, delivery, earlier, timeout):
    new = chance.choice(STATUSES)
    delivery.is_lie |= 200 <= new < 300 and new != delivery.answer.status
    delivery.answer.status = new


def place(chance, delivery, earlier, timeout):
    """Changes a Location, or a URL in a document."""
    text = chance.choice(PLACES)
    if chance.random() < 0.4:
        text = "/" + "x" * chance.choice((100, 8000, 8190, 8300, 20_000, 33_000, 66_000, 70_000, 200_000))
    fields = [(name, value) for name, value in delivery.answer.fields if name != "Location"]
    delivery.answer.fields = fields + [("Location", text)]
    quoted = json.dumps(text).encode()
    delivery.answer.body = re.sub(rb'("uploadUrl": ?)"[^"]*"', lambda found: found[1] + quoted, delivery.answer.body)
    if chance.random() < 0.5:
        delivery.answer.status = chance.choice((301, 302, 303, 307, 308))


def number(chance, delivery, earlier, timeout):
    """Changes a number in a field or in the body."""
    answer = delivery.answer
    marked = [index for index, (_, value) in enumerate(answer.fields) if re.search(r"\d", value)]
    new = chance.choice(NUMBERS)
    if chance.random() < 0.3:
        new = str(chance.randrange(1 << chance.choice((4, 16, 24, 40))))
    delivery.is_lie |= answer.status < 400
    if marked and chance.random() < 0.6:
        index = chance.choice(marked)
        name, value = answer.fields[index]
        answer.fields[index] = (name, re.sub(r"\d+", lambda _: new, value, count=1))
    else:
        answer.body = re.sub(rb"\d+", lambda _: new.encode(), answer.body, count=chance.choice((0, 1, 2)))


def field(chance, delivery, earlier, timeout):
    """Removes, repeats, empties, lengthens or garbles a field."""
    fields = delivery.answer.fields
    choice = chance.randrange(5)
    if choice == 0 and fields:
        fields.pop(chance.randrange(len(fields)))
    elif choice == 1 and fields:
        fields.append(chance.choice(fields))
    elif choice == 2 and fields:
        index = chance.randrange(len(fields))
        fields[index] = (fields[index][0], chance.choice(TEXTS))
        delivery.is_lie |= delivery.answer.status < 400
    elif choice == 3:
        fields += [(f"X-{index}", "y" * 50) for index in range(chance.choice((10, 200, 3000)))]
    else:
        name = chance.choice(FIELDS)
        fields.append((name, chance.choice(chance.choice((NUMBERS, TEXTS)))))
        delivery.is_lie |= delivery.answer.status < 400


def long_field(chance, delivery, earlier, timeout):
    """Sets a value that comes back in later requests, such as a tag, to any length."""
    text = "y" * chance.choice((1000, 9000, 33_000, 70_000))
    delivery.answer.fields.append((chance.choice(FIELDS), text))
    delivery.is_lie |= delivery.answer.status < 400


def body(chance, delivery, earlier, timeout):
    answer = delivery.answer
    delivery.is_lie |= answer.status < 400
    choice = chance.randrange(4)
    if choice == 0 or not answer.body:
        answer.body = chance.choice(BODIES)
    elif choice == 1:
        answer.body = answer.body[:chance.randrange(len(answer.body))]
    elif choice == 2:
        flipped = bytearray(answer.body)
        for _ in range(chance.choice((1, 3, 20))):
            flipped[chance.randrange(len(flipped))] = chance.randrange(256)
        answer.body = bytes(flipped)
    else:
        start, end = sorted((chance.randrange(len(answer.body)), chance.randrange(len(answer.body))))
        answer.body = answer.body[:end] + answer.body[start:end] * chance.choice((1, 3, 100)) + answer.body[end:]


#: XML with many namespaces, by their number.
DECLARED = {
    count: b"".join(b" xmlns:p%d='u%d'" % (index, index) for index in range(count)) for count in (10, 300, 20_000)}


def declarations(chance, delivery, earlier, timeout):
    """Adds XML that is expensive to read."""
    declared = DECLARED[chance.choice((10, 300, 20_000))]
    inner = chance.choice((b"<b/>" * 2000, b"<b>" * 50 + b"</b>" * 50, declared and b"<c%s/>" % declared))
    delivery.answer.body = b"<d:multistatus xmlns:d='DAV:'%s>%s</d:multistatus>" % (declared, inner)
    delivery.is_lie |= delivery.answer.status < 400


def framing(chance, delivery, earlier, timeout):
    delivery.framing = chance.choice(
        ["none", "chunked", "torn chunks", "two"] + NUMBERS + [str(len(delivery.answer.body) + 5), "3"])
    # A response that is cut off or joined with the next one says something else.
    delivery.is_lie |= delivery.answer.status < 400 and bool(delivery.answer.body)


def timing(chance, delivery, earlier, timeout):
    choice = chance.randrange(6)
    if choice == 0:
        delivery.delay = timeout * chance.choice((0.3, 0.9, 1.0, 1.1, 3))
    elif choice == 1:
        delivery.drip = (1, timeout * chance.choice((0.02, 0.2)))
    elif choice == 2:
        delivery.drip = (chance.choice((7, 100, 5000)), timeout / 50)
    elif choice == 3:
        delivery.end = "hang"
        delivery.cut = chance.choice((0, 1, 20, 60, 200))
    elif choice == 4:
        delivery.early = 0
    else:
        delivery.early = chance.choice((1, 1000, 60_000))


def ending(chance, delivery, earlier, timeout):
    delivery.end = chance.choice(("close", "reset"))
    if chance.random() < 0.6:
        delivery.cut = chance.choice((0, 1, 9, 15, 30, 80, 300, 5000))


def interim(chance, delivery, earlier, timeout):
    heads = [
        b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 102 Processing\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", b"HTTP/1.1 104 Upload Resumption Supported\r\n"
        b"Location: /up/0\r\nUpload-Offset: 0\r\n\r\n", b"HTTP/1.1 199 Odd\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    ]
    delivery.prefix = b"".join(chance.choice(heads) for _ in range(chance.choice((1, 2, 40))))


def order(chance, delivery, earlier, timeout):
    """Sends an earlier response, or an unrequested second response."""
    delivery.is_lie = True
    if earlier and chance.random() < 0.5:
        delivery.answer = chance.choice(earlier).copy()
    else:
        delivery.suffix = b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n" % chance.choice(STATUSES)


def garbage(chance, delivery, earlier, timeout):
    delivery.raw = chance.choice([
        b"", b"\0" * 100, chance.randbytes(300), b"\x15\x03\x03\x00\x02\x02\x28", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"HTTP/0.9 200 OK\r\n\r\n", b"HTTP/3.7 200 OK\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 99 X\r\n\r\n", b"HTTP/1.1 2000 X\r\n\r\n", b"HTTP/1.1 -200 X\r\n\r\n", b"HTTP/1.1\r\n\r\n",
        b"ICY 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\nContent-Length: 0\n\n", b"\r\n" * 500, b"HTTP/1.1 200 " + b"x" * 100_000,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000,
        b"HTTP/1.1 200 OK\r\n : x\r\n\r\n", b"HTTP/1.1 200 OK\r\nA\x00B: x\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
        b"HTTP/1.1 500 X\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx",
        b"HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx",
    ])
    # A part of it may still say 200.
    delivery.is_lie |= b" 200 " in delivery.raw
    delivery.end = chance.choice(("keep", "close", "hang"))


KINDS = [
    status, status, place, place, number, number, field, field, long_field, body, body, declarations, framing, timing,
    timing, ending, interim, order, garbage,
]
