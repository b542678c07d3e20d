#!/bin/sh
# WebDAV by chezdav at http://127.0.0.1:PORT/, files below DIR/files. It answers 500 to a PUT into a missing folder.
#
# usage: chezdav_server.sh PORT DIR
#
# Prints "ready PORT" once it listens. Ends on SIGTERM. Status 69 if chezdav is not installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
command -v chezdav >/dev/null || { echo "chezdav is not installed" >&2; exit 69; }

port=$1
mkdir -p "$2/files"
directory=$(cd "$2" && pwd)
(
    tries=0
    while [ $tries -lt 100 ] && kill -0 $$ 2>/dev/null; do
        if curl --silent --output /dev/null --max-time 5 "http://127.0.0.1:$port/"; then
            echo "ready $port"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
exec chezdav --local --no-mdns --port "$port" --path "$directory/files" >"$directory/chezdav.log" 2>&1
