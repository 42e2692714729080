package interop

import (
	"context"
	"testing"
	"time"

	"github.com/mtingers/dflockd/client"
)

// queuer is the common interface of locks and semaphores in two-phase use.
type queuer interface {
	holder
	Enqueue(ctx context.Context) (string, error)
	Wait(ctx context.Context, timeout time.Duration) (bool, error)
}

func enqueue(t *testing.T, q queuer, want string) {
	t.Helper()
	t.Cleanup(func() { q.Close() })
	got, err := q.Enqueue(context.Background())
	check(t, err)
	if got != want {
		t.Fatalf("enqueue returned %q, not %q", got, want)
	}
}

func wait(t *testing.T, q queuer, timeout time.Duration, want bool) {
	t.Helper()
	got, err := q.Wait(context.Background(), timeout)
	check(t, err)
	if got != want {
		t.Fatalf("wait returned %v, not %v", got, want)
	}
}

func Test_a_free_lock_is_acquired_by_enqueue(t *testing.T) {
	l := lockOn(plain(t), freshKey(), time.Second)
	enqueue(t, l, "acquired")
	release(t, l)
}

func Test_queued_locks_are_granted_in_order(t *testing.T) {
	key := freshKey()
	var locks []*client.Lock
	for number := range 3 {
		l := lockOn(plain(t), key, time.Second)
		enqueue(t, l, map[bool]string{true: "acquired", false: "queued"}[number == 0])
		locks = append(locks, l)
	}
	release(t, locks[0])
	wait(t, locks[1], 10*time.Second, true)
	release(t, locks[1])
	wait(t, locks[2], 10*time.Second, true)
	release(t, locks[2])
}

func Test_a_wait_that_times_out_leaves_the_queue(t *testing.T) {
	t.Parallel()
	key := freshKey()
	take(t, lockOn(plain(t), key, time.Second))
	l := lockOn(plain(t), key, time.Second)
	enqueue(t, l, "queued")
	wait(t, l, time.Second, false)
	awaitWaiters(t, plain(t), key, 0)
}

func Test_a_semaphore_queues_beyond_its_limit(t *testing.T) {
	key := freshKey()
	first := semaphoreOn(plain(t), key, 2, time.Second)
	second := semaphoreOn(plain(t), key, 2, time.Second)
	third := semaphoreOn(plain(t), key, 2, time.Second)
	enqueue(t, first, "acquired")
	enqueue(t, second, "acquired")
	enqueue(t, third, "queued")
	release(t, second)
	wait(t, third, 10*time.Second, true)
}
