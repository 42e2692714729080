package io.holdfast.engine;

/**
 * How a slot is to be held.
 *
 * @param mode {@link Mode#READ} for mutexes only
 * @param bound whether the hold ends with its session; otherwise only by its token or its lease
 * @param tracked whether the session names it by its request, as it does an {@link Command.Ask}:
 *     {@link Command.Asked} finds it, and its loss is told by {@link Effect.Expired} or {@link
 *     Effect.Revoked}
 */
public record Terms(Mode mode, boolean bound, boolean tracked) {
    /** Alone, until the end of the session, and known by its token only. */
    public static final Terms PLAIN = new Terms(Mode.WRITE, true, false);

    private static final Terms PLAIN_READ = new Terms(Mode.READ, true, false);

    /** The usual ones, for a mode. */
    static Terms of(Mode mode) {
        return mode == Mode.WRITE ? PLAIN : PLAIN_READ;
    }

    boolean isPlain() {
        return bound && !tracked && mode == Mode.WRITE;
    }
}
