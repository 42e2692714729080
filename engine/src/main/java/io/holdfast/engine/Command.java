package io.holdfast.engine;

/**
 * What the engine can be asked to do. Every value in here has already been validated.
 *
 * <p>A session numbers its requests from 1 upwards; the number comes back in the effect that
 * answers the request, and names the wait that the request began. Spans are nanoseconds; {@link
 * #FOREVER} has no end.
 */
public sealed interface Command {
    long FOREVER = Long.MAX_VALUE;

    /** A command about one key, which is answered to the session that sent it. */
    sealed interface Keyed extends Command {
        long session();

        long request();

        Key key();
    }

    /** A command about a lock or a semaphore. */
    sealed interface Locking extends Keyed {
        ResourceKind kind();
    }

    /** Take a slot, waiting in line at most {@code waitNanos}; 0 tries once. */
    record Acquire(
            long session,
            long request,
            ResourceKind kind,
            Key key,
            long limit,
            long waitNanos,
            long leaseNanos,
            long salt,
            HoldAttributes terms)
            implements Locking {
        public Acquire(
                long session,
                long request,
                ResourceKind kind,
                Key key,
                long limit,
                long waitNanos,
                long leaseNanos,
                long salt) {
            this(
                    session,
                    request,
                    kind,
                    key,
                    limit,
                    waitNanos,
                    leaseNanos,
                    salt,
                    HoldAttributes.PLAIN);
        }
    }

    /**
     * Get in line without blocking; {@link Await} asks for the outcome.
     *
     * @param mode {@link ReadWriteMode#READ} for mutexes only
     */
    record Enqueue(
            long session,
            long request,
            ResourceKind kind,
            Key key,
            long limit,
            long leaseNanos,
            long salt,
            ReadWriteMode mode)
            implements Locking {
        public Enqueue(
                long session,
                long request,
                ResourceKind kind,
                Key key,
                long limit,
                long leaseNanos,
                long salt) {
            this(session, request, kind, key, limit, leaseNanos, salt, ReadWriteMode.WRITE);
        }
    }

    /**
     * Wait for what {@link Enqueue} began. Who waits for it already is told {@link
     * Effect.Cancelled}.
     */
    record Await(long session, long request, ResourceKind kind, Key key, long waitNanos)
            implements Locking {}

    /** Give a slot back: whoever knows the token may. */
    record Release(long session, long request, ResourceKind kind, Key key, Token token)
            implements Locking {}

    /** Start the lease anew, with this length: whoever knows the token may. */
    record Renew(
            long session, long request, ResourceKind kind, Key key, Token token, long leaseNanos)
            implements Locking {}

    /**
     * Take a slot at once and keep it until {@link ReleaseBySession} or the end of the session: it
     * has no lease, and nobody is told a token. A session that has one keeps it. The name of what
     * was only ever claimed is forgotten as soon as nobody has it.
     */
    record TryAcquire(long session, long request, ResourceKind kind, Key key, long salt)
            implements Locking {}

    /** Give back what this session holds, unless it asked for it by {@link RequestOffer}. */
    record ReleaseBySession(long session, long request, ResourceKind kind, Key key)
            implements Locking {}

    /** Ask how many hold it, and whether this session does other than by {@link RequestOffer}. */
    record Inspect(long session, long request, ResourceKind kind, Key key) implements Locking {}

    /**
     * Take a slot away from whoever has it, however it was taken: an operator says so. Answered by
     * {@link Effect.ForceReleased}; those who can be told are told {@link Effect.Revoked}.
     *
     * @param fence of the hold; 0 for all there are
     */
    record ForceRelease(long session, long request, ResourceKind kind, Key key, long fence)
            implements Locking {}

    /**
     * End the blocked request of this number. A wait is withdrawn; a hold that was granted to it
     * meanwhile is released, so the sender must disregard a {@link Effect.Granted} of that number
     * from now on. Nothing happens where neither exists.
     */
    record Cancel(long session, long request, ResourceKind kind, Key key) implements Locking {}

    /** A command about a mutex as a read/write lock. */
    sealed interface ReadWrite extends Locking {
        @Override
        default ResourceKind kind() {
            return ResourceKind.LOCK;
        }
    }

    /**
     * Get in line for a lock, to read or to write. It is answered by {@link Effect.Queued} at once,
     * and then, with the number of this request, by {@link Effect.Offered} or, after {@code
     * waitNanos} in line, by {@link Effect.TimedOut}. The request number names it until it ends; a
     * session may have many. It ends with the session in any case.
     *
     * @param confirmNanos how long the offer stands
     * @param leaseNanos counted from the confirmation
     */
    record RequestOffer(
            long session,
            long request,
            Key key,
            ReadWriteMode mode,
            long waitNanos,
            long confirmNanos,
            long leaseNanos,
            long salt)
            implements ReadWrite {}

    /**
     * A command about the ask, or the tracked acquire, of a request number, answered by {@link
     * Effect.StatusReport}.
     */
    sealed interface OnTrackedRequest extends ReadWrite {
        long targetRequest();
    }

    /** Take up an offer: it is a hold now. Nothing changes where there is none. */
    record Confirm(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /** Leave the line, or turn an offer down. What is held stays. */
    record Decline(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /** Leave the line, turn the offer down or release, as it may be. */
    record CancelOrRelease(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /** Ask how it stands. */
    record QueryStatus(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /**
     * Grant and offer nothing more of a key, until {@link Resume}. Who would be granted waits, as
     * long as it wants to; holds stay. A key that nobody uses is remembered meanwhile.
     */
    record Suspend(long session, long request, Key key) implements ReadWrite {}

    /** Grant and offer again. */
    record Resume(long session, long request, Key key) implements ReadWrite {}

    /**
     * Have a lock as if this request had asked for it and confirmed. Refused as {@link
     * Refusal#BUSY} unless the key is suspended and what is held and offered leaves room for it.
     */
    record Reassert(
            long session, long request, Key key, ReadWriteMode mode, long leaseNanos, long salt)
            implements ReadWrite {}

    /** Read or change a counter, a value or a list. */
    record Data(long session, long request, Key key, DataOperation operation) implements Keyed {}

    /**
     * The session is gone: its waits end and, unless auto-release is off, its holds are released.
     * Holds without a lease, those whose token nobody was told, and those that began with an {@link
     * RequestOffer}, are released in any case; unbound ones are not. Nobody was told those of
     * requests after {@code lastAnswered}, the last whose answer was written. A session with more
     * than {@code most} of both is closed by asking again.
     *
     * @param successorsSinceNanos a hold that another session has renewed at this time or later
     *     passes to that session instead; {@link #FOREVER} for no such inheritance
     */
    record CloseSession(long session, long lastAnswered, int maxEnded, long successorsSinceNanos)
            implements Command {
        public CloseSession(long session, long lastAnswered, int most) {
            this(session, lastAnswered, most, FOREVER);
        }

        public CloseSession(long session, long lastAnswered) {
            this(session, lastAnswered, Integer.MAX_VALUE);
        }
    }

    /** Time has passed and nothing else happened. */
    record Tick() implements Command {}

    /**
     * Drop keys that have been idle for too long, looking at no more than {@code most} locks and as
     * many entries.
     */
    record Collect(int maxExamined) implements Command {}
}
