"""A tus client for tests: tuspy uploads FILE as NAME to the creation URL.

usage: tuspy_client.py send URL FILE NAME CHUNK          all of it, in chunks of CHUNK bytes
       tuspy_client.py begin URL FILE NAME CHUNK SIZE    stops when SIZE bytes are sent
       tuspy_client.py resume UPLOAD FILE CHUNK          sends the rest to UPLOAD, the upload's URL

Prints the URL of the upload, and the offset from which it sent bytes.
"""

import sys

from tusclient.client import TusClient
from tusclient.uploader import Uploader


def main():
    match sys.argv[1:]:
        case ["send", url, file, name, chunk]:
            uploader, stop = made(url, file, name, chunk), None
        case ["begin", url, file, name, chunk, size]:
            uploader, stop = made(url, file, name, chunk), int(size)
        case ["resume", upload, file, chunk]:
            uploader, stop = Uploader(file_path=file, url=upload, chunk_size=int(chunk)), None
        case _:
            sys.exit(__doc__)
    start = uploader.offset
    uploader.upload(stop_at=stop)
    print(uploader.url, start)


def made(url, file, name, chunk):
    return TusClient(url).uploader(file_path=file, chunk_size=int(chunk), metadata={"filename": name})


if __name__ == "__main__":
    main()
