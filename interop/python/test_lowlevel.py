"""The functions below the lock classes: one call is one request. Only version 2.x has them in this form."""

import asyncio
import contextlib
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from dflockd_client import (
    AlreadyQueuedError,
    DflockdError,
    DflockdTimeoutError,
    LeaseExpiredError,
    LimitMismatchError,
    NotQueuedError,
    _async,
    _sync,
    fence_from_token,
)
from servers import AUTH, PLAIN, SECRET, TLS, fresh_key, trusting


class LowLevel(unittest.TestCase):
    def dial(self, server=PLAIN, ssl_context=None):
        peer = _sync.open_conn(*server, ssl_context=ssl_context, connect_timeout_s=10)
        self.addCleanup(peer.close)
        return peer

    def test_acquire_renew_release(self):
        peer, key = self.dial(), fresh_key()
        token, lease = _sync.acquire(peer, key, 0, 5)
        self.assertEqual(lease, 5)
        self.assertEqual(_sync.renew(peer, key, token, 60), 60)
        self.assertEqual(_sync.renew(peer, key, token), 33)
        _sync.release(peer, key, token)

    def test_any_client_that_knows_the_token_may_renew_and_release(self):
        key = fresh_key()
        token, _ = _sync.acquire(self.dial(), key, 0)
        other = self.dial()
        self.assertEqual(_sync.renew(other, key, token, 9), 9)
        _sync.release(other, key, token)

    def test_a_wrong_token_neither_renews_nor_releases(self):
        peer, key = self.dial(), fresh_key()
        token, _ = _sync.acquire(peer, key, 0)
        for call in (_sync.renew, _sync.release):
            with self.assertRaises(DflockdError):
                call(peer, key, "0" * 32)
        _sync.release(peer, key, token)
        with self.assertRaises(DflockdError):
            _sync.release(peer, key, token)

    def test_a_later_grant_has_a_higher_fence(self):
        peer, key = self.dial(), fresh_key()
        fences = []
        for _ in range(5):
            token, _ = _sync.acquire(peer, key, 0)
            fences.append(fence_from_token(token))
            _sync.release(peer, key, token)
        slot, _ = _sync.sem_acquire(peer, key, 0, 2)
        fences.append(fence_from_token(slot))
        self.assertEqual(fences, sorted(set(fences)))

    def test_an_expired_lock_goes_to_the_next_waiter_and_its_token_is_invalid(self):
        key, old, new = fresh_key(), self.dial(), self.dial()
        dead, _ = _sync.acquire(old, key, 0, 1)
        began = time.monotonic()
        token, _ = _sync.acquire(new, key, 10)
        self.assertGreater(time.monotonic() - began, 0.8)
        self.assertLess(time.monotonic() - began, 3)
        for call in (_sync.renew, _sync.release):
            with self.assertRaises(DflockdError):
                call(old, key, dead)
        _sync.release(new, key, token)

    def test_the_lock_is_not_reentrant(self):
        peer, key = self.dial(), fresh_key()
        _sync.acquire(peer, key, 0)
        with self.assertRaises(DflockdTimeoutError):
            _sync.acquire(peer, key, 0)

    def test_one_connection_may_hold_many_locks_and_loses_all_when_it_closes(self):
        peer, other, keys = self.dial(), self.dial(), [fresh_key() for _ in range(20)]
        for key in keys:
            _sync.acquire(peer, key, 0)
        peer.close()
        for key in keys:
            _sync.acquire(other, key, 5)

    def test_enqueue_and_wait(self):
        key, first, second = fresh_key(), self.dial(), self.dial()
        status, token, lease = _sync.enqueue(first, key, 20)
        self.assertEqual((status, lease), ("acquired", 20))
        self.assertEqual(_sync.wait(first, key, 0), (token, 20))
        self.assertEqual(_sync.enqueue(second, key), ("queued", None, None))
        with ThreadPoolExecutor(1) as pool:
            turn = pool.submit(_sync.wait, second, key, 10)
            _sync.release(first, key, token)
            token, lease = turn.result(timeout=5)
        self.assertEqual(lease, 33)
        _sync.release(second, key, token)

    def test_enqueue_and_wait_out_of_order_are_refused(self):
        key, holder, peer = fresh_key(), self.dial(), self.dial()
        with self.assertRaises(NotQueuedError):
            _sync.wait(peer, key, 0)
        _sync.acquire(holder, key, 0)
        _sync.enqueue(peer, key)
        with self.assertRaises(AlreadyQueuedError):
            _sync.enqueue(peer, key)
        with self.assertRaises(DflockdTimeoutError):
            _sync.wait(peer, key, 0)
        with self.assertRaises(NotQueuedError):
            _sync.wait(peer, key, 0)

    def test_a_grant_that_expired_before_the_wait_is_not_returned(self):
        key, peer, other = fresh_key(), self.dial(), self.dial()
        _sync.enqueue(peer, key, 1)
        token, _ = _sync.acquire(other, key, 10)  # returns when the lease has expired
        with self.assertRaises((NotQueuedError, LeaseExpiredError)):
            _sync.wait(peer, key, 0)
        _sync.release(other, key, token)

    def test_semaphore_functions(self):
        key, peer, other = fresh_key(), self.dial(), self.dial()
        token, lease = _sync.sem_acquire(peer, key, 0, 2, 5)
        self.assertEqual(lease, 5)
        self.assertEqual(_sync.sem_renew(peer, key, token, 8), 8)
        status, queued_token, _ = _sync.sem_enqueue(other, key, 2)
        self.assertEqual(status, "acquired")
        self.assertEqual(_sync.sem_wait(other, key, 0)[0], queued_token)
        with self.assertRaises(DflockdTimeoutError):
            _sync.sem_acquire(other, key, 0, 2)
        with self.assertRaises(LimitMismatchError):
            _sync.sem_enqueue(other, key, 3)
        with self.assertRaises(DflockdError):
            _sync.release(peer, key, token)  # the release of a lock does not apply to a semaphore
        _sync.sem_release(peer, key, token)
        _sync.sem_release(peer, key, queued_token)

    def test_stats_list_the_holders(self):
        lock, pool, idle = fresh_key("lock"), fresh_key("pool"), fresh_key("idle")
        peer, other = self.dial(), self.dial()
        _sync.acquire(peer, lock, 0, 30)
        _sync.enqueue(other, lock)
        _sync.sem_acquire(peer, pool, 0, 3)
        _sync.release(peer, idle, _sync.acquire(peer, idle, 0)[0])
        now = _sync.stats(peer)
        self.assertGreaterEqual(now["connections"], 2)
        entry = next(e for e in now["locks"] if e["key"] == lock)
        self.assertEqual(entry["waiters"], 1)
        self.assertGreater(entry["owner_conn_id"], 0)
        self.assertTrue(25 < entry["lease_expires_in_s"] <= 30)
        self.assertIn(
            {"key": pool, "limit": 3, "holders": 1, "waiters": 0}, now["semaphores"]
        )
        self.assertTrue(any(e["key"] == idle and e["idle_s"] >= 0 for e in now["idle_locks"]))

    def test_authentication(self):
        peer = self.dial(AUTH)
        _sync.authenticate(peer, SECRET)
        _sync.acquire(peer, fresh_key(), 0)
        with self.assertRaises(PermissionError):
            _sync.authenticate(self.dial(AUTH), "wrong")

    @unittest.skipUnless(TLS, "no certificate could be made")
    def test_tls(self):
        peer, key = self.dial(TLS, trusting()), fresh_key()
        token, _ = _sync.acquire(peer, key, 0)
        _sync.release(peer, key, token)


