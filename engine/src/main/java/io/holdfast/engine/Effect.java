package io.holdfast.engine;

import java.util.List;

/** What to tell which session: the answer to the request of that number. */
public sealed interface Effect {
    long session();

    long request();

    /** The session holds a slot now. */
    record Granted(long session, long request, Key key, Token token, long leaseNanos)
            implements Effect {}

    /** An enqueue or an ask joined the line. */
    record Queued(long session, long request) implements Effect {}

    record Released(long session, long request) implements Effect {}

    record Renewed(long session, long request, long leaseNanos) implements Effect {}

    /** The wait ran out; the place in line is given up. */
    record TimedOut(long session, long request) implements Effect {}

    /** {@link Command.Cancel} ended the request. */
    record Cancelled(long session, long request) implements Effect {}

    /**
     * The session has what it claimed.
     *
     * @param isNew whether it had not before
     * @param holders how many have it now
     */
    record TryAcquired(long session, long request, boolean isNew, int holders) implements Effect {}

    /**
     * What {@link Command.Inspect} found.
     *
     * @param own whether the session that asks is one of the holders
     */
    record Inspected(long session, long request, int holders, boolean own) implements Effect {}

    /** A session ended while it had claims: how many of these kinds were released by that. */
    record Orphaned(long session, int locks, int shared) implements Effect {
        /** It answers no request. */
        @Override
        public long request() {
            return 0;
        }
    }

    /**
     * The turn of a {@link Command.RequestOffer} has come: it is to be confirmed in time. This and
     * the two below carry the number of the ask, and come unasked.
     */
    record Offered(long session, long request, Key key, ReadWriteMode mode, long fence)
            implements Effect {}

    /** An offer was not confirmed in time. */
    record OfferExpired(long session, long request) implements Effect {}

    /** The lease of what was asked for and confirmed, or of a tracked hold, has ended. */
    record Expired(long session, long request) implements Effect {}

    /** Another session released a tracked hold, or took it away. */
    record Revoked(long session, long request) implements Effect {}

    /**
     * Holds were taken away.
     *
     * @param lost who lost what, in order of grant
     * @param fence above theirs, and below that of every grant that follows
     */
    record ForceReleased(long session, long request, List<Loss> lost, long fence)
            implements Effect {
        public int holds() {
            return lost.size();
        }

        /** One hold that was taken away. */
        public record Loss(long session, long fence) {}
    }

    /**
     * How an ask stood before the command that this answers; after a {@link Command.Reassert}, how
     * it stands.
     *
     * @param fence 0 unless it is offered or held
     */
    record StatusReport(long session, long request, OfferRequestStatus status, long fence)
            implements Effect {}

    /** It was changed as asked. */
    record Changed(long session, long request) implements Effect {}

    /** What a counter is now, or how long a list is. */
    record Counted(long session, long request, long value) implements Effect {}

    /** The value, or the item that was taken out of a list. */
    record Found(long session, long request, ByteString value) implements Effect {}

    /** There is no such value, or no item in the list. */
    record Absent(long session, long request) implements Effect {}

    /** Items of a list, in order. */
    record Items(long session, long request, List<ByteString> items) implements Effect {}

    /** The request changed nothing. */
    record Refused(long session, long request, Refusal reason) implements Effect {}
}
