package io.holdfast.engine;

/** A place in line for a hold on other terms than {@link Terms#PLAIN}. */
final class TermsWait extends Wait {
    private final Terms terms;

    TermsWait(
            Resource resource,
            Session session,
            long request,
            long salt,
            long leaseNanos,
            boolean enqueued,
            Terms terms) {
        super(resource, session, request, salt, leaseNanos, enqueued);
        this.terms = terms;
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
