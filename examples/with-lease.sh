#!/bin/sh
# Runs a command while it holds a lock, with nothing but curl:
#     with-lease.sh KEY COMMAND [ARGUMENT...]
# Waits up to a minute for the lock. The command gets the fence in the variable FENCE, and is terminated if the lock is lost.
# HOLDFAST_HTTP is the address of the server, HOLDFAST_TOKEN its secret, if it requires one.
set -u

url=${HOLDFAST_HTTP:-http://127.0.0.1:6389}/v1/leases/$1 # special characters of the key must be percent-encoded
shift

request() { # passes the secret on standard input, because other users can see a command line
    if [ -n "${HOLDFAST_TOKEN:-}" ]; then
        printf 'Authorization: Bearer %s\n' "$HOLDFAST_TOKEN" | curl -sS -H @- "$@"
    else
        curl -sS "$@"
    fi
}

field() {
    sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

response=$(request "$url" -d '{"acquire_timeout_s":60,"lease_ttl_s":30}') || exit 3
token=$(printf '%s\n' "$response" | field token)
if [ -z "$token" ]; then
    echo "no lock: $response" >&2
    exit 3
fi
FENCE=$(printf '%s\n' "$response" | field fence)
export FENCE

"$@" &
command=$!

renew() { # until it fails: then another client may hold the lock
    trap 'kill "$nap"; exit' TERM
    while { sleep 10 & nap=$!; wait "$nap"; } &&
        request -f -m 10 "$url/renew" -d '{"token":"'"$token"'","lease_ttl_s":30}'; do :; done
    kill "$command"
}
renew >/dev/null 2>&1 &
renewer=$!

trap 'kill "$command"' HUP INT TERM
wait "$command"
status=$?
while kill -0 "$command" 2>/dev/null; do # a signal ends the wait before the command has ended
    wait "$command"
    status=$?
done
kill "$renewer"
request "$url/release" -d '{"token":"'"$token"'"}' >&2
exit "$status"
