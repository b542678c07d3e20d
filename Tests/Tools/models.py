"""Models of servers, one for each protocol. A model stores one upload and responds as the specification says.

Each model knows the expected file, so it can say whether it has received it. The models make no errors; `mutations`
adds errors to their responses.
"""

import base64
import hashlib
import json
import re

from exchange import Answer


class Model:
    #: The path after the server's origin.
    address = "/in/"

    def __init__(self, origin, name, content):
        self.origin = origin
        self.name = name
        self.content = content
        #: The stored content of the file; None if there is no file.
        self.stored = None

    @property
    def holds_file(self):
        return self.stored == self.content

    def tag(self, content):
        return f'"{hashlib.md5(content).hexdigest()}"'

    def is_open(self, request):
        """Returns True for a URL that is itself a secret. Such a server needs no further authentication."""
        return False

    def answer(self, request):
        found = getattr(self, request.method.lower(), None)
        return found(request) if found else Answer(405, [("Allow", "GET, HEAD, PUT")])

    def head(self, request):
        if self.stored is None:
            return Answer(404, is_about_body=True)
        fields = [("Content-Length", str(len(self.stored))), ("ETag", self.tag(self.stored))]
        return Answer(200, fields, is_about_body=True)

    def options(self, request):
        return Answer(204, [("Allow", "OPTIONS, HEAD, PUT, POST")])


class Put(Model):
    def put(self, request):
        if not request.is_whole:
            return Answer(400)
        made = self.stored is None
        self.stored = request.body
        return Answer(201 if made else 204, [("ETag", self.tag(self.stored))])


class Post(Model):
    address = "/in"

    def post(self, request):
        if not request.is_whole:
            return Answer(400)
        self.stored = self.file(request)
        return Answer(
            201, [("Location", f"/files/{self.name}"), ("Content-Type", "application/json")],
            json.dumps({"files": [{"url": f"{self.origin}/files/{self.name}"}]}).encode())

    def file(self, request):
        return request.body


class Form(Post):
    def file(self, request):
        found = re.search(r'boundary="?([^";]+)', request.fields.get("content-type", ""))
        if not found:
            return None
        for part in request.body.split(b"--" + found[1].encode()):
            head, _, rest = part.partition(b"\r\n\r\n")
            if b"filename" in head:
                return rest[:-2]
        return None


class Tus(Model):
    address = "/files/"
    common = [("Tus-Resumable", "1.0.0")]

    def __init__(self, *words):
        super().__init__(*words)
        #: By number: the declared length (None if it comes later), the received bytes, and whether it is partial.
        self.uploads = {}

    def options(self, request):
        return Answer(
            204, self.common + [
                ("Tus-Version", "1.0.0"), ("Tus-Max-Size", str(1 << 40)), ("Tus-Checksum-Algorithm", "sha1,sha256"),
                ("Tus-Extension", ",".join([
                    "creation", "creation-with-upload", "termination", "expiration", "checksum",
                    "creation-defer-length", "concatenation",
                ])),
            ])

    def upload(self, request):
        return self.uploads.get(request.path.rsplit("/", 1)[-1])

    def post(self, request):
        number = str(len(self.uploads))
        kind, _, parts = request.fields.get("upload-concat", "").partition(";")
        if kind == "final":
            joined = [self.uploads.get(part.rsplit("/", 1)[-1]) for part in parts.split()]
            if any(part is None or part[0] != len(part[1]) for part in joined):
                return Answer(400, self.common)
            content = b"".join(part[1] for part in joined)
            self.uploads[number] = [len(content), content, False]
        else:
            length = request.fields.get("upload-length")
            self.uploads[number] = [int(length) if length else None, request.body, kind == "partial"]
        self.finish(self.uploads[number])
        return Answer(
            201, self.common + [
                ("Upload-Offset", str(len(self.uploads[number][1]))), ("Location", f"{self.origin}/files/{number}"),
                ("Upload-Expires", "Fri, 01 Jan 2100 00:00:00 GMT"),
            ])

    def finish(self, upload):
        if upload[0] == len(upload[1]) and not upload[2]:
            self.stored = upload[1]

    def state(self, upload):
        fields = self.common + [("Upload-Offset", str(len(upload[1]))), ("Cache-Control", "no-store")]
        if upload[2]:
            fields.append(("Upload-Concat", "partial"))
        fields.append(("Upload-Defer-Length", "1") if upload[0] is None else ("Upload-Length", str(upload[0])))
        return fields

    def head(self, request):
        upload = self.upload(request)
        if not upload:
            return Answer(404, self.common, is_about_body=True)
        return Answer(200, self.state(upload), is_about_body=True)

    def patch(self, request):
        upload = self.upload(request)
        if not upload:
            return Answer(404, self.common)
        if request.fields.get("upload-offset") != str(len(upload[1])):
            return Answer(409, self.state(upload))
        if length := request.fields.get("upload-length"):
            upload[0] = int(length)
        # The received part of a broken body is kept, as tusd does.
        upload[1] += request.body
        self.finish(upload)
        return Answer(204, self.state(upload))

    def delete(self, request):
        gone = self.uploads.pop(request.path.rsplit("/", 1)[-1], None)
        return Answer(204 if gone else 404, self.common)


