package io.holdfast.engine;

/**
 * A command to the engine. Every value in it has already been validated.
 *
 * <p>A session numbers its requests from 1 upwards. The number is repeated in the effects of the
 * request, and identifies the waiter or the hold that the request created. Durations are in
 * nanoseconds; {@link #FOREVER} is unlimited.
 */
public sealed interface Command {
    long FOREVER = Long.MAX_VALUE;

    /** A command about one key; its effect is addressed to the session that sent it. */
    sealed interface Keyed extends Command {
        long session();

        long request();

        Key key();
    }

    /** A command about a lock or a semaphore. */
    sealed interface Locking extends Keyed {
        ResourceKind kind();
    }

    /** A command that acquires a slot, at once if it is free and otherwise through the queue. */
    sealed interface AcquireRequest extends Locking {
        long limit();

        long leaseNanos();

        long salt();

        HoldAttributes attributes();
    }

    /** Acquires a slot, waiting in the queue for up to {@code waitNanos}; 0 does not wait. */
    record Acquire(
            long session,
            long request,
            ResourceKind kind,
            Key key,
            long limit,
            long waitNanos,
            long leaseNanos,
            long salt,
            HoldAttributes attributes)
            implements AcquireRequest {
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
     * Takes a position in the queue without blocking; {@link Await} collects the grant later.
     *
     * @param mode {@link ReadWriteMode#READ} for read/write locks only
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
            implements AcquireRequest {
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

        @Override
        public HoldAttributes attributes() {
            return HoldAttributes.of(mode);
        }
    }

    /**
     * Waits for the grant of an {@link Enqueue}. An earlier await of the same waiter ends with
     * {@link Effect.Cancelled}.
     */
    record Await(long session, long request, ResourceKind kind, Key key, long waitNanos)
            implements Locking {}

    /** Releases a slot. Any session may, if it has the token. */
    record Release(long session, long request, ResourceKind kind, Key key, Token token)
            implements Locking {}

    /** Restarts the lease, with this duration. Any session may, if it has the token. */
    record Renew(
            long session, long request, ResourceKind kind, Key key, Token token, long leaseNanos)
            implements Locking {}

    /**
     * Acquires a slot without waiting and holds it until {@link ReleaseBySession} or the end of the
     * session: the hold has no lease, and its token is not returned. A session that holds a slot
     * already keeps it. A key that was only ever try-acquired is dropped as soon as it has no
     * holder.
     */
    record TryAcquire(long session, long request, ResourceKind kind, Key key, long salt)
            implements Locking {}

    /** Releases what this session holds, except a hold that began with {@link RequestOffer}. */
    record ReleaseBySession(long session, long request, ResourceKind kind, Key key)
            implements Locking {}

    /**
     * Queries the number of holders, and whether this session is one of them other than by {@link
     * RequestOffer}.
     */
    record Inspect(long session, long request, ResourceKind kind, Key key) implements Locking {}

    /**
     * Releases a hold of any session, however it was acquired, on behalf of an operator. The result
     * is {@link Effect.ForceReleased}; holders of tracked holds get {@link Effect.Revoked}.
     *
     * @param fence of the hold; 0 for all holds of the key
     */
    record ForceRelease(long session, long request, ResourceKind kind, Key key, long fence)
            implements Locking {}

    /**
     * Ends the blocked request with this number. A waiter is removed from the queue; a hold that
     * has been granted to the request meanwhile is released, so from now on the sender must ignore
     * an {@link Effect.Granted} with that number. Has no effect if neither exists.
     */
    record Cancel(long session, long request, ResourceKind kind, Key key) implements Locking {}

    /** A command about a read/write lock. */
    sealed interface ReadWrite extends Locking {
        @Override
        default ResourceKind kind() {
            return ResourceKind.LOCK;
        }
    }

    /**
     * Enqueues for a lock, to read or to write. The effect is {@link Effect.Queued} at once,
     * followed, with the number of this request, by {@link Effect.Offered} or, after {@code
     * waitNanos} in the queue, by {@link Effect.TimedOut}. The request number identifies the
     * waiter, the offer and the hold until it ends; a session may have many. It always ends with
     * the session.
     *
     * @param confirmNanos how long the offer can be confirmed
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
     * A command about the requested offer, or the tracked acquire, with a request number. The
     * result is {@link Effect.StatusReport}.
     */
    sealed interface OnTrackedRequest extends ReadWrite {
        long targetRequest();
    }

    /** Confirms an offer, which makes it a hold. Has no effect if there is no offer. */
    record Confirm(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /** Leaves the queue, or declines an offer. A confirmed hold stays. */
    record Decline(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /** Leaves the queue, declines the offer or releases the hold, whichever applies. */
    record CancelOrRelease(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /** Queries the status. */
    record QueryStatus(long session, long request, Key key, long targetRequest)
            implements OnTrackedRequest {}

    /**
     * Suspends grants and offers of a key until {@link Resume}. Requests are queued and their wait
     * timeouts continue to run; holds stay. An unused key is retained meanwhile.
     */
    record Suspend(long session, long request, Key key) implements ReadWrite {}

    /** Resumes grants and offers. */
    record Resume(long session, long request, Key key) implements ReadWrite {}

    /**
     * Restores a hold as if this request had been offered the lock and had confirmed. Refused as
     * {@link Refusal#BUSY} unless the key is suspended and the hold is compatible with the existing
     * holds and offers.
     */
    record Reassert(
            long session, long request, Key key, ReadWriteMode mode, long leaseNanos, long salt)
            implements ReadWrite {}

    /** Reads or changes a counter, a value or a list. */
    record Data(long session, long request, Key key, DataOperation operation) implements Keyed {}

    /**
     * The session has ended: its waiters are removed and, unless auto-release is off, its holds are
     * released. Holds without a lease, holds whose token was not delivered, and holds that began
     * with a {@link RequestOffer} are always released; other unbound holds are not. The tokens of
     * requests after {@code lastAnswered}, the last request whose response was written, count as
     * not delivered. Repeat the command while the session has more than {@code maxEnded} waiters
     * and holds.
     *
     * @param maxEnded maximum number of waiters and holds that one command ends
     * @param successorsSinceNanos a hold that another session has renewed at this time or later
     *     passes to that session instead of being released; {@link #FOREVER} to pass on none
     */
    record CloseSession(long session, long lastAnswered, int maxEnded, long successorsSinceNanos)
            implements Command {
        public CloseSession(long session, long lastAnswered, int maxEnded) {
            this(session, lastAnswered, maxEnded, FOREVER);
        }

        public CloseSession(long session, long lastAnswered) {
            this(session, lastAnswered, Integer.MAX_VALUE);
        }
    }

    /** Time has passed: expires what is due. */
    record Tick() implements Command {}

    /**
     * Drops keys that have been idle for too long, examining at most {@code maxExamined} locks and
     * as many data entries.
     */
    record Collect(int maxExamined) implements Command {}
}
