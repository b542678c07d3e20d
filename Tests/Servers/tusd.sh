#!/bin/sh
# A tus server: tusd at http://127.0.0.1:PORT/files/, which stores in DIR.
#
# usage: tusd.sh PORT DIR TUSD [OPTION...]
#
# TUSD is the program. OPTIONs, such as those of the documentation, replace all of its options but for the folder; they
# name this address too. Prints "ready PORT" once it listens. Ends on SIGTERM, which goes to tusd itself.
set -eu

if [ $# -lt 3 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
port=$1 directory=$2 program=$3
shift 3
if [ $# -eq 0 ]; then set -- -host 127.0.0.1 -port "$port" -base-path /files/; fi
# This shell becomes tusd, so that stopping it stops tusd. A child waits until it answers.
(
    tries=0
    while [ $tries -lt 300 ] && kill -0 $$ 2>/dev/null; do
        if curl -s -o /dev/null -X OPTIONS "http://127.0.0.1:$port/files/"; then
            echo "ready $port"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
exec "$program" -upload-dir "$directory" "$@"
