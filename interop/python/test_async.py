"""The asyncio client, versions 1.x and 2.x: only the common API of both."""

import asyncio
import ssl
import time
import unittest

from dflockd_client import (
    AsyncDistributedLock,
    AsyncDistributedSemaphore,
    SyncDistributedLock,
)
from servers import (
    AUTH,
    OFF_BEAT,
    PLAIN,
    SECRET,
    SMALL,
    TLS,
    fresh_key,
    held,
    trusting,
    until,
    waiters,
)


def lock(key, timeout=10, server=PLAIN, **more):
    return AsyncDistributedLock(key, acquire_timeout_s=timeout, servers=[server], **more)


def semaphore(key, limit, timeout=10, server=PLAIN, **more):
    return AsyncDistributedSemaphore(
        key, limit=limit, acquire_timeout_s=timeout, servers=[server], **more
    )


async def until_async(condition):
    await asyncio.to_thread(until, condition)


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    async def take(self, holder):
        self.assertTrue(await holder.acquire())
        self.addAsyncCleanup(holder.aclose)
        return holder


class Locks(AsyncTest):
    async def test_a_free_lock_is_granted_with_token_and_lease_and_released(self):
        holder = await self.take(lock(fresh_key(), lease_ttl_s=7))
        self.assertRegex(holder.token, r"\A[0-9a-f]{32}\Z")
        self.assertEqual(holder.lease, 7)
        self.assertTrue(await holder.release())

    async def test_a_held_lock_is_refused_at_once_when_the_timeout_is_zero(self):
        key = fresh_key()
        await self.take(lock(key))
        began = time.monotonic()
        self.assertFalse(await lock(key, timeout=0).acquire())
        self.assertLess(time.monotonic() - began, 0.9)

    async def test_a_wait_ends_after_its_timeout(self):
        key = fresh_key()
        await self.take(lock(key))
        began = time.monotonic()
        self.assertFalse(await lock(key, timeout=1).acquire())
        self.assertGreater(time.monotonic() - began, 0.95)
        self.assertLess(time.monotonic() - began, 3)

    async def test_the_context_manager_holds_and_releases(self):
        key = fresh_key()
        async with lock(key):
            self.assertFalse(await lock(key, timeout=0).acquire())
        async with lock(key, timeout=0):
            pass

    async def test_waiters_are_granted_in_the_order_of_their_requests(self):
        key = fresh_key()
        holder = await self.take(lock(key))
        served = []

        async def queue_up(number):
            async with lock(key):
                served.append(number)

        turns = []
        for number in range(5):
            turns.append(asyncio.create_task(queue_up(number)))
            await until_async(lambda: waiters(key) == number + 1)
        await holder.release()
        await asyncio.wait_for(asyncio.gather(*turns), timeout=20)
        self.assertEqual(served, [0, 1, 2, 3, 4])

    async def test_a_cancelled_waiter_leaves_the_queue_at_once(self):
        key = fresh_key()
        await self.take(lock(key))
        turn = asyncio.create_task(lock(key).acquire())
        await until_async(lambda: waiters(key) == 1)
        turn.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await turn
        await until_async(lambda: waiters(key) == 0)

    async def test_closing_without_release_grants_the_lock_to_the_next_waiter(self):
        key = fresh_key()
        holder, follower = await self.take(lock(key)), lock(key)
        turn = asyncio.create_task(follower.acquire())
        await until_async(lambda: waiters(key) == 1)
        await holder.aclose()
        self.assertTrue(await asyncio.wait_for(turn, timeout=5))
        await follower.release()

    async def test_asyncio_and_blocking_clients_share_one_queue(self):
        key = fresh_key()
        blocking = SyncDistributedLock(key, servers=[PLAIN])
        self.assertTrue(blocking.acquire())
        self.addCleanup(blocking.close)
        mine = lock(key)
        turn = asyncio.create_task(mine.acquire())
        await until_async(lambda: waiters(key) == 1)
        blocking.release()
        self.assertTrue(await asyncio.wait_for(turn, timeout=5))
        await mine.release()

    async def test_keys_may_be_any_text_without_blanks(self):
        key = "schlüssel-鍵-🔑-" + fresh_key()
        async with lock(key, timeout=0):
            self.assertTrue(held(key))


class Semaphores(AsyncTest):
    async def test_as_many_slots_as_the_limit_are_granted(self):
        key = fresh_key()
        slots = [await self.take(semaphore(key, 3, timeout=0)) for _ in range(3)]
        self.assertEqual(len({slot.token for slot in slots}), 3)
        self.assertFalse(await semaphore(key, 3, timeout=0).acquire())
        await slots[1].release()
        await self.take(semaphore(key, 3, timeout=0))

    async def test_another_limit_is_refused(self):
        key = fresh_key()
        await self.take(semaphore(key, 2))
        with self.assertRaisesRegex(RuntimeError, "error_limit_mismatch"):
            await semaphore(key, 3).acquire()

    async def test_a_lock_and_a_semaphore_of_the_same_key_are_independent(self):
        key = fresh_key()
        await self.take(semaphore(key, 2, timeout=0))
        await self.take(lock(key, timeout=0))


