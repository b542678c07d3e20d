#!/bin/sh
# A small Ceph for tests: one monitor, one OSD in memory and radosgw at http://127.0.0.1:PORT/, all below DIR.
#
# usage: radosgw.sh PORT DIR
#
# It takes the keys test:tester and testing. Prints "ready PORT" once it listens, and ends on SIGTERM.
set -eu

if [ $# -ne 2 ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
for tool in ceph-mon ceph-osd radosgw radosgw-admin; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 69; }
done
port=$1
mon=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir -p "$2"
dir=$(cd "$2" && pwd)
fsid=$(cat /proc/sys/kernel/random/uuid)
export CEPH_CONF=$dir/ceph.conf
cat >"$CEPH_CONF" <<END
[global]
fsid = $fsid
mon host = v2:127.0.0.1:$mon
public addr = 127.0.0.1
run dir = $dir
admin socket =
log file =
log to stderr = false
pid file =
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
mon allow pool size one = true
mon data = $dir/mon
mon allow pool delete = true
osd data = $dir/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd crush chooseleaf type = 0
osd crush initial weight = 1
rgw frontends = beast endpoint=127.0.0.1:$port
keyring = $dir/keyring
rgw data = $dir/rgw
END
children=
# shellcheck disable=SC2086
stop() { kill $children 2>/dev/null || true; wait; }
trap 'stop; exit 0' TERM INT
trap stop EXIT
mkdir -p "$dir/osd" "$dir/rgw"
key() { ceph-authtool "$dir/keyring" --gen-key -n "$@" >/dev/null; }
ceph-authtool --create-keyring "$dir/keyring" >/dev/null
key mon. --cap mon "allow *"
key client.admin --cap mon "allow *" --cap osd "allow *" --cap mgr "allow *"
key client.rgw --cap mon "allow rw" --cap osd "allow rwx"
key osd.0 --cap mon "allow profile osd" --cap osd "allow *"
monmaptool --create --addv a "[v2:127.0.0.1:$mon]" --fsid "$fsid" "$dir/monmap" >/dev/null
ceph-mon --mkfs -i a --monmap "$dir/monmap" --keyring "$dir/keyring" >"$dir/log" 2>&1
ceph-mon -f -i a >>"$dir/log" 2>&1 &
children="$children $!"
timeout 240 ceph osd new "$fsid" >>"$dir/log" 2>&1
ceph-osd -i 0 --mkfs --osd-uuid "$fsid" >>"$dir/log" 2>&1
ceph-osd -f -i 0 >>"$dir/log" 2>&1 &
children="$children $!"
timeout 240 radosgw-admin user create --uid=test --display-name=test --access-key=test:tester --secret=testing >>"$dir/log" 2>&1
radosgw -f -n client.rgw >>"$dir/log" 2>&1 &
children="$children $!"
for _ in $(seq 1200); do
    if curl -s -o /dev/null "http://127.0.0.1:$port/"; then
        echo "ready $port"
        break
    fi
    sleep 0.1
done
wait
