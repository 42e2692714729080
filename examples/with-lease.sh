#!/bin/sh
# Runs a command while it holds a lock, with nothing but curl:
#     with-lease.sh KEY COMMAND [ARGUMENT...]
# Waits up to a minute for the lock. The command finds the fence in FENCE, and is ended if the lock is lost.
# HOLDFAST_HTTP says where the server is, HOLDFAST_TOKEN has its secret, if it wants one.
set -u

url=${HOLDFAST_HTTP:-http://127.0.0.1:6389}/v1/leases/$1 # a key with odd characters comes percent-encoded
shift

ask() { # the secret does not go where others see it: on the command line
    if [ -n "${HOLDFAST_TOKEN:-}" ]; then
        printf 'Authorization: Bearer %s\n' "$HOLDFAST_TOKEN" | curl -sS -H @- "$@"
    else
        curl -sS "$@"
    fi
}

field() {
    sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

answer=$(ask "$url" -d '{"acquire_timeout_s":60,"lease_ttl_s":30}') || exit 3
token=$(printf '%s\n' "$answer" | field token)
if [ -z "$token" ]; then
    echo "no lock: $answer" >&2
    exit 3
fi
FENCE=$(printf '%s\n' "$answer" | field fence)
export FENCE

"$@" &
command=$!

renew() { # until it fails: then somebody else may have the lock
    trap 'kill "$nap"; exit' TERM
    while { sleep 10 & nap=$!; wait "$nap"; } &&
        ask -f -m 10 "$url/renew" -d '{"token":"'"$token"'","lease_ttl_s":30}'; do :; done
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
ask "$url/release" -d '{"token":"'"$token"'"}' >&2
exit "$status"
