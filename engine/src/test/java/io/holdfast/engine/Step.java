package io.holdfast.engine;

/**
 * One step of a random schedule, in the words of clients. People, targets and tokens are small
 * numbers; {@code back} counts from the last one known.
 */
sealed interface Step {
    /** How a token is used. */
    enum Use {
        AS_TOLD,
        WRONG_SALT,
        WRONG_FENCE,
        WRONG_TARGET
    }

    /** Only mutexes are acquired to read: of others the mode is not looked at. */
    record Acquire(int who, int target, long patience, long lease, Terms terms) implements Step {}

    record Enqueue(int who, int target, long lease) implements Step {}

    record Await(int who, int target, long patience) implements Step {}

    record Release(int who, int back, Use use) implements Step {}

    record Renew(int who, int back, Use use, long lease) implements Step {}

    record Claim(int who, int target) implements Step {}

    record Unclaim(int who, int target) implements Step {}

    record Inspect(int who, int target) implements Step {}

    /**
     * What is held is taken away: by the fence of the holder of this number, or for 0 all of it.
     */
    record Evict(int who, int target, int which) implements Step {}

    record Cancel(int who, int back) implements Step {}

    /** A read/write lock is asked for; names are mutexes that others acquire and claim too. */
    record Ask(int who, int name, Mode mode, long patience, long confirm, long lease)
            implements Step {}

    /** Something is done about an ask or a tracked acquire. */
    record Settle(int who, int back, Answer answer, boolean elsewhere) implements Step {}

    /** What is done about it. */
    enum Answer {
        CONFIRM,
        DECLINE,
        GIVE_UP,
        CHECK
    }

    record Suspend(int who, int name) implements Step {}

    record Resume(int who, int name) implements Step {}

    record Reassert(int who, int name, Mode mode, long lease) implements Step {}

    /** The session ends with so many requests unanswered, and the person opens a new one. */
    record Close(int who, int unanswered) implements Step {}

    /** Something is done to data; a time to live in it is a number of units. */
    record Data(int who, int name, DataOperation operation) implements Step {}

    record Collect(int most) implements Step {}

    /** Collects in slices for as long as there may be more, as a driver does. */
    record CollectAll(int slice) implements Step {}

    record Tick() implements Step {}

    /** Looks at the engine when it asks for it. */
    record Follow() implements Step {}

    /** The clock moves, perhaps back, but nobody tells the engine before the next command. */
    record Pass(long nanos) implements Step {}

    /** Memory gets short, or is there again. */
    record Room(boolean left) implements Step {}
}
