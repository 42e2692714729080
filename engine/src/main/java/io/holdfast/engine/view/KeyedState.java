package io.holdfast.engine.view;

import io.holdfast.engine.Key;
import io.holdfast.engine.time.Deadline;

import org.jspecify.annotations.Nullable;

/**
 * The state of a key: a resource or a data entry. As a deadline, it is scheduled for the end of its
 * idle time or of its time to live.
 */
public abstract non-sealed class KeyedState extends Deadline implements CursorList.Node {
    public final Key key;
    public long lastActivityNanos;

    private CursorList.@Nullable Node listedBefore;
    private CursorList.@Nullable Node listedAfter;

    protected KeyedState(Key key) {
        this.key = key;
    }

    @Override
    public final CursorList.@Nullable Node before() {
        return listedBefore;
    }

    @Override
    public final CursorList.@Nullable Node after() {
        return listedAfter;
    }

    @Override
    public final void setBefore(CursorList.@Nullable Node node) {
        listedBefore = node;
    }

    @Override
    public final void setAfter(CursorList.@Nullable Node node) {
        listedAfter = node;
    }
}
