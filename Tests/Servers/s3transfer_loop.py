"""Uploads files with boto3's s3transfer, as `aws s3 cp` does: parts of 8 MiB, ten at a time, each tried ten times.

usage: s3transfer_loop.py ENDPOINT BUCKET KNOWN FILE...

Uploaded files are recorded in the folder KNOWN. Of unfinished uploads nothing is recorded.
"""

import os
import pathlib
import sys

import boto3
from botocore.config import Config


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    endpoint, bucket, known, *files = sys.argv[1:]
    known = pathlib.Path(known)
    known.mkdir(exist_ok=True)
    client = boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test",
        config=Config(
            s3={"addressing_style": "path"}, proxies={}, connect_timeout=5, read_timeout=10,
            retries={"mode": "standard", "total_max_attempts": 10},
        ),
    )
    for file in files:
        name = os.path.basename(file)
        if not (known / name).exists():
            client.upload_file(file, bucket, name)
            (known / name).touch()


if __name__ == "__main__":
    main()
