"""A stand-in for Microsoft Graph's upload sessions that follows its documentation. It contains none of their code.

usage: graph_server.py PORT DIR

POST /v1.0/me/drive/root:/PATH:/createUploadSession with "Authorization: Bearer token" makes a session at /up/ID of the
requested host. Files are in DIR/files/PATH; DIR/log has a line for each request. Prints "ready PORT" once it
listens; port 0 takes a free one. Ends on SIGTERM.

As documented (driveItem: createUploadSession, driveItem: uploadContent): a session refuses an Authorization field with
401, ranges that are not in order or are stored already with 416, ranges other than the last that are no multiple of
320 KiB and those of 60 MiB and more with 400; a broken request is discarded; a finished or deleted session is 404;
conflictBehavior is fail, replace or rename. The first last range of a file named "lost…" gets no response; for a file
named "lost unknown…" the server reports no digest that clients can compute.
"""

import hashlib
import json
import pathlib
import re
import sys
import uuid

from aiohttp import web

from listening import listen

FRAGMENT = 320 * 1024
LARGEST = 60 * 1024 * 1024
TOKEN = "Bearer token"


def refusal(status, code, message=""):
    body = {"error": {"code": code, "message": message, "innerError": {"request-id": "1"}}}
    return web.json_response(body, status=status)


class Drive:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.sessions = {}
        self.silenced = set()

    def note(self, text):
        with open(self.directory / "log", "a", encoding="utf-8") as log:
            log.write(text + "\n")

    def place(self, path, behavior):
        """Returns the path of the file to write; None if the conflict behavior forbids it."""
        place = self.directory / "files" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or behavior == "replace":
            return place
        if behavior == "fail":
            return None
        number = 1
        while place.with_name(f"{place.stem} {number}{place.suffix}").exists():
            number += 1
        return place.with_name(f"{place.stem} {number}{place.suffix}")

    def item(self, place, created):
        content = place.read_bytes()
        known = not place.name.startswith("lost unknown")
        hashes = {"sha256Hash": hashlib.sha256(content).hexdigest().upper()} if known else {"quickXorHash": "AA=="}
        return web.json_response(
            {
                "id": "01ABC",
                "name": place.name,
                "size": len(content),
                "eTag": '"{1}"',
                "webUrl": f"https://drive.example/{place.name}",
                "file": {"mimeType": "application/octet-stream", "hashes": hashes},
            },
            status=201 if created else 200,
        )

    async def root(self, request):
        if request.headers.get("Authorization") != TOKEN:
            return refusal(401, "InvalidAuthenticationToken")
        return web.json_response({"id": "root", "folder": {}})

    async def look(self, request):
        if request.headers.get("Authorization") != TOKEN:
            return refusal(401, "InvalidAuthenticationToken")
        place = self.directory / "files" / request.match_info["path"]
        return self.item(place, False) if place.is_file() else refusal(404, "itemNotFound")

    async def content(self, request):
        if request.headers.get("Authorization") != TOKEN:
            return refusal(401, "InvalidAuthenticationToken")
        behavior = request.query.get("@microsoft.graph.conflictBehavior", "replace")
        place = self.place(request.match_info["path"], behavior)
        if place is None:
            return refusal(409, "nameAlreadyExists", "An item with the same name already exists")
        created = not place.exists()
        place.write_bytes(await request.read())
        return self.item(place, created)

    async def create(self, request):
        self.note("create")
        if request.headers.get("Authorization") != TOKEN:
            return refusal(401, "InvalidAuthenticationToken")
        item = (await request.json()).get("item", {}) if request.can_read_body else {}
        behavior = item.get("@microsoft.graph.conflictBehavior", "fail")
        if self.place(request.match_info["path"], behavior) is None:
            return refusal(409, "nameAlreadyExists", "An item with the same name already exists")
        name = uuid.uuid4().hex
        self.sessions[name] = (request.match_info["path"], behavior, bytearray())
        return web.json_response(
            {
                "uploadUrl": f"http://{request.headers['Host']}/up/{name}",
                "expirationDateTime": "2099-01-29T09:21:55.523Z",
                "nextExpectedRanges": ["0-"],
            }
        )

    def session(self, request):
        """Returns the session of a request, or the response that refuses the request."""
        if "Authorization" in request.headers:
            return None, refusal(401, "unauthenticated", "no Authorization here")
        session = self.sessions.get(request.match_info["id"])
        return session, None if session else refusal(404, "itemNotFound")

    async def status(self, request):
        self.note("ask")
        session, refused = self.session(request)
        if refused:
            return refused
        return web.json_response(
            {"expirationDateTime": "2099-01-29T09:21:55Z", "nextExpectedRanges": [f"{len(session[2])}-"]}
        )

    async def delete(self, request):
        self.note("delete")
        session, refused = self.session(request)
        if refused:
            return refused
        del self.sessions[request.match_info["id"]]
        return web.Response(status=204)

    async def put(self, request):
        content_range = request.headers.get("Content-Range", "")
        self.note(f"put {content_range}")
        session, refused = self.session(request)
        if refused:
            return refused
        path, behavior, held = session
        found = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", content_range)
        if not found:
            return refusal(400, "invalidRequest", "The Content-Range header is missing or malformed.")
        first, last, total = map(int, found.groups())
        length = last - first + 1
        if length >= LARGEST or last >= total or (last + 1 < total and length % FRAGMENT):
            return refusal(400, "invalidRequest", "fragment")
        if first != len(held):
            return refusal(416, "invalidRange", "fragmentOverlap" if first < len(held) else "fragmentOutOfOrder")
        # If the connection breaks, this raises and nothing is stored.
        content = await request.read()
        if len(content) != length or first != len(held):
            return refusal(400, "invalidRequest", "length")
        held += content
        if len(held) < total:
            return web.json_response(
                {"expirationDateTime": "2099-01-29T09:21:55Z", "nextExpectedRanges": [f"{len(held)}-"]}, status=202
            )
        place = self.place(path, behavior)
        if place is None:
            return refusal(409, "nameAlreadyExists", "An item with the same name already exists")
        created = not place.exists()
        place.write_bytes(held)
        del self.sessions[request.match_info["id"]]
        if place.name.startswith("lost") and path not in self.silenced:
            self.silenced.add(path)
            request.transport.close()
        return self.item(place, created)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listener = listen(sys.argv[1])
    port = listener.getsockname()[1]
    drive = Drive(sys.argv[2])
    app = web.Application(client_max_size=1 << 30)
    base = "/v1.0/me/drive/root"
    app.router.add_get(base, drive.root)
    app.router.add_post(base + ":/{path:.+}:/createUploadSession", drive.create)
    app.router.add_put(base + ":/{path:.+}:/content", drive.content)
    app.router.add_get(base + ":/{path:.+}", drive.look)
    app.router.add_put("/up/{id}", drive.put)
    app.router.add_get("/up/{id}", drive.status)
    app.router.add_delete("/up/{id}", drive.delete)
    web.run_app(app, sock=listener, print=lambda *_: print(f"ready {port}", flush=True), shutdown_timeout=1)


if __name__ == "__main__":
    main()
