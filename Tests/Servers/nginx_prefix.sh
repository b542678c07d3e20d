#!/bin/sh
# WebDAV by nginx behind a proxy, also nginx, that maps http://127.0.0.1:PORT/buf/ to /dav/ there and leaves Destination as
# it is. Files are below DIR/files/dav; what a MOVE led elsewhere is below DIR/files/buf, if that folder is there.
#
# usage: nginx_prefix.sh PORT DIR
#
# Everything nginx writes is below DIR. Prints "ready PORT" once it listens. Ends on SIGTERM, which goes to nginx itself.
# Status 69 if nginx or its dav-ext module is not installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
PATH=$PATH:/usr/sbin:/usr/local/sbin
command -v nginx >/dev/null || { echo "nginx is not installed" >&2; exit 69; }
extension=$(nginx -V 2>&1 | tr ' ' '\n' | sed -n 's/^--modules-path=//p')/ngx_http_dav_ext_module.so
[ -f "$extension" ] || { echo "nginx's dav-ext module is not installed" >&2; exit 69; }

port=$1
mkdir -p "$2/files/dav" "$2/temporary"
directory=$(cd "$2" && pwd)
user=''
if [ "$(id -u)" = 0 ]; then user='user root;'; fi
cat >"$directory/nginx.conf" <<CONFIGURATION
load_module $extension;
$user
daemon off;
pid $directory/nginx.pid;
error_log $directory/error.log;
worker_processes 1;
events {}
http {
    access_log off;
    client_body_temp_path $directory/temporary;
    proxy_temp_path $directory/temporary;
    fastcgi_temp_path $directory/temporary;
    uwsgi_temp_path $directory/temporary;
    scgi_temp_path $directory/temporary;
    client_max_body_size 0;
    server {
        listen 127.0.0.1:$port;
        location /buf/ {
            proxy_pass http://unix:$directory/dav.sock:/dav/;
            proxy_set_header Host \$http_host;
        }
    }
    server {
        listen unix:$directory/dav.sock;
        root $directory/files;
        location / {
            dav_methods PUT DELETE MKCOL COPY MOVE;
            dav_ext_methods PROPFIND OPTIONS;
        }
    }
}
CONFIGURATION

# This shell becomes nginx, so that stopping it stops nginx. A child waits for the pid file, which nginx writes once it
# listens.
rm -f "$directory/nginx.pid" "$directory/dav.sock"
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