class LowLevelAsync(unittest.IsolatedAsyncioTestCase):
    @contextlib.asynccontextmanager
    async def dialled(self, server=PLAIN, ssl_context=None):
        peer = await _async.open_conn(*server, ssl_context=ssl_context, connect_timeout_s=10)
        try:
            yield peer
        finally:
            await peer.close()

    async def test_lock_functions(self):
        key = fresh_key()
        async with self.dialled() as peer, self.dialled() as other:
            token, lease = await _async.acquire(peer, key, 0, 5)
            self.assertEqual(lease, 5)
            self.assertEqual(await _async.renew(peer, key, token, 60), 60)
            self.assertEqual(await _async.enqueue(other, key), ("queued", None, None))
            turn = asyncio.create_task(_async.wait(other, key, 10))
            await _async.release(peer, key, token)
            token, lease = await asyncio.wait_for(turn, timeout=5)
            self.assertEqual(lease, 33)
            await _async.release(other, key, token)
            with self.assertRaises(DflockdError):
                await _async.release(other, key, token)

    async def test_semaphore_functions(self):
        key = fresh_key()
        async with self.dialled() as peer:
            token, _ = await _async.sem_acquire(peer, key, 0, 2)
            self.assertEqual(await _async.sem_renew(peer, key, token, 8), 8)
            status, queued, _ = await _async.sem_enqueue(peer, key, 2)
            self.assertEqual(status, "acquired")
            self.assertEqual((await _async.sem_wait(peer, key, 0))[0], queued)
            with self.assertRaises(LimitMismatchError):
                await _async.sem_acquire(peer, key, 0, 3)
            await _async.sem_release(peer, key, token)
            await _async.sem_release(peer, key, queued)

    async def test_stats_and_authentication(self):
        async with self.dialled(AUTH) as peer:
            await _async.authenticate(peer, SECRET)
            self.assertGreaterEqual((await _async.stats(peer))["connections"], 1)


if __name__ == "__main__":
    unittest.main()
