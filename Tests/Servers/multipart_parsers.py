"""Parses multipart/form-data bodies with several real parsers.

usage: multipart_parsers.py DIR

DIR/cases.json: [{"body": a file of DIR, "type": the request's Content-Type}...]. Prints one JSON object on one line:
  {"parsers": {PARSER: version...}, "results": [{PARSER: PARTS or {"error": text}}...]}
with a result for each case, in order. PARTS is what the parser found, in order:
  [{"name", "filename" (null in a field), "type" (absent if the parser does not report it), "content" in Base64}...]
Node's own parser is included if the program node is installed.
"""

import asyncio
import base64
import email
import email.policy
import io
import json
import pathlib
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version

import aiohttp
import aiohttp.base_protocol
import multipart
import starlette.datastructures
import starlette.formparsers
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

LARGE = 1 << 30


def part(name, filename, content, **more):
    return {"name": name, "filename": filename, "content": base64.b64encode(content).decode(), **more}


def boundary(content_type):
    return multipart.parse_options_header(content_type)[1]["boundary"]


def werkzeug(content_type, body):
    decoder = MultipartDecoder(boundary(content_type).encode(), max_form_memory_size=None)
    decoder.receive_data(body)
    decoder.receive_data(None)
    parts, head, content = [], None, b""
    while not isinstance(event := decoder.next_event(), Epilogue):
        if isinstance(event, NeedData):
            raise ValueError("the body ended early")
        if isinstance(event, (Field, File)):
            head, content = event, b""
        elif isinstance(event, Data):
            content += event.data
            if not event.more_data:
                parts.append(part(head.name, getattr(head, "filename", None), content,
                                  type=head.headers.get("content-type")))
    return parts


def starlette_parser(content_type, body):
    async def chunks():
        for start in range(0, len(body), 65536):
            yield body[start:start + 65536]

    async def parse():
        headers = starlette.datastructures.Headers({"content-type": content_type})
        parser = starlette.formparsers.MultiPartParser(headers, chunks(), max_part_size=LARGE)
        parts = []
        for name, value in (await parser.parse()).multi_items():
            if isinstance(value, str):
                parts.append(part(name, None, value.encode()))
            else:
                parts.append(part(name, value.filename, await value.read(), type=value.content_type))
        return parts

    return asyncio.run(parse())


def defnull(content_type, body):
    parser = multipart.MultipartParser(io.BytesIO(body), boundary(content_type), len(body), strict=True,
                                       part_limit=LARGE, disk_limit=LARGE, memory_limit=LARGE,
                                       buffer_size=65536)
    return [part(found.name, found.filename, found.raw, type=dict(found.headerlist).get("Content-Type"))
            for found in parser]


def aiohttp_reader(content_type, body):
    async def parse():
        loop = asyncio.get_running_loop()
        stream = aiohttp.StreamReader(aiohttp.base_protocol.BaseProtocol(loop), LARGE, loop=loop)
        stream.feed_data(body)
        stream.feed_eof()
        reader = aiohttp.MultipartReader({"Content-Type": content_type}, stream)
        parts = []
        while (found := await reader.next()) is not None:
            content = bytes(await found.read())
            # A part with an empty file name is a field, as in aiohttp's Request.post().
            parts.append(part(found.name, found.filename or None, content,
                              type=found.headers.get("Content-Type")))
        return parts

    return asyncio.run(parse())


def mail(content_type, body):
    head = b"Content-Type: " + content_type.encode() + b"\r\n\r\n"
    message = email.message_from_bytes(head + body, policy=email.policy.HTTP)
    return [part(found.get_param("name", header="content-disposition"),
                 found.get_param("filename", header="content-disposition"), found.get_payload(decode=True),
                 type=found["Content-Type"])
            for found in message.iter_parts()]


PARSERS = {
    "werkzeug": (werkzeug, version("Werkzeug")),
    "python-multipart": (starlette_parser, f"{version('python-multipart')}, starlette {version('starlette')}"),
    "multipart": (defnull, version("multipart")),
    "aiohttp": (aiohttp_reader, aiohttp.__version__),
    "email": (mail, platform.python_version()),
}

NODE = r"""
const fs = require("fs"), [folder] = process.argv.slice(1);
const part = (name, filename, bytes, more) => ({ name, filename, content: bytes.toString("base64"), ...more });
const parse = async ({ body, type }) => {
    try {
        const bytes = fs.readFileSync(`${folder}/${body}`), parts = [];
        for (const [name, value] of await new Response(bytes, { headers: { "content-type": type } }).formData())
            parts.push(typeof value == "string" ? part(name, null, Buffer.from(value))
                : part(name, value.name, Buffer.from(await value.arrayBuffer()), { type: value.type }));
        return parts;
    } catch (error) { return { error: `${error}${error.cause ? `: ${error.cause}` : ""}` }; }
};
(async () => {
    const cases = JSON.parse(fs.readFileSync(`${folder}/cases.json`)), results = [];
    for (const each of cases) results.push(await parse(each));
    console.log(JSON.stringify({ version: process.version, results }));
})();
"""


def attempt(parse, *arguments):
    try:
        return parse(*arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main(directory):
    folder = pathlib.Path(directory)
    cases = json.loads((folder / "cases.json").read_text())
    versions = {name: version for name, (_, version) in PARSERS.items()}
    results = []
    for case in cases:
        body = (folder / case["body"]).read_bytes()
        results.append({name: attempt(parse, case["type"], body) for name, (parse, _) in PARSERS.items()})
    if shutil.which("node"):
        node = subprocess.run(["node", "-e", NODE, directory], stdout=subprocess.PIPE, check=True)
        answer = json.loads(node.stdout)
        versions["node"] = answer["version"]
        for result, parts in zip(results, answer["results"]):
            result["node"] = parts
    print(json.dumps({"parsers": versions, "results": results}))


main(sys.argv[1])
