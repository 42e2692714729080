package io.holdfast.server.dflockd;

import io.holdfast.driver.Driver;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.server.connection.Connection;
import io.netty.util.concurrent.EventExecutor;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The sessions in tagged mode, with and without a connection. */
final class TaggedSessionRegistry {
    /** Maximum number of detached sessions that are not in use. */
    private static final int MAX_DETACHED_UNUSED = 1000;

    /** Estimated heap of a detached session; all together may use an eighth of the heap. */
    private static final int DETACHED_BYTES = 4096;

    private final Driver driver;
    private final boolean autoRelease;
    private final ConcurrentMap<Long, TaggedSession> open = new ConcurrentHashMap<>();
    private final AtomicInteger detachedUnused = new AtomicInteger();
    private final AtomicInteger detached = new AtomicInteger();
    private final long maxDetached =
            Math.max(MAX_DETACHED_UNUSED, Runtime.getRuntime().maxMemory() / 8 / DETACHED_BYTES);
    private volatile boolean closed;

    TaggedSessionRegistry(Driver driver, boolean autoRelease) {
        this.driver = driver;
        this.autoRelease = autoRelease;
    }

    TaggedSession open(Connection<?> owner, long graceNanos, String label) {
        long[] id = new long[1];
        TaggedSession session =
                new TaggedSession(
                        driver, label, graceNanos, autoRelease, owner, () -> open.remove(id[0]));
        id[0] = session.session().id();
        open.put(id[0], session);
        return session;
    }

    /**
     * Makes a connection the owner of a session; null if there is no such session or the secret is
     * wrong.
     */
    @Nullable TaggedSession resume(DflockdRequest.Resume request, Connection<?> next) {
        TaggedSession session = open.get(request.session());
        return session != null && session.resume(request.secret(), next) ? session : null;
    }

    /** The connection of a session has ended. */
    void detach(TaggedSession left, Connection<?> from, EventExecutor timer) {
        left.detach(
                from,
                new TaggedSession.DetachedSessions() {
                    private boolean unused;

                    @Override
                    public boolean admits(TaggedSession session) {
                        unused = !session.isInUse();
                        if (closed || detached.get() >= maxDetached) {
                            return false;
                        }
                        if (unused && detachedUnused.incrementAndGet() > MAX_DETACHED_UNUSED) {
                            detachedUnused.decrementAndGet();
                            return false;
                        }
                        return true;
                    }

                    @Override
                    public Future<?> after(long nanos, Runnable task) {
                        boolean countedUnused = unused;
                        detached.incrementAndGet();
                        var end = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
                        end.addListener(
                                _ -> {
                                    detached.decrementAndGet();
                                    if (countedUnused) {
                                        detachedUnused.decrementAndGet();
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

    /** Ends all sessions; from now on none outlives its connection. */
    void close() {
        closed = true;
        new ArrayList<>(open.values()).forEach(TaggedSession::end);
    }
}
