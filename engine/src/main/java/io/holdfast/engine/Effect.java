package io.holdfast.engine;

import java.util.List;

/** A result of a command, addressed to a session and to its request with that number. */
public sealed interface Effect {
    long session();

    long request();

    /** The session holds a slot now. */
    record Granted(long session, long request, Key key, Token token, long leaseNanos)
            implements Effect {}

    /** An {@link Command.Enqueue} or {@link Command.RequestOffer} was queued. */
    record Queued(long session, long request) implements Effect {}

    record Released(long session, long request) implements Effect {}

    record Renewed(long session, long request, long leaseNanos) implements Effect {}

    /** The wait timed out; the waiter was removed from the queue. */
    record TimedOut(long session, long request) implements Effect {}

    /** {@link Command.Cancel} ended the request. */
    record Cancelled(long session, long request) implements Effect {}

    /**
     * The session holds what it tried to acquire.
     *
     * @param isNew false if it held it before
     * @param holders the current number of holders
     */
    record TryAcquired(long session, long request, boolean isNew, int holders) implements Effect {}

    /**
     * The result of {@link Command.Inspect}.
     *
     * @param own whether the requesting session is one of the holders
     */
    record Inspected(long session, long request, int holders, boolean own) implements Effect {}

    /**
     * A session ended with try-acquired holds: how many locks and shared locks were released by
     * that.
     */
    record Orphaned(long session, int locks, int shared) implements Effect {
        /** 0: it is the result of no request. */
        @Override
        public long request() {
            return 0;
        }
    }

    /**
     * The lock is offered to a {@link Command.RequestOffer} and has to be confirmed in time. This
     * and the two effects below carry the number of that request and are unsolicited.
     */
    record Offered(long session, long request, Key key, ReadWriteMode mode, long fence)
            implements Effect {}

    /** An offer was not confirmed in time. */
    record OfferExpired(long session, long request) implements Effect {}

    /** The lease of a confirmed offer or of a tracked hold has expired. */
    record Expired(long session, long request) implements Effect {}

    /** A tracked hold was released by another session or by an operator. */
    record Revoked(long session, long request) implements Effect {}

    /**
     * Holds were released by force.
     *
     * @param lost the released holds, in order of grant
     * @param fence above the fences of these holds, and below that of every later grant
     */
    record ForceReleased(long session, long request, List<Loss> lost, long fence)
            implements Effect {
        public int holds() {
            return lost.size();
        }

        /** A hold that was released by force. */
        public record Loss(long session, long fence) {}
    }

    /**
     * The status of an offer request or tracked acquire before the command; for a {@link
     * Command.Reassert}, the status after it.
     *
     * @param fence 0 unless it is offered or held
     */
    record StatusReport(long session, long request, OfferRequestStatus status, long fence)
            implements Effect {}

    /** The change was made. */
    record Changed(long session, long request) implements Effect {}

    /** The current value of a counter, or the length of a list. */
    record Counted(long session, long request, long value) implements Effect {}

    /** The value, or the item that was popped from a list. */
    record Found(long session, long request, ByteString value) implements Effect {}

    /** There is no such value, or the list is empty. */
    record Absent(long session, long request) implements Effect {}

    /** Items of a list, in order. */
    record Items(long session, long request, List<ByteString> items) implements Effect {}

    /** The request changed nothing. */
    record Refused(long session, long request, Refusal reason) implements Effect {}
}
