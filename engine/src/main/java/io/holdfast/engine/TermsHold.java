package io.holdfast.engine;

/** A slot that is held on other terms than {@link Terms#PLAIN}. */
final class TermsHold extends Hold {
    private final Terms terms;

    TermsHold(
            Resource resource,
            Session session,
            long request,
            long fence,
            long salt,
            long leaseNanos,
            Terms terms) {
        super(resource, session, request, fence, salt, leaseNanos);
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
