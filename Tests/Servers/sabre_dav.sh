#!/bin/sh
# WebDAV by SabreDAV in PHP's own server at http://127.0.0.1:PORT/, files below DIR/files. It takes partial updates.
#
# usage: sabre_dav.sh PORT DIR
#
# With a file DIR/no-patch it offers partial updates and refuses them, as behind a proxy that does not know the method.
# Prints "ready PORT" once it listens. Ends on SIGTERM, which goes to PHP itself. Status 69 if PHP or SabreDAV is not
# installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
command -v php >/dev/null && [ -f /usr/share/php/Sabre/autoload.php ] || {
    echo "PHP and SabreDAV are not installed" >&2
    exit 69
}

port=$1
mkdir -p "$2/files"
directory=$(cd "$2" && pwd)
cat >"$directory/server.php" <<'PROGRAM'
<?php
// Debian's SabreDAV is older than its PHP: what that calls outdated must not end up in answers.
error_reporting(0);
require 'Sabre/autoload.php';
$here = __DIR__;
if ($_SERVER['REQUEST_METHOD'] === 'PATCH' && file_exists("$here/no-patch")) {
    http_response_code(405);
    header('Allow: OPTIONS, GET, HEAD, DELETE, PROPFIND, PUT, MOVE');
    header('Content-Type: text/plain');
    exit("not allowed\n");
}
$server = new Sabre\DAV\Server(new Sabre\DAV\FSExt\Directory("$here/files"));
$server->setBaseUri('/');
$server->addPlugin(new Sabre\DAV\PartialUpdate\Plugin());
$server->exec();
PROGRAM
(
    tries=0
    while [ $tries -lt 100 ] && kill -0 $$ 2>/dev/null; do
        if grep -q "Development Server" "$directory/php.log" 2>/dev/null; then
            echo "ready $port"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
# A body is kept in memory before the program sees it.
exec php -d memory_limit=1G -d post_max_size=0 -d enable_post_data_reading=0 \
    -S "127.0.0.1:$port" "$directory/server.php" 2>"$directory/php.log"