class Resumable(Model):
    """A server of draft-ietf-httpbis-resumable-upload, interop version 8 or the requested one."""

    def __init__(self, *words):
        super().__init__(*words)
        self.uploads = {}

    def common(self, request):
        version = request.fields.get("upload-draft-interop-version", "8")
        return [("Upload-Draft-Interop-Version", version), ("Upload-Limit", "max-size=1099511627776")]

    def options(self, request):
        return Answer(204, self.common(request) + [("Allow", "OPTIONS, POST, PUT")])

    def create(self, request):
        number = str(len(self.uploads))
        self.uploads[number] = [request.body, False]
        fields = self.common(request) + [("Location", f"{self.origin}/up/{number}")]
        return self.close(request, self.uploads[number], fields, 201)

    put = post = create

    def close(self, request, upload, fields, status):
        complete = request.fields.get("upload-complete") == "?1" and request.is_whole
        if complete:
            upload[1] = True
            self.stored = upload[0]
        fields = fields + [("Upload-Complete", "?1" if complete else "?0"), ("Upload-Offset", str(len(upload[0])))]
        return Answer(200 if complete else status, fields)

    def head(self, request):
        upload = self.uploads.get(request.path.rsplit("/", 1)[-1])
        if not upload:
            return Answer(404, self.common(request), is_about_body=True)
        fields = [
            ("Upload-Offset", str(len(upload[0]))), ("Upload-Complete", "?1" if upload[1] else "?0"),
            ("Upload-Length", str(len(self.content))), ("Cache-Control", "no-store"),
        ]
        return Answer(204, self.common(request) + fields, is_about_body=True)

    def patch(self, request):
        upload = self.uploads.get(request.path.rsplit("/", 1)[-1])
        if not upload:
            return Answer(404, self.common(request))
        if upload[1] or request.fields.get("upload-offset") != str(len(upload[0])):
            kind = "completed-upload" if upload[1] else "mismatching-upload-offset"
            problem = {
                "type": f"https://iana.org/assignments/http-problem-types#{kind}",
                "expected-offset": len(upload[0]), "provided-offset": 0,
            }
            fields = [("Content-Type", "application/problem+json"), ("Upload-Offset", str(len(upload[0])))]
            return Answer(409, self.common(request) + fields, json.dumps(problem).encode())
        upload[0] += request.body
        return self.close(request, upload, self.common(request), 204)

    def delete(self, request):
        gone = self.uploads.pop(request.path.rsplit("/", 1)[-1], None)
        return Answer(204 if gone else 404, self.common(request))


def xml(text, status=200, fields=()):
    return Answer(
        status, [("Content-Type", "application/xml"), *fields],
        ('<?xml version="1.0" encoding="UTF-8"?>\n' + text).encode())


