package io.holdfast.bench;

import io.holdfast.engine.Ledger;

/** A ledger with room for everything. */
final class BenchLedger implements Ledger {
    private long fence;

    @Override
    public long nextFence() {
        return ++fence;
    }

    @Override
    public boolean reserveKey() {
        return true;
    }

    @Override
    public void returnKey() {}

    @Override
    public boolean reserveClaim() {
        return true;
    }

    @Override
    public void returnClaim() {}

    @Override
    public boolean reserveEntry() {
        return true;
    }

    @Override
    public void returnEntry() {}

    @Override
    public boolean reserve() {
        return true;
    }

    @Override
    public void giveBack() {}
}
