package io.holdfast.engine;

/** A place in line for a hold on other terms than {@link Terms#PLAIN}. */
final class TermsWait extends Wait {
    private final Terms terms;

    TermsWait(Resource resource, Session session, Command.Acquire c) {
        super(resource, session, c.request(), c.salt(), c.leaseNanos(), false);
        this.terms = c.terms();
    }

    TermsWait(Resource resource, Session session, Command.Enqueue c) {
        super(resource, session, NOBODY, c.salt(), c.leaseNanos(), true);
        this.terms = Terms.of(c.mode());
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