class S3(Model):
    address = "/bucket/"

    def __init__(self, *words):
        super().__init__(*words)
        self.uploads = {}

    def error(self, status, code):
        return xml(f"<Error><Code>{code}</Code><Message>{code}</Message></Error>", status)

    def put(self, request):
        query = request.query
        if not request.is_whole:
            return self.error(400, "IncompleteBody")
        body = self.payload(request)
        if "uploadId" in query:
            parts = self.uploads.get(query["uploadId"])
            if parts is None:
                return self.error(404, "NoSuchUpload")
            parts[int(query["partNumber"])] = body
        else:
            self.stored = body
        return Answer(200, [("ETag", self.tag(body))])

    def payload(self, request):
        if "aws-chunked" not in request.fields.get("content-encoding", ""):
            return request.body
        content, rest = b"", request.body
        while rest:
            line, _, rest = rest.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            if not size:
                break
            content, rest = content + rest[:size], rest[size + 2:]
        return content

    def post(self, request):
        query = request.query
        if "uploads" in query:
            number = f"upload-{len(self.uploads)}"
            self.uploads[number] = {}
            return xml(
                "<InitiateMultipartUploadResult><Bucket>bucket</Bucket>"
                f"<Key>{self.name}</Key><UploadId>{number}</UploadId></InitiateMultipartUploadResult>")
        parts = self.uploads.get(query.get("uploadId", ""))
        if parts is None:
            return self.error(404, "NoSuchUpload")
        wanted = [int(number) for number in re.findall(rb"<PartNumber>(\d+)<", request.body)]
        if not request.is_whole or any(number not in parts for number in wanted):
            return self.error(400, "InvalidPart")
        self.stored = b"".join(parts[number] for number in wanted)
        sums = b"".join(hashlib.md5(parts[number]).digest() for number in wanted)
        tag = f"&quot;{hashlib.md5(sums).hexdigest()}-{len(wanted)}&quot;"
        del self.uploads[query["uploadId"]]
        self.tagged = tag.replace("&quot;", '"')
        return xml(f"<CompleteMultipartUploadResult><ETag>{tag}</ETag></CompleteMultipartUploadResult>")

    def head(self, request):
        answer = super().head(request)
        if self.stored is not None and hasattr(self, "tagged"):
            answer.fields[1] = ("ETag", self.tagged)
        return answer

    def get(self, request):
        parts = self.uploads.get(request.query.get("uploadId", ""))
        if parts is None:
            return self.error(404, "NoSuchUpload")
        listed = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>{self.tag(part)}</ETag><Size>{len(part)}</Size></Part>"
            for number, part in sorted(parts.items()))
        return xml(
            f"<ListPartsResult><UploadId>{request.query['uploadId']}</UploadId>"
            f"<IsTruncated>false</IsTruncated>{listed}</ListPartsResult>")

    def delete(self, request):
        gone = self.uploads.pop(request.query.get("uploadId", ""), None)
        return Answer(204) if gone is not None else self.error(404, "NoSuchUpload")


