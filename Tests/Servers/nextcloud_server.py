"""A server with Nextcloud's WebDAV addresses and its chunked upload, version 2, at http://127.0.0.1:PORT/.

usage: nextcloud_server.py PORT DIR

It is no Nextcloud, but a stand-in that follows its developer manual ("Chunked file upload"). Files of the user
ann are in DIR/files, unfinished uploads in DIR/uploads. Prints "ready PORT" once it listens; port 0 takes a free one.
Ends on SIGTERM.
"""

import email.utils
import hashlib
import http.server
import pathlib
import shutil
import signal
import sys
import tempfile
import urllib.parse
from xml.sax.saxutils import escape

from listening import listen

FILES = "/remote.php/dav/files/ann/"
UPLOADS = "/remote.php/dav/uploads/ann/"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root = pathlib.Path()

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def place(self, url):
        """Return the path on disk of a URL; None if there is none."""
        path = urllib.parse.unquote(urllib.parse.urlsplit(url).path)
        for prefix, folder in ((FILES, "files"), (UPLOADS, "uploads")):
            if path.startswith(prefix) and ".." not in path:
                return self.root / folder / path[len(prefix):]
        return None

    def is_upload(self):
        return self.path.startswith(UPLOADS)

    def dispatch(self):
        place = self.place(self.path)
        if place is None:
            self.close_connection = True
            return self.answer(404)
        getattr(self, self.command.lower())(place)

    do_OPTIONS = do_PROPFIND = do_MKCOL = do_PUT = do_MOVE = do_DELETE = do_PATCH = dispatch

    def options(self, place):
        self.answer(200, DAV="1, 3, extended-mkcol, oc-resource-sharing, nextcloud-checksum-update")

    def propfind(self, place):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not place.exists():
            return self.answer(404)
        entries = [(self.path, place)]
        if self.headers.get("Depth") == "1" and place.is_dir():
            base = self.path.rstrip("/") + "/"
            entries += [(base + urllib.parse.quote(each.name), each) for each in place.iterdir()]
        body = "".join(self.response(href, each) for href, each in entries)
        body = f'<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:">{body}</d:multistatus>'
        self.answer(207, body.encode(), Content_Type="application/xml; charset=utf-8")

    @staticmethod
    def response(href, place):
        if place.is_dir():
            properties = "<d:resourcetype><d:collection/></d:resourcetype>"
        else:
            properties = f"<d:getcontentlength>{place.stat().st_size}</d:getcontentlength><d:resourcetype/>"
        modified = email.utils.formatdate(place.stat().st_mtime, usegmt=True)
        properties += f"<d:getlastmodified>{modified}</d:getlastmodified>"
        return (f"<d:response><d:href>{escape(href)}</d:href><d:propstat><d:prop>{properties}</d:prop>"
                "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>")

    def mkcol(self, place):
        if place.exists():
            return self.answer(405)
        if self.is_upload() and "Destination" not in self.headers:
            return self.answer(400)
        if not place.parent.is_dir():
            return self.answer(409)
        place.mkdir()
        self.answer(201)

    def put(self, place):
        if not place.parent.is_dir():
            self.close_connection = True
            return self.answer(404 if self.is_upload() else 409)
        if self.headers.get("If-None-Match") == "*" and place.exists():
            self.close_connection = True
            return self.answer(412)
        if self.is_upload() and not (
            {"Destination", "OC-Total-Length"} <= set(self.headers) and 1 <= int(place.name) <= 10_000
        ):
            self.close_connection = True
            return self.answer(400)
        left = int(self.headers["Content-Length"])
        # A broken request leaves nothing behind.
        with tempfile.NamedTemporaryFile(dir=self.root, delete=False) as part:
            while left and (piece := self.rfile.read(min(left, 1 << 16))):
                part.write(piece)
                left -= len(piece)
        part = pathlib.Path(part.name)
        if left:
            part.unlink()
            self.close_connection = True
            return None
        isNew = not place.exists()
        part.rename(place)
        return self.answer(201 if isNew else 204)

    def move(self, place):
        target = self.place(self.headers["Destination"])
        if place.name != ".file" or not place.parent.is_dir():
            return self.answer(404)
        if target.exists() and self.headers.get("Overwrite") == "F":
            return self.answer(412)
        chunks = sorted((each for each in place.parent.iterdir()), key=lambda each: int(each.name))
        if sum(each.stat().st_size for each in chunks) != int(self.headers["OC-Total-Length"]):
            return self.answer(400)
        isNew = not target.exists()
        with open(target, "wb") as whole:
            for chunk in chunks:
                whole.write(chunk.read_bytes())
        shutil.rmtree(place.parent)
        return self.answer(201 if isNew else 204)

    def delete(self, place):
        if not place.exists():
            return self.answer(404)
        shutil.rmtree(place) if place.is_dir() else place.unlink()
        return self.answer(204)

    def patch(self, place):
        name = self.headers.get("X-Recalculate-Hash", "")
        if name not in ("md5", "sha1", "sha256"):
            return self.answer(400)
        digest = hashlib.new(name, place.read_bytes()).hexdigest()
        return self.answer(204, OC_Checksum=f"{name.upper()}:{digest}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Handler.root = pathlib.Path(sys.argv[2])
    for name in ("files", "uploads"):
        (Handler.root / name).mkdir(exist_ok=True)
    listener = listen(sys.argv[1])
    port = listener.getsockname()[1]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"ready {port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
