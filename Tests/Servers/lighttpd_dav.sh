#!/bin/sh
# WebDAV by lighttpd at http://127.0.0.1:PORT/, files below DIR/files.
#
# usage: lighttpd_dav.sh PORT DIR
#
# With a file DIR/ranges it takes PUT with Content-Range, and else refuses that. Everything it writes is below DIR.
# Prints "ready PORT" once it listens. Ends on SIGTERM. Status 69 if lighttpd is not installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
PATH=$PATH:/usr/sbin:/usr/local/sbin
command -v lighttpd >/dev/null || { echo "lighttpd is not installed" >&2; exit 69; }

port=$1
mkdir -p "$2/files" "$2/temporary"
directory=$(cd "$2" && pwd)
ranges=''
if [ -e "$directory/ranges" ]; then ranges='webdav.opts = ("partial-put-copy-modify" => "enable")'; fi
cat >"$directory/lighttpd.conf" <<CONFIGURATION
server.modules = ("mod_webdav")
server.document-root = "$directory/files"
server.bind = "127.0.0.1"
server.port = $port
server.pid-file = "$directory/lighttpd.pid"
server.errorlog = "$directory/error.log"
server.upload-dirs = ("$directory/temporary")
webdav.activate = "enable"
$ranges
CONFIGURATION

rm -f "$directory/lighttpd.pid"
(
    tries=0
    while [ $tries -lt 100 ] && kill -0 $$ 2>/dev/null; do
        if [ -s "$directory/lighttpd.pid" ]; then
            echo "ready $port"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
exec lighttpd -D -f "$directory/lighttpd.conf"
