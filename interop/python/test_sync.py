"""The blocking client, versions 1.x and 2.x: only the common API of both."""

import ssl
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from dflockd_client import SyncDistributedLock, SyncDistributedSemaphore
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
    return SyncDistributedLock(key, acquire_timeout_s=timeout, servers=[server], **more)


def semaphore(key, limit, timeout=10, server=PLAIN, **more):
    return SyncDistributedSemaphore(
        key, limit=limit, acquire_timeout_s=timeout, servers=[server], **more
    )


class SyncTest(unittest.TestCase):
    def setUp(self):
        self.pool = ThreadPoolExecutor(max_workers=8)
        self.addCleanup(self.pool.shutdown)

    def take(self, holder):
        self.assertTrue(holder.acquire())
        self.addCleanup(holder.close)
        return holder


class Locks(SyncTest):
    def test_a_free_lock_is_granted_with_token_and_lease_and_released(self):
        holder = self.take(lock(fresh_key(), lease_ttl_s=7))
        self.assertRegex(holder.token, r"\A[0-9a-f]{32}\Z")
        self.assertEqual(holder.lease, 7)
        self.assertTrue(holder.release())

    def test_without_a_lease_the_server_returns_its_default_of_33_seconds(self):
        self.assertEqual(self.take(lock(fresh_key())).lease, 33)

    def test_a_held_lock_is_refused_at_once_when_the_timeout_is_zero(self):
        key = fresh_key()
        self.take(lock(key))
        began = time.monotonic()
        self.assertFalse(lock(key, timeout=0).acquire())
        self.assertLess(time.monotonic() - began, 0.9)

    def test_a_wait_ends_after_its_timeout(self):
        key = fresh_key()
        self.take(lock(key))
        began = time.monotonic()
        self.assertFalse(lock(key, timeout=1).acquire())
        self.assertGreater(time.monotonic() - began, 0.95)
        self.assertLess(time.monotonic() - began, 3)

    def test_a_timed_out_waiter_leaves_the_queue(self):
        key = fresh_key()
        holder = self.take(lock(key))
        self.assertFalse(lock(key, timeout=0).acquire())
        self.assertTrue(holder.release())
        self.take(lock(key, timeout=0))

    def test_the_context_manager_holds_and_releases(self):
        key = fresh_key()
        with lock(key):
            self.assertFalse(lock(key, timeout=0).acquire())
        with lock(key, timeout=0):
            pass

    def test_waiters_are_granted_in_the_order_of_their_requests(self):
        key = fresh_key()
        holder = self.take(lock(key))
        served = []

        def queue_up(number):
            with lock(key):
                served.append(number)

        turns = []
        for number in range(5):
            turns.append(self.pool.submit(queue_up, number))
            until(lambda: waiters(key) == number + 1)
        holder.release()
        for turn in turns:
            turn.result(timeout=20)
        self.assertEqual(served, [0, 1, 2, 3, 4])

    def test_a_lock_never_has_two_holders(self):
        key = fresh_key()
        inside, collisions = threading.Lock(), []

        def work():
            for _ in range(10):
                with lock(key):
                    if not inside.acquire(blocking=False):
                        collisions.append(1)
                    else:
                        inside.release()

        for worker in [self.pool.submit(work) for _ in range(4)]:
            worker.result(timeout=30)
        self.assertEqual(collisions, [])

    def test_closing_without_release_grants_the_lock_to_the_next_waiter(self):
        key = fresh_key()
        holder = self.take(lock(key))
        follower = lock(key)
        turn = self.pool.submit(follower.acquire)
        until(lambda: waiters(key) == 1)
        holder.close()
        self.assertTrue(turn.result(timeout=5))
        follower.release()

    def test_keys_may_be_any_text_without_blanks_up_to_256_bytes(self):
        for key in ["schlüssel-鍵-🔑-" + fresh_key(), "k" * (256 - 33) + fresh_key("")]:
            with self.subTest(key=key), lock(key, timeout=0):
                self.assertTrue(held(key))


class Semaphores(SyncTest):
    def test_as_many_slots_as_the_limit_are_granted(self):
        key = fresh_key()
        slots = [self.take(semaphore(key, 3, timeout=0)) for _ in range(3)]
        self.assertEqual(len({slot.token for slot in slots}), 3)
        self.assertFalse(semaphore(key, 3, timeout=0).acquire())
        slots[1].release()
        self.take(semaphore(key, 3, timeout=0))

    def test_waiters_are_granted_in_the_order_of_their_requests(self):
        key = fresh_key()
        slots = [self.take(semaphore(key, 2)) for _ in range(2)]
        served = []

        def queue_up(number):
            with semaphore(key, 2):
                served.append(number)

        turns = []
        for number in range(3):
            turns.append(self.pool.submit(queue_up, number))
            until(lambda: waiters(key) == number + 1)
        slots[0].release()  # one slot is released, so the waiters are granted one after the other
        for turn in turns:
            turn.result(timeout=20)
        self.assertEqual(served, [0, 1, 2])

    def test_another_limit_is_refused(self):
        key = fresh_key()
        self.take(semaphore(key, 2))
        with self.assertRaisesRegex(RuntimeError, "error_limit_mismatch"):
            semaphore(key, 3).acquire()

    def test_a_lock_and_a_semaphore_of_the_same_key_are_independent(self):
        key = fresh_key()
        self.take(semaphore(key, 2, timeout=0))
        self.take(lock(key, timeout=0))
        self.take(semaphore(key, 2, timeout=0))


