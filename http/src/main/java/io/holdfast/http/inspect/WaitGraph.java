package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.view.HoldOrWaiterView;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.QueueView;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Reads the wait-for graph queue by queue, without stopping the server, and finds the deadlocks
 * that exist in spite of that.
 *
 * <p>What is read at different moments may never have been true at the same time. So a session that
 * seems stuck is checked again: only waits that began before the first queue was read and still
 * last are counted. All of these lasted during the whole scan, and a waiting session neither
 * acquires nor releases anything. Exceptions are sessions that execute several requests at once,
 * and those that were enqueued before they waited: so the holders of the keys of a cycle are read
 * again at the end.
 *
 * <p>A queued acquire that the client does not wait for does not block its session.
 */
final class WaitGraph {
    /** Maximum number of waiters that are read from each queue. */
    static final int MAX_QUEUE_LENGTH = 256;

    /** Maximum numbers of queues and of waiters that are read in all; the rest is ignored. */
    private static final int MAX_QUEUES = 100_000;

    private static final int MAX_WAITERS = 200_000;

    /** Maximum number of holders whose waits are looked up because the scan was truncated. */
    private static final int MAX_LOOKUPS = 20_000;

    private static final int MAX_HOLDS_AND_WAITERS = 256;
    private static final int MAX_CYCLES = 100;

    private final Driver driver;
    private final LongSupplier clock;
    private final LongPredicate concurrent;
    private final List<QueueView> queues = new ArrayList<>();
    private final Map<ResourceKey, DeadlockDetector.Holders> holders = new HashMap<>();
    private final Map<Long, SequencedSet<ResourceKey>> waits = new HashMap<>();
    private long waiters;
    private boolean truncated;

    /**
     * @param clock in nanoseconds
     * @param concurrent whether a session executes several requests at once
     */
    WaitGraph(Driver driver, LongSupplier clock, LongPredicate concurrent) {
        this.driver = driver;
        this.clock = clock;
        this.concurrent = concurrent;
    }

    /** The queues, each up to the maximum number of waiters. */
    List<QueueView> queues() {
        return queues;
    }

    /** Whether the limits were reached, so that a part is missing. */
    boolean isTruncated() {
        return truncated;
    }

    /** Reads the graph and returns the deadlocks. */
    List<List<DeadlockDetector.Step>> read() {
        long began = clock.getAsLong();
        readQueues();
        if (truncated) {
            lookUpHolders();
        }
        Set<Long> stuck = new DeadlockDetector(holders, waits, concurrent).stuck();
        if (stuck.isEmpty()) {
            return List.of();
        }
        Map<Long, SequencedSet<ResourceKey>> lasting = new HashMap<>();
        for (Long session : stuck) {
            SequencedSet<ResourceKey> resources = lastingWaits(session, began);
            if (!resources.isEmpty()) {
                lasting.put(session, resources);
            }
        }
        return new DeadlockDetector(holders, lasting, concurrent)
                .cycles(MAX_CYCLES).stream().filter(this::isStillHeld).toList();
    }

    private boolean isStillHeld(List<DeadlockDetector.Step> cycle) {
        long holder = cycle.getFirst().session();
        for (DeadlockDetector.Step step : cycle.reversed()) {
            if (!isHolder(holder, step.resource())) {
                return false;
            }
            holder = step.session();
        }
        return true;
    }

    /** Whether a session holds the resource, to read or to write. */
    private boolean isHolder(long session, ResourceKey resourceKey) {
        KeyView view =
                driver.queries().view(resourceKey.kind(), resourceKey.key(), MAX_QUEUE_LENGTH);
        return view != null
                && view.holders().stream().anyMatch(holder -> holder.session() == session);
    }

    private void readQueues() {
        try (ScanCursor<QueueView> scanCursor = driver.queries().listQueues(MAX_QUEUE_LENGTH)) {
            for (List<QueueView> slice = scanCursor.next();
                    !slice.isEmpty();
                    slice = scanCursor.next()) {
                for (QueueView queue : slice) {
                    if (queues.size() == MAX_QUEUES || waiters > MAX_WAITERS) {
                        truncated = true;
                        return;
                    }
                    add(queue);
                }
            }
        }
    }

    private void add(QueueView queue) {
        queues.add(queue);
        ResourceKey resourceKey = new ResourceKey(queue.kind(), queue.key());
        boolean complete = queue.holders().size() == queue.held();
        holders.put(resourceKey, new DeadlockDetector.Holders(queue.holders(), complete));
        for (QueueView.Waiter waiter : queue.waiters()) {
            if (waiter.awaited()) {
                waits.computeIfAbsent(waiter.session(), _ -> new LinkedHashSet<>(2))
                        .add(resourceKey);
            }
        }
        waiters += queue.waiters().size();
        truncated |= queue.waiters().size() < queue.waiting() || !complete;
    }

    /** Looks up the waits of holders that may be further back in a queue than was read. */
    private void lookUpHolders() {
        Set<Long> unseen = new HashSet<>();
        for (DeadlockDetector.Holders each : holders.values()) {
            for (Long session : each.sessions()) {
                if (unseen.size() < MAX_LOOKUPS && !waits.containsKey(session)) {
                    unseen.add(session);
                }
            }
        }
        for (Long session : unseen) {
            SessionView view = driver.session(session);
            if (view == null || view.waits() == 0) {
                continue;
            }
            for (HoldOrWaiterView holdOrWait :
                    driver.queries().holdsAndWaiters(session, MAX_HOLDS_AND_WAITERS)) {
                if (holdOrWait.awaited()) {
                    waits.computeIfAbsent(session, _ -> new LinkedHashSet<>(2))
                            .add(new ResourceKey(holdOrWait.kind(), holdOrWait.key()));
                }
            }
        }
    }

    /**
     * The resources that a session has waited for since before a moment; empty if it may have
     * proceeded since.
     */
    private SequencedSet<ResourceKey> lastingWaits(Long session, long began) {
        SequencedSet<ResourceKey> resources = new LinkedHashSet<>(2);
        int found = 0;
        for (HoldOrWaiterView holdOrWait :
                driver.queries().holdsAndWaiters(session, MAX_HOLDS_AND_WAITERS)) {
            if (holdOrWait.held()) {
                continue;
            }
            found++;
            if (holdOrWait.sinceNanos() <= clock.getAsLong() - began) {
                return new LinkedHashSet<>(); // it began a wait during the scan
            }
            if (holdOrWait.awaited()) {
                resources.add(new ResourceKey(holdOrWait.kind(), holdOrWait.key()));
            }
        }
        SessionView view = driver.session(session);
        return view != null && view.waits() == found ? resources : new LinkedHashSet<>();
    }
}
