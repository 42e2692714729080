package io.holdfast.engine;

/** A slot that is held on other terms than {@link Terms#PLAIN}. */
final class TermsHold extends Hold {
    private Terms terms;

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
    void passTo(Session next, long nextRequest) {
        super.passTo(next, nextRequest);
        terms = Terms.of(terms.mode());
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
