package io.holdfast.engine;

/**
 * How a slot is to be held.
 *
 * @param mode {@link ReadWriteMode#READ} for mutexes only
 * @param bound whether the hold ends with its session; otherwise only by its token or its lease
 * @param tracked whether the session names it by its request, as it does an {@link
 *     Command.RequestOffer}: {@link Command.OnTrackedRequest} finds it, and its loss is told by
 *     {@link Effect.Expired} or {@link Effect.Revoked}
 */
public record HoldAttributes(ReadWriteMode mode, boolean bound, boolean tracked) {
    /** Alone, until the end of the session, and known by its token only. */
    public static final HoldAttributes PLAIN = new HoldAttributes(ReadWriteMode.WRITE, true, false);

    private static final HoldAttributes PLAIN_READ =
            new HoldAttributes(ReadWriteMode.READ, true, false);

    /** The usual ones, for a mode. */
    static HoldAttributes of(ReadWriteMode readWriteMode) {
        return readWriteMode == ReadWriteMode.WRITE ? PLAIN : PLAIN_READ;
    }

    boolean isPlain() {
        return bound && !tracked && mode == ReadWriteMode.WRITE;
    }
}
