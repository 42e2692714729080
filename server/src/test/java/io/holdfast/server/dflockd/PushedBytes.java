package io.holdfast.server.dflockd;

/** What was pushed and not yet written, for tests of other packages. */
public final class PushedBytes {
    private PushedBytes() {}

    public static long of(DflockdService service) {
        return service.pushBudget.usedBytes();
    }
}
