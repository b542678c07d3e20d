#!/bin/sh
# A tus server: tusd at http://127.0.0.1:PORT/files/, which stores in DIR.
#
# usage: tusd.sh PORT DIR TUSD
#
# TUSD is the program. Prints "ready PORT" once it listens. Ends on SIGTERM, which goes to tusd itself.
set -eu

if [ $# -ne 3 ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
# This shell becomes tusd, so that stopping it stops tusd. A child waits until it answers.
(
    tries=0
    while [ $tries -lt 300 ] && kill -0 $$ 2>/dev/null; do
        if curl -s -o /dev/null -X OPTIONS "http://127.0.0.1:$1/files/"; then
            echo "ready $1"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
exec "$3" -host 127.0.0.1 -port "$1" -upload-dir "$2" -base-path /files/
