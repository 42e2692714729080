"""The addresses of the servers under test, and requests to them without a client library."""

import json
import os
import socket
import ssl
import time
import uuid


def address(name):
    host, port = os.environ[name].rsplit(":", 1)
    return host, int(port)


PLAIN = address("INTEROP_PLAIN")
AUTH = address("INTEROP_AUTH")  # closes connections that are idle for 3 s
SMALL = address("INTEROP_SMALL")  # default lease 2 s, 2 keys, 1 waiter per key
SECRET = os.environ["INTEROP_SECRET"]
TLS = address("INTEROP_TLS") if os.environ.get("INTEROP_TLS") else None

# Renews a lease of 2 s every 1.2 s, so that no renewal coincides with the release 4 s after the grant: the 1.x
# asyncio client would take the response to the renewal for the response to the release.
OFF_BEAT = 0.6


def trusting():
    return ssl.create_default_context(cafile=os.environ["INTEROP_CA"])


def fresh_key(what="key"):
    return f"{what}-{uuid.uuid4().hex}"


def stats(server=PLAIN):
    with socket.create_connection(server, timeout=10) as peer, peer.makefile("rb") as responses:
        peer.sendall(b"stats\n_\n\n")
        word, _, body = responses.readline().partition(b" ")
    assert word == b"ok", word
    return json.loads(body)


def waiters(key, server=PLAIN):
    now = stats(server)
    return sum(e["waiters"] for e in now["locks"] + now["semaphores"] if e["key"] == key)


def held(key, server=PLAIN):
    now = stats(server)
    return any(
        e.get("holders") or e.get("owner_conn_id")
        for e in now["locks"] + now["semaphores"]
        if e["key"] == key
    )


def listeners(pattern, group="", server=PLAIN):
    return sum(
        e["listeners"]
        for e in stats(server)["signal_channels"]
        if e["pattern"] == pattern and e.get("group", "") == group
    )


def until(condition, within=10.0):
    """Returns once the condition is true; fails if it is still false after that many seconds."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "condition did not come true in time"
        time.sleep(0.01)
