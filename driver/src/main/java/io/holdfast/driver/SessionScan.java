package io.holdfast.driver;

import io.holdfast.driver.view.ScanCursor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/** Scans the sessions of a concurrent map. */
public final class SessionScan<S> implements ScanCursor<SessionView> {
    private static final int SLICE = 512;

    private final Iterator<S> rest;
    private final Function<S, SessionView> viewOf;

    public SessionScan(Collection<S> sessions, Function<S, SessionView> viewOf) {
        this.rest = sessions.iterator();
        this.viewOf = viewOf;
    }

    @Override
    public List<SessionView> next() {
        List<SessionView> slice = new ArrayList<>();
        while (slice.size() < SLICE && rest.hasNext()) {
            slice.add(viewOf.apply(rest.next()));
        }
        return slice;
    }

    @Override
    public void close() {}
}
