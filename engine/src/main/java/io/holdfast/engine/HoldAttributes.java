package io.holdfast.engine;

/**
 * The attributes of a hold.
 *
 * @param mode {@link ReadWriteMode#READ} for read/write locks only
 * @param bound whether the hold ends with its session; otherwise only a release by token or the
 *     expiry of its lease ends it
 * @param tracked whether the session refers to it by its request number, as for a {@link
 *     Command.RequestOffer}: {@link Command.OnTrackedRequest} finds it, and its loss is reported by
 *     {@link Effect.Expired} or {@link Effect.Revoked}
 */
public record HoldAttributes(ReadWriteMode mode, boolean bound, boolean tracked) {
    /** An exclusive hold that ends with its session and is identified by its token only. */
    public static final HoldAttributes PLAIN = new HoldAttributes(ReadWriteMode.WRITE, true, false);

    private static final HoldAttributes PLAIN_READ =
            new HoldAttributes(ReadWriteMode.READ, true, false);

    /** Bound and untracked, with a mode. */
    public static HoldAttributes of(ReadWriteMode readWriteMode) {
        return readWriteMode == ReadWriteMode.WRITE ? PLAIN : PLAIN_READ;
    }

    public boolean isPlain() {
        return bound && !tracked && mode == ReadWriteMode.WRITE;
    }
}
