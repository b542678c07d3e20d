#!/bin/sh
# WebDAV PUT by nginx at http://127.0.0.1:PORT/ or behind a Unix socket, files below DIR/files.
#
# usage: nginx_put.sh PORT|unix:PATH DIR
#
# Everything nginx writes is below DIR. With the dav-ext module it also answers PROPFIND and OPTIONS. Prints
# "ready PORT" once it listens. Ends on SIGTERM, which goes to nginx itself. Status 69 if nginx is not installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin
command -v nginx >/dev/null || { echo "nginx is not installed" >&2; exit 69; }

port=$1
case $port in
unix:*) listen=$port ;;
*) listen=127.0.0.1:$port ;;
esac
mkdir -p "$2/files" "$2/temporary"
directory=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

modules=$(nginx -V 2>&1 | tr ' ' '\n' | sed -n 's/^--modules-path=//p')
load='' methods=''
if [ -n "$modules" ] && [ -f "$modules/ngx_http_dav_ext_module.so" ]; then
    load="load_module $modules/ngx_http_dav_ext_module.so;"
    methods='dav_ext_methods PROPFIND OPTIONS;'
fi
sed -e "s|@DIR@|$directory|g" -e "s|@LISTEN@|$listen|g" -e "s|@LOAD_DAV_EXT@|$load|" \
    -e "s|@DAV_EXT_METHODS@|$methods|" "$here/nginx.conf.template" >"$directory/nginx.conf"

# This shell becomes nginx, so that stopping it stops nginx. A child waits for the pid file, which nginx writes once it
# listens.
rm -f "$directory/nginx.pid"
(
    tries=0
    while [ $tries -lt 100 ] && kill -0 $$ 2>/dev/null; do
        if [ "$(cat "$directory/nginx.pid" 2>/dev/null)" = $$ ]; then
            echo "ready $port"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
exec nginx -p "$directory" -e "$directory/error.log" -c "$directory/nginx.conf"
