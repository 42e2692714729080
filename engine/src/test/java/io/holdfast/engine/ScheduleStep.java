package io.holdfast.engine;

/**
 * One step of a random schedule, in the words of clients. People, targets and tokens are small
 * numbers; {@code back} counts from the last one known.
 */
sealed interface ScheduleStep {
    /** How a token is used. */
    enum Use {
        AS_TOLD,
        WRONG_SALT,
        WRONG_FENCE,
        WRONG_TARGET
    }

    /** Only mutexes are acquired to read: of others the mode is not looked at. */
    record Acquire(int who, int target, long patience, long lease, HoldAttributes terms)
            implements ScheduleStep {}

    record Enqueue(int who, int target, long lease) implements ScheduleStep {}

    record Await(int who, int target, long patience) implements ScheduleStep {}

    record Release(int who, int back, Use use) implements ScheduleStep {}

    record Renew(int who, int back, Use use, long lease) implements ScheduleStep {}

    record TryAcquire(int who, int target) implements ScheduleStep {}

    record ReleaseBySession(int who, int target) implements ScheduleStep {}

    record Inspect(int who, int target) implements ScheduleStep {}

    /**
     * What is held is taken away: by the fence of the holder of this number, or for 0 all of it.
     */
    record ForceRelease(int who, int target, int which) implements ScheduleStep {}

    record Cancel(int who, int back) implements ScheduleStep {}

    /** A read/write lock is asked for; names are mutexes that others acquire and claim too. */
    record RequestOffer(
            int who, int name, ReadWriteMode mode, long patience, long confirm, long lease)
            implements ScheduleStep {}

    /** Something is done about an ask or a tracked acquire. */
    record OnTrackedRequest(int who, int back, Answer answer, boolean elsewhere)
            implements ScheduleStep {}

    /** What is done about it. */
    enum Answer {
        CONFIRM,
        DECLINE,
        GIVE_UP,
        CHECK
    }

    record Suspend(int who, int name) implements ScheduleStep {}

    record Resume(int who, int name) implements ScheduleStep {}

    record Reassert(int who, int name, ReadWriteMode mode, long lease) implements ScheduleStep {}

    /** The session ends with so many requests unanswered, and the person opens a new one. */
    record Close(int who, int unanswered) implements ScheduleStep {}

    /** Something is done to data; a time to live in it is a number of units. */
    record Data(int who, int name, DataOperation operation) implements ScheduleStep {}

    record Collect(int most) implements ScheduleStep {}

    /** Collects in slices for as long as there may be more, as a driver does. */
    record CollectAll(int slice) implements ScheduleStep {}

    record Tick() implements ScheduleStep {}

    /** Looks at the engine when it asks for it. */
    record TickWhenDue() implements ScheduleStep {}

    /** The clock moves, perhaps back, but nobody tells the engine before the next command. */
    record AdvanceClock(long nanos) implements ScheduleStep {}

    /** Memory gets short, or is there again. */
    record MemoryAvailable(boolean left) implements ScheduleStep {}
}
