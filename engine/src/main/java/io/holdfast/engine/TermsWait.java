package io.holdfast.engine;

/** The place in line of a {@link Command.Acquire} on other terms than {@link Terms#PLAIN}. */
final class TermsWait extends Wait {
    private final Terms terms;

    TermsWait(Resource resource, Session session, Command.Acquire c) {
        super(resource, session, c.request(), c.salt(), c.leaseNanos(), false);
        this.terms = c.terms();
    }

    @Override
    Terms terms() {
        return terms;
    }

    @Override
    Mode mode() {
        return terms.mode();
    }

    @Override
    boolean isTracked() {
        return terms.tracked();
    }
}
