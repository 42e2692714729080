package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** What stands under a key: a resource or an entry. */
abstract sealed class Named extends Deadline implements Roster.Node permits Resource, Entry {
    final Key key;
    long lastActivityNanos;

    private Roster.@Nullable Node listedBefore;
    private Roster.@Nullable Node listedAfter;

    Named(Key key) {
        this.key = key;
    }

    @Override
    public final Roster.@Nullable Node before() {
        return listedBefore;
    }

    @Override
    public final Roster.@Nullable Node after() {
        return listedAfter;
    }

    @Override
    public final void setBefore(Roster.@Nullable Node node) {
        listedBefore = node;
    }

    @Override
    public final void setAfter(Roster.@Nullable Node node) {
        listedAfter = node;
    }
}
