package interop

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mtingers/dflockd/client"
)

func Test_as_many_slots_as_the_limit_are_granted(t *testing.T) {
	t.Parallel()
	key := freshKey()
	var slots []*client.Semaphore
	for range 3 {
		slot := semaphoreOn(plain(t), key, 3, time.Second)
		take(t, slot)
		slots = append(slots, slot)
	}
	refuse(t, semaphoreOn(plain(t), key, 3, time.Second))
	release(t, slots[1])
	take(t, semaphoreOn(plain(t), key, 3, time.Second))
}

func Test_another_limit_is_refused(t *testing.T) {
	key := freshKey()
	take(t, semaphoreOn(plain(t), key, 2, time.Second))
	_, err := semaphoreOn(plain(t), key, 3, time.Second).Acquire(context.Background())
	if !errors.Is(err, client.ErrLimitMismatch) {
		t.Fatalf("refused with %v", err)
	}
}

func Test_a_lock_and_a_semaphore_of_the_same_key_are_independent(t *testing.T) {
	key := freshKey()
	take(t, semaphoreOn(plain(t), key, 2, time.Second))
	take(t, lockOn(plain(t), key, time.Second))
	take(t, semaphoreOn(plain(t), key, 2, time.Second))
}

func Test_a_slot_is_kept_far_beyond_its_lease(t *testing.T) {
	t.Parallel()
	slot := semaphoreOn(plain(t), freshKey(), 1, time.Second)
	slot.LeaseTTL, slot.RenewRatio = 2, offBeat
	take(t, slot)
	refuse(t, semaphoreOn(plain(t), slot.Key, 1, 4*time.Second))
	release(t, slot)
}
