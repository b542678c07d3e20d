"""A stand-in for Azure's block blobs that follows Microsoft's documentation. It contains none of their code.

usage: azure_server.py PORT DIR

The container http://127.0.0.1:PORT/container/ accepts requests with "sig=secret" in the query. Blobs are in DIR/blobs;
DIR/log has a line for each request. Prints "ready PORT" once it listens; port 0 takes a free one. Ends on SIGTERM.

As documented (Put Blob, Put Block, Put Block List, Get Block List, Get Blob Properties): a request without the signature
is 403, one without x-ms-version or with a block list that names an unknown block is 400, one without Content-Length 411;
the ids of a blob's blocks are Base64 of at most 64 bytes and equally long; a block whose Content-MD5 differs is 400
Md5Mismatch and not stored; blocks that a list leaves out are deleted, and all of them when the blob is put;
If-None-Match: * for an existing blob is 409 BlobAlreadyExists. The first block list of a blob named "lost…" gets no
response, and the first upload of each block of a blob named "torn…" fails its checksum.
"""

import base64
import binascii
import hashlib
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

from aiohttp import web

from listening import listen

VERSION_LIMIT = 4000 << 20


def refusal(status, code):
    error = f"<Error><Code>{code}</Code><Message>{code}.\nTime:0</Message></Error>"
    body = f'\ufeff<?xml version="1.0" encoding="utf-8"?>{error}'
    return web.Response(
        status=status, body=body.encode(), content_type="application/xml", headers={"x-ms-error-code": code}
    )


async def name_request(request, response):
    response.headers["x-ms-request-id"] = "4e7a7ba4-0001-0000-0000-000000000000"


class Container:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.uncommitted = {}
        self.committed = {}
        self.troubled = set()

    def note(self, text):
        with open(self.directory / "log", "a", encoding="utf-8") as log:
            log.write(text + "\n")

    def place(self, name):
        place = self.directory / "blobs" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def refused(self, request):
        if request.query.get("sig") != "secret":
            return refusal(403, "AuthenticationFailed")
        if "x-ms-version" not in request.headers:
            return refusal(400, "MissingRequiredHeader")
        if request.method == "PUT" and request.content_length is None:
            return refusal(411, "MissingContentLengthHeader")
        return None

    def once(self, name, kind):
        if not name.rsplit("/", 1)[-1].startswith(kind) or (kind, name) in self.troubled:
            return False
        self.troubled.add((kind, name))
        return True

    async def list(self, request):
        refused = self.refused(request)
        if refused:
            return refused
        return web.Response(body=b"<EnumerationResults/>", content_type="application/xml")

    async def get(self, request):
        refused = self.refused(request)
        if refused:
            return refused
        name = request.match_info["name"]
        if request.query.get("comp") != "blocklist":
            return await self.head(request)
        self.note(f"list {request.query.get('blocklisttype')}")
        if name not in self.uncommitted and name not in self.committed:
            return refusal(404, "BlobNotFound")
        kind = request.query.get("blocklisttype", "committed")
        root = ElementTree.Element("BlockList")
        for tag, shown, blocks in (
            ("CommittedBlocks", ("committed", "all"), self.committed.get(name, [])),
            ("UncommittedBlocks", ("uncommitted", "all"), list(self.uncommitted.get(name, {}).items())),
        ):
            if kind not in shown:
                continue
            element = ElementTree.SubElement(root, tag)
            for block, content in blocks:
                entry = ElementTree.SubElement(element, "Block")
                ElementTree.SubElement(entry, "Name").text = block
                ElementTree.SubElement(entry, "Size").text = str(len(content))
        body = b"\xef\xbb\xbf" + ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
        return web.Response(body=body, content_type="application/xml", headers={"ETag": '"0x1"'})

    async def head(self, request):
        refused = self.refused(request)
        if refused:
            return refused
        self.note("head")
        place = self.place(request.match_info["name"])
        if not place.is_file():
            return refusal(404, "BlobNotFound")
        content = place.read_bytes()
        return web.Response(
            headers={
                "Content-Length": str(len(content)),
                "Content-MD5": base64.b64encode(hashlib.md5(content).digest()).decode(),
                "ETag": '"0x1"',
            }
        )

    async def put(self, request):
        refused = self.refused(request)
        if refused:
            return refused
        name = request.match_info["name"]
        kind = request.query.get("comp", "")
        if kind == "block":
            return await self.put_block(request, name)
        # If the connection breaks, this raises and nothing is stored.
        content = await request.read()
        place = self.place(name)
        if request.headers.get("If-None-Match") == "*" and place.exists():
            return refusal(409, "BlobAlreadyExists")
        if kind == "blocklist":
            return self.commit(request, name, content)
        self.note(f"blob {name} {len(content)}")
        if request.headers.get("x-ms-blob-type") != "BlockBlob":
            return refusal(400, "MissingRequiredHeader")
        sum = base64.b64encode(hashlib.md5(content).digest()).decode()
        if request.headers.get("Content-MD5", sum) != sum:
            return refusal(400, "Md5Mismatch")
        self.uncommitted.pop(name, None)
        self.committed[name] = []
        place.write_bytes(content)
        if self.once(name, "lost"):
            request.transport.close()
        return web.Response(status=201, headers={"ETag": '"0x1"', "Content-MD5": sum})

    async def put_block(self, request, name):
        block = request.query.get("blockid", "")
        try:
            if not 0 < len(base64.b64decode(block, validate=True)) <= 64:
                return refusal(400, "InvalidQueryParameterValue")
        except binascii.Error:
            return refusal(400, "InvalidQueryParameterValue")
        blocks = self.uncommitted.setdefault(name, {})
        if any(len(other) != len(block) for other in blocks) or request.content_length > VERSION_LIMIT:
            return refusal(400, "InvalidBlobOrBlock")
        content = await request.read()
        self.note(f"block {name} {len(content)}")
        sum = base64.b64encode(hashlib.md5(content).digest()).decode()
        if request.headers.get("Content-MD5", sum) != sum or self.once(f"{block}/{name}", "torn"):
            return refusal(400, "Md5Mismatch")
        blocks[block] = content
        return web.Response(status=201, headers={"Content-MD5": sum})

    def commit(self, request, name, content):
        self.note(f"commit {name}")
        known = dict(self.committed.get(name, []))
        known.update(self.uncommitted.get(name, {}))
        ids = [entry.text for entry in ElementTree.fromstring(content)]
        if any(block not in known for block in ids):
            return refusal(400, "InvalidBlockList")
        self.committed[name] = [(block, known[block]) for block in ids]
        self.uncommitted.pop(name, None)
        self.place(name).write_bytes(b"".join(known[block] for block in ids))
        if "x-ms-blob-content-md5" in request.headers:
            self.note(f"md5 {request.headers['x-ms-blob-content-md5']}")
        if self.once(name, "lost"):
            request.transport.close()
        return web.Response(status=201, headers={"ETag": '"0x1"'})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listener = listen(sys.argv[1])
    port = listener.getsockname()[1]
    container = Container(sys.argv[2])
    app = web.Application(client_max_size=1 << 30)
    app.on_response_prepare.append(name_request)
    app.router.add_get("/container", container.list)
    app.router.add_route("HEAD", "/container/{name:.+}", container.head)
    app.router.add_get("/container/{name:.+}", container.get, allow_head=False)
    app.router.add_put("/container/{name:.+}", container.put)
    web.run_app(app, sock=listener, print=lambda *_: print(f"ready {port}", flush=True), shutdown_timeout=1)


if __name__ == "__main__":
    main()
