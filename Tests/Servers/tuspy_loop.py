"""Uploads files with tuspy and resumes after a break: URLs are stored in a file, as its documentation shows.

usage: tuspy_loop.py URL KNOWN FILE...

Each file is sent in chunks of 4 MiB, with a hundred retries a second apart. Uploaded files are recorded beside KNOWN.
"""

import os
import pathlib
import sys

from tusclient.client import TusClient
from tusclient.storage import filestorage


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    url, known, *files = sys.argv[1:]
    done = pathlib.Path(known + ".done")
    done.mkdir(exist_ok=True)
    client = TusClient(url)
    for file in files:
        name = os.path.basename(file)
        mark = done / name
        if mark.exists():
            continue
        uploader = client.uploader(
            file_path=file, chunk_size=4 << 20, metadata={"filename": name, "filetype": "x/y"},
            store_url=True, url_storage=filestorage.FileStorage(known), retries=100, retry_delay=1,
        )
        uploader.upload()
        mark.touch()


if __name__ == "__main__":
    main()
