package io.holdfast.server.dflockd;

/** The pushed bytes that are not written yet, for tests of other packages. */
public final class PushedBytes {
    private PushedBytes() {}

    public static long of(DflockdService service) {
        return service.pushBudget.usedBytes();
    }
}
