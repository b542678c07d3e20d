"""A multipart/form-data server for tests: Werkzeug's parser at http://127.0.0.1:PORT/ (any path, POST or PUT).

usage: form_server.py PORT DIR

Each form is kept in DIR/N (N counts from 1): its files as part-0, part-1, ... and form.json, written last:
  {"method", "path", "headers": [[name, value]...], "fields": [[name, value]...],
   "files": [{"name", "filename", "type", "size", "sha256", "stored"}...]}
Fields and files are in the order sent. The answer is 201 with form.json; 400 if no form could be read.
Prints "ready PORT" once it listens; port 0 takes a free one. Ends on SIGTERM.
"""

import hashlib
import itertools
import json
import pathlib
import sys

from werkzeug.exceptions import BadRequest
from werkzeug.formparser import FormDataParser
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from listening import listen


class QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type, message, *args):
        pass


class Application:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.numbers = itertools.count(1)

    @Request.application
    def __call__(self, request):
        if request.method not in ("POST", "PUT"):
            return Response("send a form", 405, headers={"Allow": "POST, PUT"})
        folder = self.directory / str(next(self.numbers))
        folder.mkdir()
        stored = itertools.count()

        def open_part(total_content_length=None, filename=None, content_type=None, content_length=None):
            return open(folder / f"part-{next(stored)}", "w+b")

        parser = FormDataParser(stream_factory=open_part, max_form_memory_size=None, silent=False)
        try:
            _, fields, files = parser.parse_from_environ(request.environ)
        except ValueError as error:
            raise BadRequest(str(error)) from error
        if request.mimetype != "multipart/form-data":
            raise BadRequest("not multipart/form-data")
        form = {
            "method": request.method,
            "path": request.path,
            "headers": [[name, value] for name, value in request.headers.items()],
            "fields": [[name, value] for name, value in fields.items(multi=True)],
            "files": [self.describe(name, file) for name, file in files.items(multi=True)],
        }
        text = json.dumps(form, indent=1, ensure_ascii=False)
        (folder / "form.json").write_text(text, encoding="utf-8")
        return Response(text, 201, mimetype="application/json")

    @staticmethod
    def describe(name, file):
        stream = file.stream
        path = pathlib.Path(stream.name)
        stream.close()
        digest = hashlib.sha256()
        with open(path, "rb") as source:
            while piece := source.read(1 << 20):
                digest.update(piece)
        return {
            "name": name,
            "filename": file.filename,
            "type": file.content_type,
            "size": path.stat().st_size,
            "sha256": digest.hexdigest(),
            "stored": path.name,
        }


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listener = listen(int(sys.argv[1]))
    server = make_server(
        "127.0.0.1",
        listener.getsockname()[1],
        Application(sys.argv[2]),
        threaded=True,
        request_handler=QuietHandler,
        fd=listener.fileno(),
    )
    print(f"ready {listener.getsockname()[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
