package io.holdfast.server.dflockd;

import io.holdfast.driver.Driver;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.netty.util.concurrent.EventExecutor;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The sessions in tagged mode, with and without a connection. */
final class TaggedSessions {
    /** So many that nothing would be lost with may wait for their connections. */
    private static final int MAX_PARKED_UNUSED = 1000;

    /**
     * What one that waits for its connection may take of the heap, of which they have an eighth.
     */
    private static final int PARKED_BYTES = 4096;

    private final Driver driver;
    private final boolean autoRelease;
    private final ConcurrentMap<Long, TaggedSession> open = new ConcurrentHashMap<>();
    private final AtomicInteger parkedUnused = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private final long mostParked =
            Math.max(MAX_PARKED_UNUSED, Runtime.getRuntime().maxMemory() / 8 / PARKED_BYTES);
    private volatile boolean closed;

    TaggedSessions(Driver driver, boolean autoRelease) {
        this.driver = driver;
        this.autoRelease = autoRelease;
    }

    TaggedSession open(DflockdHandler owner, long graceNanos, String label) {
        long[] id = new long[1];
        TaggedSession session =
                new TaggedSession(
                        driver, label, graceNanos, autoRelease, owner, () -> open.remove(id[0]));
        id[0] = session.session().id();
        open.put(id[0], session);
        return session;
    }

    /** The session if it lives and the secret is its own; it belongs to the connection now. */
    @Nullable TaggedSession resume(DflockdRequest.Resume what, DflockdHandler next) {
        TaggedSession session = open.get(what.session());
        return session != null && session.resume(what.secret(), next) ? session : null;
    }

    /** The connection of a session has ended. */
    void detach(TaggedSession left, DflockdHandler from, EventExecutor timer) {
        left.detach(
                from,
                new TaggedSession.DetachedSessions() {
                    private boolean unused;

                    @Override
                    public boolean admits(TaggedSession session) {
                        unused = !session.isInUse();
                        if (closed || parked.get() >= mostParked) {
                            return false;
                        }
                        if (unused && parkedUnused.incrementAndGet() > MAX_PARKED_UNUSED) {
                            parkedUnused.decrementAndGet();
                            return false;
                        }
                        return true;
                    }

                    @Override
                    public Future<?> after(long nanos, Runnable task) {
                        boolean countedUnused = unused;
                        parked.incrementAndGet();
                        var end = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
                        end.addListener(
                                _ -> {
                                    parked.decrementAndGet();
                                    if (countedUnused) {
                                        parkedUnused.decrementAndGet();
                                    }
                                });
                        return end;
                    }
                });
    }

    boolean isAnyHeldWithGrace() {
        return open.values().stream()
                .anyMatch(session -> session.graceNanos() > 0 && session.session().isHolding());
    }

    /** Ends all of them; none waits for a connection from now on. */
    void close() {
        closed = true;
        new ArrayList<>(open.values()).forEach(TaggedSession::end);
    }
}