def multistatus(entries):
    """Returns a multistatus response for pairs of path and size. The size of a folder is None."""
    responses = "".join(
        f"<d:response><d:href>{path}</d:href><d:propstat><d:prop>"
        + ("<d:resourcetype><d:collection/></d:resourcetype>" if size is None
           else f"<d:resourcetype/><d:getcontentlength>{size}</d:getcontentlength>")
        + "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        for path, size in entries)
    return xml(f'<d:multistatus xmlns:d="DAV:">{responses}</d:multistatus>', 207)


class WebDAV(Model):
    address = "/dav/"

    def __init__(self, *words):
        super().__init__(*words)
        self.files = {}
        self.folders = {"/", "/dav/"}

    @property
    def place(self):
        return self.address + self.name

    @property
    def stored(self):
        return self.files.get(self.place)

    @stored.setter
    def stored(self, content):
        pass

    def options(self, request):
        return Answer(200, [("DAV", "1, 2"), ("Allow", "OPTIONS, PROPFIND, PUT, MKCOL, MOVE, DELETE, HEAD")])

    def propfind(self, request):
        path = request.path
        if path in self.files:
            return multistatus([(path, len(self.files[path]))])
        folder = path.rstrip("/") + "/"
        return multistatus([(folder, None)]) if folder in self.folders else Answer(404)

    def head(self, request):
        if request.path not in self.files:
            return Answer(404, is_about_body=True)
        return Answer(200, [("Content-Length", str(len(self.files[request.path])))], is_about_body=True)

    def put(self, request):
        if not request.is_whole:
            return Answer(400)
        if found := re.match(r"bytes (\d+)-", request.fields.get("content-range", "")):
            held = self.files.get(request.path, b"")
            self.files[request.path] = held[:int(found[1])] + request.body
        else:
            self.files[request.path] = request.body
        return Answer(201)

    def mkcol(self, request):
        if request.path in self.folders:
            return Answer(405)
        self.folders.add(request.path)
        return Answer(201)

    def move(self, request):
        target = re.sub(r"^https?://[^/]*", "", request.fields.get("destination", ""))
        if request.path not in self.files:
            return Answer(404)
        if target in self.files and request.fields.get("overwrite") == "F":
            return Answer(412)
        self.files[target] = self.files.pop(request.path)
        return Answer(201)

    def delete(self, request):
        return Answer(204 if self.files.pop(request.path, None) is not None else 404)


class Nextcloud(WebDAV):
    address = "/remote.php/dav/files/ann/"
    uploads = "/remote.php/dav/uploads/ann/"

    def __init__(self, *words):
        super().__init__(*words)
        self.folders = {self.address, self.uploads}

    def propfind(self, request):
        path = request.path
        if path.startswith(self.uploads) and path in self.folders:
            chunks = [(place, len(chunk)) for place, chunk in self.files.items() if place.startswith(path)]
            return multistatus([(path, None), *chunks])
        return super().propfind(request)

    def put(self, request):
        folder = request.path.rsplit("/", 1)[0] + "/"
        return super().put(request) if folder in self.folders else Answer(404)

    def move(self, request):
        folder = request.path.rsplit("/", 1)[0] + "/"
        if not request.path.endswith("/.file") or folder not in self.folders:
            return super().move(request)
        chunks = [place for place in self.files if place.startswith(folder)]
        chunks.sort(key=lambda place: int(re.sub(r"\D", "", place.rsplit("/", 1)[1]) or 0))
        whole = b"".join(self.files.pop(place) for place in chunks)
        if request.fields.get("oc-total-length", str(len(whole))) != str(len(whole)):
            return Answer(400)
        self.folders.discard(folder)
        self.files[re.sub(r"^https?://[^/]*", "", request.fields.get("destination", ""))] = whole
        return Answer(201)

    def delete(self, request):
        if request.path in self.folders:
            self.folders.discard(request.path)
            self.files = {place: held for place, held in self.files.items() if not place.startswith(request.path)}
            return Answer(204)
        return super().delete(request)


def object_answer(status, document):
    return Answer(status, [("Content-Type", "application/json")], json.dumps(document).encode())


class Google(Model):
    address = "/upload/storage/v1/b/bkt/o?uploadType=resumable"

    def __init__(self, *words):
        super().__init__(*words)
        self.sessions = {}

    def is_open(self, request):
        return "upload_id" in request.query

    def document(self):
        return {
            "name": self.name, "size": str(len(self.stored)), "bucket": "bkt", "etag": "CAE=",
            "md5Hash": base64.b64encode(hashlib.md5(self.stored).digest()).decode(),
        }

    def post(self, request):
        number = str(len(self.sessions))
        self.sessions[number] = b""
        return Answer(200, [("Location", f"{self.origin}/upload/storage/v1/b/bkt/o?upload_id={number}")])

    def put(self, request):
        number = request.query.get("upload_id")
        if number not in self.sessions:
            return Answer(404)
        held = self.sessions[number]
        found = re.match(r"bytes (\*|(\d+)-(\d+))/(\d+|\*)", request.fields.get("content-range", ""))
        if found and found[2] is not None:
            first = int(found[2])
            if first > len(held):
                return Answer(400)
            held = held[:first] + request.body
        elif not found:
            held = request.body
        self.sessions[number] = held
        total = found[4] if found else str(len(held))
        if total == str(len(held)) and request.is_whole:
            self.stored = held
            return object_answer(200, self.document())
        return Answer(308, [("Range", f"bytes=0-{len(held) - 1}")] if held else [])

    def get(self, request):
        return object_answer(200, self.document()) if self.stored is not None else Answer(404)

    def delete(self, request):
        return Answer(499 if self.sessions.pop(request.query.get("upload_id"), None) is not None else 404)


class Graph(Model):
    address = "/v1.0/me/drive/root:/in/{name}:/createUploadSession"

    def __init__(self, *words):
        super().__init__(*words)
        self.sessions = {}

    def is_open(self, request):
        return request.path.startswith("/up/")

    def item(self, status):
        return object_answer(status, {
            "id": "1", "name": self.name, "size": len(self.stored), "eTag": '"1"', "webUrl": "https://drive.example/1",
            "file": {"hashes": {"sha256Hash": hashlib.sha256(self.stored).hexdigest().upper()}},
        })

    def state(self, number, status):
        held = len(self.sessions[number])
        return object_answer(status, {
            "uploadUrl": f"{self.origin}/up/{number}", "expirationDateTime": "2099-01-29T09:21:55Z",
            "nextExpectedRanges": [f"{held}-"],
        })

    def post(self, request):
        number = str(len(self.sessions))
        self.sessions[number] = b""
        return self.state(number, 200)

    def put(self, request):
        if request.path.endswith("/content"):
            self.stored = request.body
            return self.item(201)
        number = request.path.rsplit("/", 1)[-1]
        found = re.match(r"bytes (\d+)-(\d+)/(\d+)", request.fields.get("content-range", ""))
        if number not in self.sessions:
            return object_answer(404, {"error": {"code": "itemNotFound"}})
        if not found or not request.is_whole or int(found[1]) != len(self.sessions[number]):
            return object_answer(416, {"error": {"code": "invalidRange"}})
        self.sessions[number] += request.body
        if len(self.sessions[number]) < int(found[3]):
            return self.state(number, 202)
        self.stored = self.sessions.pop(number)
        return self.item(201)

    def get(self, request):
        number = request.path.rsplit("/", 1)[-1]
        if request.path.startswith("/up/"):
            return self.state(number, 200) if number in self.sessions else Answer(404)
        return self.item(200) if self.stored is not None else Answer(404)

    def delete(self, request):
        return Answer(204 if self.sessions.pop(request.path.rsplit("/", 1)[-1], None) is not None else 404)


class Azure(Model):
    address = "/container/?sig=secret"

    def __init__(self, *words):
        super().__init__(*words)
        self.blocks = {}

    def put(self, request):
        if not request.is_whole:
            return Answer(400)
        comp = request.query.get("comp")
        if comp == "block":
            self.blocks[request.query["blockid"]] = request.body
        elif comp == "blocklist":
            wanted = re.findall(rb"<(?:Latest|Uncommitted|Committed)>([^<]*)<", request.body)
            names = [name.decode() for name in wanted]
            if any(name not in self.blocks for name in names):
                return xml("<Error><Code>InvalidBlockList</Code></Error>", 400)
            self.stored = b"".join(self.blocks[name] for name in names)
        else:
            self.stored = request.body
        return Answer(201, [("ETag", '"0x1"')])

    def get(self, request):
        listed = "".join(
            f"<Block><Name>{name}</Name><Size>{len(block)}</Size></Block>" for name, block in self.blocks.items())
        return xml(f"<BlockList><UncommittedBlocks>{listed}</UncommittedBlocks></BlockList>")
