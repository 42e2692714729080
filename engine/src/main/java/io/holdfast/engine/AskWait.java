package io.holdfast.engine;

/** The place in line of a {@link Command.Ask}. When its turn comes it is made an offer. */
final class AskWait extends Wait {
    private final Mode mode;

    /** How long the offer will stand. */
    final long confirmNanos;

    AskWait(Resource resource, Session session, Command.Ask c) {
        super(resource, session, c.request(), c.salt(), c.leaseNanos(), false);
        this.mode = c.mode();
        this.confirmNanos = c.confirmNanos();
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