class TwoPhase(SyncTest):
    def test_a_free_lock_is_acquired_by_enqueue(self):
        mine = lock(fresh_key())
        self.addCleanup(mine.close)
        self.assertEqual(mine.enqueue(), "acquired")
        self.assertTrue(mine.wait())
        self.assertTrue(mine.release())

    def test_a_queued_client_is_granted_the_lock_in_order(self):
        key = fresh_key()
        holder = self.take(lock(key))
        first, second = lock(key), lock(key)
        self.addCleanup(first.close)
        self.addCleanup(second.close)
        self.assertEqual([first.enqueue(), second.enqueue()], ["queued", "queued"])
        late = self.pool.submit(second.wait, 10)
        holder.release()
        self.assertTrue(first.wait(10))
        self.assertFalse(late.done())
        first.release()
        self.assertTrue(late.result(timeout=5))

    def test_a_queued_client_is_granted_the_lock_before_it_waits(self):
        key = fresh_key()
        holder, queued = self.take(lock(key)), lock(key)
        self.addCleanup(queued.close)
        self.assertEqual(queued.enqueue(), "queued")
        holder.release()
        self.assertFalse(lock(key, timeout=0).acquire())
        self.assertTrue(queued.wait(0))

    def test_a_wait_that_times_out_leaves_the_queue(self):
        key = fresh_key()
        holder, queued = self.take(lock(key)), lock(key)
        self.assertEqual(queued.enqueue(), "queued")
        self.assertFalse(queued.wait(1))
        self.assertEqual(waiters(key), 0)
        self.assertTrue(holder.release())

    def test_a_semaphore_queues_beyond_its_limit(self):
        key = fresh_key()
        first, second, third = (semaphore(key, 2) for _ in range(3))
        for slot in (first, second, third):
            self.addCleanup(slot.close)
        states = [slot.enqueue() for slot in (first, second, third)]
        self.assertEqual(states, ["acquired", "acquired", "queued"])
        second.release()
        self.assertTrue(third.wait(10))


class Renewal(SyncTest):
    def test_a_lock_and_a_slot_are_kept_far_beyond_their_lease(self):
        key = fresh_key()
        holders = [
            self.take(lock(key, lease_ttl_s=2, renew_ratio=OFF_BEAT)),
            self.take(semaphore(key, 2, lease_ttl_s=2, renew_ratio=OFF_BEAT)),
            self.take(semaphore(key, 2, lease_ttl_s=2, renew_ratio=OFF_BEAT)),
        ]
        tokens = [holder.token for holder in holders]
        rivals = [lock(key, timeout=4), semaphore(key, 2, timeout=4)]
        outcomes = [self.pool.submit(rival.acquire) for rival in rivals]
        self.assertEqual([outcome.result(timeout=20) for outcome in outcomes], [False, False])
        self.assertEqual([holder.token for holder in holders], tokens)
        self.assertEqual([holder.release() for holder in holders], [True, True, True])

    def test_the_servers_default_lease_is_renewed_too(self):
        holder = self.take(lock("a", server=SMALL, renew_ratio=OFF_BEAT))
        self.assertEqual(holder.lease, 2)
        self.assertFalse(lock("a", timeout=4, server=SMALL).acquire())
        self.assertTrue(holder.release())


class Limits(SyncTest):
    def test_a_key_beyond_the_limit_is_refused(self):
        self.take(lock("a", server=SMALL))
        self.take(lock("b", server=SMALL))
        with self.assertRaisesRegex(RuntimeError, "error_max_locks"):
            lock(fresh_key(), server=SMALL).acquire()

    def test_a_waiter_beyond_the_limit_is_refused(self):
        holder = self.take(lock("a", server=SMALL))
        waiter = lock("a", server=SMALL)
        turn = self.pool.submit(waiter.acquire)
        until(lambda: waiters("a", SMALL) == 1)
        with self.assertRaisesRegex(RuntimeError, "error_max_waiters"):
            lock("a", server=SMALL).acquire()
        holder.release()
        self.assertTrue(turn.result(timeout=5))
        waiter.release()


class Authentication(SyncTest):
    def test_the_right_secret_is_accepted(self):
        with lock(fresh_key(), server=AUTH, auth_token=SECRET) as holder:
            self.assertTrue(holder.token)

    def test_a_wrong_secret_is_refused(self):
        with self.assertRaises(PermissionError):
            lock(fresh_key(), server=AUTH, auth_token=SECRET + "x").acquire()

    def test_no_secret_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "error_auth"):
            lock(fresh_key(), server=AUTH).acquire()

    def test_a_secret_for_a_server_without_one_is_refused(self):
        with self.assertRaises(PermissionError):
            lock(fresh_key(), auth_token=SECRET).acquire()


@unittest.skipUnless(TLS, "no certificate could be made")
class Tls(SyncTest):
    def test_locks_and_semaphores_work(self):
        key = fresh_key()
        with lock(key, server=TLS, ssl_context=trusting()):
            self.assertFalse(lock(key, timeout=0, server=TLS, ssl_context=trusting()).acquire())
            with semaphore(key, 2, server=TLS, ssl_context=trusting()) as slot:
                self.assertTrue(slot.token)

    def test_the_name_localhost_is_in_the_certificate_too(self):
        with lock(fresh_key(), server=("localhost", TLS[1]), ssl_context=trusting()) as holder:
            self.assertTrue(holder.token)

    def test_a_client_that_does_not_trust_the_certificate_does_not_connect(self):
        with self.assertRaises(ssl.SSLCertVerificationError):
            lock(fresh_key(), server=TLS, ssl_context=ssl.create_default_context()).acquire()

    def test_a_client_without_tls_is_disconnected(self):
        with self.assertRaises(ConnectionError):
            lock(fresh_key(), server=TLS).acquire()


if __name__ == "__main__":
    unittest.main()
