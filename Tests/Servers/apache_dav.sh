#!/bin/sh
# WebDAV by Apache's mod_dav at http://127.0.0.1:PORT/, files below DIR/files. It takes PUT with Content-Range.
#
# usage: apache_dav.sh PORT DIR
#
# With a file DIR/basic the user `me` signs in by Basic with the password `secret`, and with a file DIR/digest by Digest;
# with a file DIR/nonces each nonce is good for that many seconds; with a file DIR/limit a request has at most as many
# bytes as that says. Everything Apache writes is below DIR. Prints "ready PORT" once it listens. Ends on SIGTERM, which
# goes to Apache itself. Status 69 if Apache is not installed.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
PATH=$PATH:/usr/sbin:/usr/local/sbin
command -v apache2 >/dev/null || { echo "Apache is not installed" >&2; exit 69; }

port=$1
mkdir -p "$2/files" "$2/locks"
directory=$(cd "$2" && pwd)
modules=/usr/lib/apache2/modules
load='' rules='Require all granted'
if [ -e "$directory/digest" ] || [ -e "$directory/basic" ]; then
    load="LoadModule authn_core_module $modules/mod_authn_core.so
LoadModule authn_file_module $modules/mod_authn_file.so
LoadModule authz_user_module $modules/mod_authz_user.so"
    rules="AuthName \"team files\"
    AuthUserFile \"$directory/users\"
    Require valid-user"
fi
if [ -e "$directory/digest" ]; then
    printf 'me:team files:%s\n' "$(printf 'me:team files:secret' | md5sum | cut -d' ' -f1)" >"$directory/users"
    load="$load
LoadModule auth_digest_module $modules/mod_auth_digest.so"
    rules="$rules
    AuthType Digest
    AuthDigestProvider file
    AuthDigestNonceLifetime $(cat "$directory/nonces" 2>/dev/null || echo 300)"
elif [ -e "$directory/basic" ]; then
    # The SHA-1 of the password.
    echo 'me:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=' >"$directory/users"
    load="$load
LoadModule auth_basic_module $modules/mod_auth_basic.so"
    rules="$rules
    AuthType Basic
    AuthBasicProvider file"
fi
if [ -e "$directory/limit" ]; then rules="$rules
    LimitRequestBody $(cat "$directory/limit")"; fi
cat >"$directory/apache.conf" <<CONFIGURATION
ServerRoot "$directory"
ServerName 127.0.0.1
PidFile "$directory/apache.pid"
ErrorLog "$directory/error.log"
Listen 127.0.0.1:$port
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dav_module $modules/mod_dav.so
LoadModule dav_fs_module $modules/mod_dav_fs.so
$load
DAVLockDB "$directory/locks/lock"
DocumentRoot "$directory/files"
<Directory "$directory/files">
    $rules
    Dav On
</Directory>
# As in the usual configuration.
<FilesMatch "^\.ht">
    Require all denied
</FilesMatch>
CONFIGURATION

# This shell becomes Apache, so that stopping it stops Apache. A child waits for the pid file.
rm -f "$directory/apache.pid"
(
    tries=0
    while [ $tries -lt 100 ] && kill -0 $$ 2>/dev/null; do
        if [ -s "$directory/apache.pid" ]; then
            echo "ready $port"
            exit 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
) &
# Apache does not serve as root: it gets a name space in which its user has another number.
as=''
if [ "$(id -u)" = 0 ]; then as='unshare --user --map-user=1000 --map-group=1000'; fi
exec $as apache2 -f "$directory/apache.conf" -DFOREGROUND
