"""Looks into an S3 server that checks no signatures.

usage: s3_contents.py PORT BUCKET make         makes the bucket
       s3_contents.py PORT BUCKET objects      a line of JSON for each object: key, sha256
       s3_contents.py PORT BUCKET unfinished   a line of JSON for each upload that was begun and not ended: key
"""

import hashlib
import json
import sys

import boto3
from botocore.config import Config


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    _, port, bucket, what = sys.argv
    client = boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1", aws_access_key_id="test",
        aws_secret_access_key="test", config=Config(s3={"addressing_style": "path"}, proxies={}),
    )
    match what:
        case "make":
            client.create_bucket(Bucket=bucket)
        case "objects":
            for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket):
                for entry in page.get("Contents", []):
                    value = hashlib.sha256()
                    for piece in client.get_object(Bucket=bucket, Key=entry["Key"])["Body"].iter_chunks(1 << 20):
                        value.update(piece)
                    print(json.dumps({"key": entry["Key"], "sha256": value.hexdigest()}))
        case "unfinished":
            for page in client.get_paginator("list_multipart_uploads").paginate(Bucket=bucket):
                for entry in page.get("Uploads", []):
                    print(json.dumps({"key": entry["Key"]}))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
