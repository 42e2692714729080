package interop

import (
	"errors"
	"testing"
	"time"

	"github.com/mtingers/dflockd/client"
)

func Test_acquire_renew_release(t *testing.T) {
	conn, key := dial(t, plain(t)), freshKey()
	token, lease, err := client.Acquire(conn, key, 0, client.WithLeaseTTL(5))
	check(t, err)
	seconds(t, lease, 5)
	left, err := client.Renew(conn, key, token, client.WithLeaseTTL(60))
	check(t, err)
	seconds(t, left, 60)
	left, err = client.Renew(conn, key, token)
	check(t, err)
	seconds(t, left, 33)
	if _, _, err := client.Acquire(conn, key, 0); !errors.Is(err, client.ErrTimeout) {
		t.Fatalf("a second acquire gave %v", err)
	}
	// Any client that knows the token may release.
	check(t, client.Release(dial(t, plain(t)), key, token))
	if err := client.Release(conn, key, token); !errors.Is(err, client.ErrServer) {
		t.Fatalf("a second release gave %v", err)
	}
}

func Test_enqueue_and_wait(t *testing.T) {
	first, second, key := dial(t, plain(t)), dial(t, plain(t)), freshKey()
	if _, _, err := client.Wait(first, key, 0); !errors.Is(err, client.ErrNotQueued) {
		t.Fatalf("a wait before enqueue gave %v", err)
	}
	status, token, _, err := client.Enqueue(first, key)
	check(t, err)
	same, lease, err := client.Wait(first, key, 0)
	check(t, err)
	if status != "acquired" || same != token {
		t.Fatalf("%s %s, then %s", status, token, same)
	}
	seconds(t, lease, 33)
	status, _, _, err = client.Enqueue(second, key, client.WithLeaseTTL(9))
	check(t, err)
	if status != "queued" {
		t.Fatal(status)
	}
	if _, _, _, err := client.Enqueue(second, key); !errors.Is(err, client.ErrAlreadyQueued) {
		t.Fatalf("a second enqueue gave %v", err)
	}
	check(t, client.Release(first, key, token))
	token, lease, err = client.Wait(second, key, 10*time.Second)
	check(t, err)
	seconds(t, lease, 9)
	check(t, client.Release(second, key, token))
}

func Test_semaphore_functions(t *testing.T) {
	conn, key := dial(t, plain(t)), freshKey()
	token, lease, err := client.SemAcquire(conn, key, 0, 2, client.WithLeaseTTL(5))
	check(t, err)
	seconds(t, lease, 5)
	left, err := client.SemRenew(conn, key, token, client.WithLeaseTTL(8))
	check(t, err)
	seconds(t, left, 8)
	status, queued, _, err := client.SemEnqueue(conn, key, 2)
	check(t, err)
	same, _, err := client.SemWait(conn, key, 0)
	check(t, err)
	if status != "acquired" || same != queued {
		t.Fatalf("%s %s, then %s", status, queued, same)
	}
	if _, _, err := client.SemAcquire(conn, key, 0, 2); !errors.Is(err, client.ErrTimeout) {
		t.Fatalf("a slot too many gave %v", err)
	}
	if _, _, err := client.SemAcquire(conn, key, 0, 3); !errors.Is(err, client.ErrLimitMismatch) {
		t.Fatalf("another limit gave %v", err)
	}
	check(t, client.SemRelease(conn, key, token))
	check(t, client.SemRelease(conn, key, queued))
}

func Test_an_expired_lock_goes_to_the_next_waiter_and_its_token_is_invalid(t *testing.T) {
	t.Parallel()
	old, next, key := dial(t, plain(t)), dial(t, plain(t)), freshKey()
	dead, _, err := client.Acquire(old, key, 0, client.WithLeaseTTL(1))
	check(t, err)
	began := time.Now()
	token, _, err := client.Acquire(next, key, 10*time.Second)
	check(t, err)
	within(t, began, 800*time.Millisecond, 3*time.Second)
	if token <= dead {
		t.Fatal("the later token is not the greater one")
	}
	if _, err := client.Renew(old, key, dead); !errors.Is(err, client.ErrServer) {
		t.Fatalf("renewing with an invalid token gave %v", err)
	}
	if err := client.Release(old, key, dead); !errors.Is(err, client.ErrServer) {
		t.Fatalf("releasing with an invalid token gave %v", err)
	}
	check(t, client.Release(next, key, token))
}

func Test_keys_and_waiters_beyond_the_limits_are_refused(t *testing.T) {
	conn := dial(t, small(t))
	for _, key := range []string{"a", "b"} {
		_, _, err := client.Acquire(conn, key, time.Second, client.WithLeaseTTL(30))
		check(t, err)
	}
	if _, _, err := client.Acquire(conn, freshKey(), 0); !errors.Is(err, client.ErrMaxLocks) {
		t.Fatalf("a third key gave %v", err)
	}
	_, _, _, err := client.Enqueue(conn, "a")
	check(t, err)
	if _, _, err := client.Acquire(dial(t, small(t)), "a", time.Second); !errors.Is(err, client.ErrMaxWaiters) {
		t.Fatalf("a second waiter gave %v", err)
	}
}

func Test_stats_list_the_holders(t *testing.T) {
	conn, key := dial(t, plain(t)), freshKey()
	_, _, err := client.Acquire(conn, key, 0, client.WithLeaseTTL(30))
	check(t, err)
	_, _, err = client.SemAcquire(conn, key, 0, 3)
	check(t, err)
	now, err := stats(plain(t))
	check(t, err)
	if now.Connections < 2 {
		t.Errorf("%d connections", now.Connections)
	}
	found := 0
	for _, entry := range now.Locks {
		if entry.Key == key && entry.Owner > 0 && entry.Expires > 25 && entry.Expires <= 30 && entry.Waiters == 0 {
			found++
		}
	}
	for _, entry := range now.Semaphores {
		if entry.Key == key && entry.Limit == 3 && entry.Holders == 1 && entry.Waiters == 0 {
			found++
		}
	}
	if found != 2 {
		t.Errorf("not as expected: %+v", now)
	}
}

func seconds(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Fatalf("%d seconds, not %d", got, want)
	}
}
