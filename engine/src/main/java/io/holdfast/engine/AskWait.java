package io.holdfast.engine;

/** The place in line of a {@link Command.Ask}. When its turn comes it is made an offer. */
final class AskWait extends Wait {
    private final Mode mode;

    /** How long the offer will stand. */
    final long confirmNanos;

    AskWait(
            Resource resource,
            Session session,
            long request,
            long salt,
            long leaseNanos,
            Mode mode,
            long confirmNanos) {
        super(resource, session, request, salt, leaseNanos, false);
        this.mode = mode;
        this.confirmNanos = confirmNanos;
    }

    @Override
    Mode mode() {
        return mode;
    }

    @Override
    boolean isTracked() {
        return true;
    }
}
