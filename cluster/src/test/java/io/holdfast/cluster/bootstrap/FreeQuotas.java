package io.holdfast.cluster.bootstrap;

import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;

import org.jspecify.annotations.Nullable;

/** Quotas that refuse and count nothing. */
final class FreeQuotas implements Quotas {
    @Override
    public long nextFence() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean reserveKey(Key key, @Nullable Client client) {
        return true;
    }

    @Override
    public void returnKey(Key key, @Nullable Client client) {}

    @Override
    public boolean reserveTransientKey(Key key, @Nullable Client client) {
        return true;
    }

    @Override
    public void returnTransientKey(Key key, @Nullable Client client) {}

    @Override
    public boolean reserveHold(@Nullable Client client) {
        return true;
    }

    @Override
    public void returnHold(@Nullable Client client) {}

    @Override
    public boolean reserveWait(@Nullable Client client) {
        return true;
    }

    @Override
    public void returnWait(@Nullable Client client) {}

    @Override
    public void grantWait(@Nullable Client client) {}

    @Override
    public void passHold(@Nullable Client from, @Nullable Client to) {}

    @Override
    public boolean reserveEntry(Key key, @Nullable Client client) {
        return true;
    }

    @Override
    public void returnEntry(Key key, @Nullable Client client) {}

    @Override
    public boolean reserveContent(int bytes) {
        return true;
    }

    @Override
    public void returnContent(int bytes) {}
}
