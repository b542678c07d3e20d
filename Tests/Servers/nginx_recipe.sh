#!/bin/sh
# nginx at http://127.0.0.1:PORT/ with a block of the documentation in its server.
#
# usage: nginx_recipe.sh PORT DIR BLOCK
#
# Everything nginx writes is below DIR, unless BLOCK says otherwise. Prints "ready PORT" once it listens. Ends on SIGTERM,
# which goes to nginx itself.
set -eu

PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin
port=$1 directory=$(cd "$2" && pwd) block=$3
mkdir -p "$directory/temporary"
cat >"$directory/nginx.conf" <<END
daemon off;
master_process off;
pid $directory/nginx.pid;
error_log $directory/error.log info;
events {}
http {
    access_log $directory/access.log;
    client_body_temp_path $directory/temporary/body;
    proxy_temp_path $directory/temporary/proxy;
    fastcgi_temp_path $directory/temporary/fastcgi;
    uwsgi_temp_path $directory/temporary/uwsgi;
    scgi_temp_path $directory/temporary/scgi;
    server {
        listen 127.0.0.1:$port;
        include $block;
    }
}
END
rm -f "$directory/nginx.pid"
# nginx takes the place of this shell and writes its number once it listens.
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