class TwoPhase(AsyncTest):
    async def test_a_free_lock_is_acquired_by_enqueue(self):
        mine = lock(fresh_key())
        self.assertEqual(await mine.enqueue(), "acquired")
        self.assertTrue(await mine.wait())
        self.assertTrue(await mine.release())

    async def test_a_queued_client_is_granted_the_lock_in_order(self):
        key = fresh_key()
        holder = await self.take(lock(key))
        first, second = lock(key), lock(key)
        self.assertEqual(await first.enqueue(), "queued")
        self.assertEqual(await second.enqueue(), "queued")
        late = asyncio.create_task(second.wait(10))
        await holder.release()
        self.assertTrue(await first.wait(10))
        self.assertFalse(late.done())
        await first.release()
        self.assertTrue(await asyncio.wait_for(late, timeout=5))
        await second.release()

    async def test_a_wait_that_times_out_leaves_the_queue(self):
        key = fresh_key()
        await self.take(lock(key))
        queued = lock(key)
        self.assertEqual(await queued.enqueue(), "queued")
        self.assertFalse(await queued.wait(1))
        self.assertEqual(waiters(key), 0)

    async def test_a_semaphore_queues_beyond_its_limit(self):
        key = fresh_key()
        slots = [semaphore(key, 2) for _ in range(3)]
        for slot in slots:
            self.addAsyncCleanup(slot.aclose)
        states = [await slot.enqueue() for slot in slots]
        self.assertEqual(states, ["acquired", "acquired", "queued"])
        await slots[0].release()
        self.assertTrue(await slots[2].wait(10))


class Renewal(AsyncTest):
    async def test_a_lock_and_a_slot_are_kept_far_beyond_their_lease(self):
        key = fresh_key()
        holders = [
            await self.take(lock(key, lease_ttl_s=2, renew_ratio=OFF_BEAT)),
            await self.take(semaphore(key, 2, lease_ttl_s=2, renew_ratio=OFF_BEAT)),
            await self.take(semaphore(key, 2, lease_ttl_s=2, renew_ratio=OFF_BEAT)),
        ]
        tokens = [holder.token for holder in holders]
        rivals = lock(key, timeout=4), semaphore(key, 2, timeout=4)
        outcomes = await asyncio.gather(*(rival.acquire() for rival in rivals))
        self.assertEqual(outcomes, [False, False])
        self.assertEqual([holder.token for holder in holders], tokens)
        self.assertEqual([await holder.release() for holder in holders], [True, True, True])

    async def test_the_servers_default_lease_is_renewed_too(self):
        holder = await self.take(lock("a", server=SMALL, renew_ratio=OFF_BEAT))
        self.assertEqual(holder.lease, 2)
        self.assertFalse(await lock("a", timeout=4, server=SMALL).acquire())
        self.assertTrue(await holder.release())


class Limits(AsyncTest):
    async def test_a_key_beyond_the_limit_is_refused(self):
        await self.take(lock("a", server=SMALL))
        await self.take(lock("b", server=SMALL))
        with self.assertRaisesRegex(RuntimeError, "error_max_locks"):
            await lock(fresh_key(), server=SMALL).acquire()


class Authentication(AsyncTest):
    async def test_the_right_secret_is_accepted(self):
        async with lock(fresh_key(), server=AUTH, auth_token=SECRET) as holder:
            self.assertTrue(holder.token)

    async def test_a_wrong_secret_is_refused(self):
        with self.assertRaises(PermissionError):
            await lock(fresh_key(), server=AUTH, auth_token=SECRET + "x").acquire()

    async def test_no_secret_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "error_auth"):
            await lock(fresh_key(), server=AUTH).acquire()


@unittest.skipUnless(TLS, "no certificate could be made")
class Tls(AsyncTest):
    async def test_locks_and_semaphores_work(self):
        key = fresh_key()
        async with lock(key, server=TLS, ssl_context=trusting()):
            rival = lock(key, timeout=0, server=TLS, ssl_context=trusting())
            self.assertFalse(await rival.acquire())
            async with semaphore(key, 2, server=TLS, ssl_context=trusting()) as slot:
                self.assertTrue(slot.token)

    async def test_a_client_that_does_not_trust_the_certificate_does_not_connect(self):
        with self.assertRaises(ssl.SSLCertVerificationError):
            await lock(fresh_key(), server=TLS, ssl_context=ssl.create_default_context()).acquire()

    async def test_a_client_without_tls_is_disconnected(self):
        with self.assertRaises((ConnectionError, asyncio.IncompleteReadError)):
            await lock(fresh_key(), server=TLS).acquire()


if __name__ == "__main__":
    unittest.main()
