#!/bin/sh
# WebDAV PUT by nginx at http://127.0.0.1:PORT/ or behind a Unix socket, files below DIR/files.
#
# usage: nginx_put.sh PORT|unix:PATH DIR
#
# With a file DIR/limit a request has at most as many bytes as that says; with a file DIR/basic the user `me` signs in by
# Basic with the password `secret`; with a file DIR/redirect, such as `307 /new`, requests for /old/a are redirected to
# /new/a with that status. Everything nginx writes is below DIR. With the dav-ext module it also answers PROPFIND and
# OPTIONS. Prints "ready PORT" once it listens. Ends on SIGTERM, which goes to nginx itself. Status 69 if nginx is not
# installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
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
limit=$(cat "$directory/limit" 2>/dev/null || echo 0)
basic='' redirect=''
if [ -e "$directory/basic" ]; then
    echo 'me:{PLAIN}secret' >"$directory/users"
    basic="auth_basic \"team files\"; auth_basic_user_file $directory/users;"
fi
if [ -e "$directory/redirect" ]; then
    redirect="location /old/ { if (\$request_uri ~ ^/old(/.*)) { return $(cat "$directory/redirect")\$1; } }"
fi
sed -e "s|@DIR@|$directory|g" -e "s|@LISTEN@|$listen|g" -e "s|@LOAD_DAV_EXT@|$load|" \
    -e "s|@DAV_EXT_METHODS@|$methods|" -e "s|@LIMIT@|$limit|" -e "s|@BASIC@|$basic|" -e "s|@REDIRECT@|$redirect|" \
    "$here/nginx.conf.template" >"$directory/nginx.conf"

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
