package interop

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func Test_a_free_lock_is_granted_and_released(t *testing.T) {
	l := lockOn(plain(t), freshKey(), time.Second)
	take(t, l)
	if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(l.Token()) {
		t.Fatalf("token %q", l.Token())
	}
	release(t, l)
	take(t, lockOn(plain(t), l.Key, time.Second))
}

func Test_a_wait_for_a_held_lock_ends_after_its_timeout(t *testing.T) {
	t.Parallel()
	key := freshKey()
	take(t, lockOn(plain(t), key, time.Second))
	began := time.Now()
	refuse(t, lockOn(plain(t), key, time.Second))
	within(t, began, 950*time.Millisecond, 3*time.Second)
}

func Test_waiters_are_granted_in_the_order_of_their_requests(t *testing.T) {
	key := freshKey()
	first := lockOn(plain(t), key, time.Second)
	take(t, first)
	var (
		mu     sync.Mutex
		served []int
		turns  sync.WaitGroup
	)
	for number := range 5 {
		turns.Go(func() {
			l := lockOn(plain(t), key, 10*time.Second)
			ok, err := l.Acquire(context.Background())
			if err != nil || !ok {
				t.Errorf("waiter %d: %v, %v", number, ok, err)
				return
			}
			mu.Lock()
			served = append(served, number)
			mu.Unlock()
			if err := l.Release(context.Background()); err != nil {
				t.Errorf("waiter %d: %v", number, err)
			}
		})
		awaitWaiters(t, plain(t), key, number+1)
	}
	release(t, first)
	turns.Wait()
	if !slices.Equal(served, []int{0, 1, 2, 3, 4}) {
		t.Fatalf("served in the order %v", served)
	}
}

func Test_a_lock_never_has_two_holders(t *testing.T) {
	key := freshKey()
	var (
		inside  atomic.Int32
		workers sync.WaitGroup
	)
	for range 4 {
		workers.Go(func() {
			for range 10 {
				l := lockOn(plain(t), key, 20*time.Second)
				ok, err := l.Acquire(context.Background())
				if err != nil || !ok {
					t.Errorf("%v, %v", ok, err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("the lock has two holders")
				}
				inside.Add(-1)
				if err := l.Release(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
}

func Test_closing_without_release_frees_the_lock(t *testing.T) {
	key := freshKey()
	first := lockOn(plain(t), key, time.Second)
	take(t, first)
	check(t, first.Close())
	take(t, lockOn(plain(t), key, 5*time.Second))
}

func Test_a_cancelled_waiter_leaves_the_queue_at_once(t *testing.T) {
	key := freshKey()
	take(t, lockOn(plain(t), key, time.Second))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	outcome := make(chan error, 1)
	go func() {
		_, err := lockOn(plain(t), key, 30*time.Second).Acquire(ctx)
		outcome <- err
	}()
	awaitWaiters(t, plain(t), key, 1)
	cancel()
	if err := <-outcome; !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled with %v", err)
	}
	awaitWaiters(t, plain(t), key, 0)
}

func Test_a_lock_is_kept_far_beyond_its_lease(t *testing.T) {
	t.Parallel()
	l := lockOn(plain(t), freshKey(), time.Second)
	l.LeaseTTL, l.RenewRatio = 2, offBeat
	take(t, l)
	token := l.Token()
	refuse(t, lockOn(plain(t), l.Key, 4*time.Second))
	if l.Token() != token {
		t.Fatal("the token changed")
	}
	release(t, l)
}

// Not parallel, like all tests that use the two keys of the small server.
func Test_the_servers_default_lease_is_renewed_too(t *testing.T) {
	l := lockOn(small(t), "a", time.Second)
	l.RenewRatio = offBeat
	take(t, l)
	refuse(t, lockOn(small(t), "a", 4*time.Second))
	release(t, l)
}
