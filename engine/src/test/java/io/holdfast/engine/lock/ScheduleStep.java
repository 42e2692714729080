package io.holdfast.engine.lock;

import io.holdfast.engine.DataOperation;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ReadWriteMode;

/**
 * One step of a random schedule from the view of clients. Clients, targets and tokens are small
 * numbers; {@code back} counts from the latest one.
 */
sealed interface ScheduleStep {
    /** How a token is used. */
    enum Use {
        AS_DELIVERED,
        WRONG_SALT,
        WRONG_FENCE,
        WRONG_TARGET
    }

    /** Only locks are acquired to read: the mode of others is ignored. */
    record Acquire(int who, int target, long waitTime, long lease, HoldAttributes attributes)
            implements ScheduleStep {}

    record Enqueue(int who, int target, long lease) implements ScheduleStep {}

    record Await(int who, int target, long waitTime) implements ScheduleStep {}

    record Release(int who, int back, Use use) implements ScheduleStep {}

    record Renew(int who, int back, Use use, long lease) implements ScheduleStep {}

    record TryAcquire(int who, int target) implements ScheduleStep {}

    record ReleaseBySession(int who, int target) implements ScheduleStep {}

    record Inspect(int who, int target) implements ScheduleStep {}

    /** Releases by force: the hold of the holder with this number, or all holds for 0. */
    record ForceRelease(int who, int target, int which) implements ScheduleStep {}

    record Cancel(int who, int back) implements ScheduleStep {}

    /** Requests an offer of a lock; others acquire and try-acquire the same locks. */
    record RequestOffer(
            int who, int name, ReadWriteMode mode, long waitTime, long confirm, long lease)
            implements ScheduleStep {}

    /** A command about an offer request or a tracked acquire. */
    record OnTrackedRequest(int who, int back, TrackedAction action, boolean elsewhere)
            implements ScheduleStep {}

    /** The kind of this command. */
    enum TrackedAction {
        CONFIRM,
        DECLINE,
        GIVE_UP,
        CHECK
    }

    record Suspend(int who, int name) implements ScheduleStep {}

    record Resume(int who, int name) implements ScheduleStep {}

    record Reassert(int who, int name, ReadWriteMode mode, long lease) implements ScheduleStep {}

    /**
     * Closes the session with a number of requests without a written response, and opens a new one.
     */
    record Close(int who, int unanswered) implements ScheduleStep {}

    /** A data operation; its time to live is a number of units. */
    record Data(int who, int name, DataOperation operation) implements ScheduleStep {}

    record Collect(int most) implements ScheduleStep {}

    /** Collects in slices for as long as there may be more, as a driver does. */
    record CollectAll(int slice) implements ScheduleStep {}

    record Tick() implements ScheduleStep {}

    /** Ticks the engine if its next deadline has passed. */
    record TickWhenDue() implements ScheduleStep {}

    /** Moves the clock, perhaps back, without a command to the engine. */
    record AdvanceClock(long nanos) implements ScheduleStep {}

    /** The memory budget is used up, or available again. */
    record MemoryAvailable(boolean left) implements ScheduleStep {}
}
