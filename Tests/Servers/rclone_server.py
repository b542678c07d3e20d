"""The rclone of Tests/Servers/requirements.txt at http://127.0.0.1:PORT/, files below DIR/files.

usage: rclone_server.py PORT DIR

Serves WebDAV, and S3 with the keys `key` and `secret` if there is a file DIR/s3; each folder of DIR/files is a bucket then.
Prints "ready PORT" once it listens. Ends on SIGTERM.
"""

import os
import sys

import child


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    port, folder = int(sys.argv[1]), os.path.abspath(sys.argv[2])
    files = os.path.join(folder, "files")
    os.makedirs(os.path.join(files, "bucket") if os.path.exists(os.path.join(folder, "s3")) else files, exist_ok=True)
    kind = ["s3", "--auth-key", "key,secret"] if os.path.exists(os.path.join(folder, "s3")) else ["webdav"]
    child.serve(
        [os.path.join(os.path.dirname(sys.executable), "rclone"), "serve", *kind, "--config", os.devnull,
         "--cache-dir", os.path.join(folder, "cache"), "--addr", f"127.0.0.1:{port}", "--dir-cache-time", "0s", files],
        port, os.path.join(folder, "rclone.log"),
    )


if __name__ == "__main__":
    main()
