#!/bin/sh
# WebDAV by rclone at http://127.0.0.1:PORT/, files below DIR/files. It keeps what a broken PUT left, and takes a PUT
# with Content-Range for the whole file.
#
# usage: rclone_dav.sh PORT DIR
#
# Prints "ready PORT" once it listens. Ends on SIGTERM. Status 69 if rclone is not installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
command -v rclone >/dev/null || { echo "rclone is not installed" >&2; exit 69; }

port=$1
mkdir -p "$2/files"
directory=$(cd "$2" && pwd)
(
    tries=0
    while [ $tries -lt 100 ] && kill -0 $$ 2>/dev/null; do
        if grep -q "WebDav Server started" "$directory/rclone.log" 2>/dev/null; then
            echo "ready $port"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
exec rclone serve webdav --config /dev/null --cache-dir "$directory/cache" --addr "127.0.0.1:$port" \
    --dir-cache-time 0s --log-level INFO --log-file "$directory/rclone.log" "$directory/files"
