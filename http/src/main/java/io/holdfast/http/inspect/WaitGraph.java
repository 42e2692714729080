package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.ScanCursor;
import io.holdfast.driver.SessionView;
import io.holdfast.engine.HoldOrWaiterView;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.QueueView;

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
 * Who waits for what, read line by line while everything goes on, and the deadlocks that are there
 * in spite of that.
 *
 * <p>What was read at different moments may never have been true at once. So a session that seems
 * stuck is looked at again: only waits that had begun before the first line was read, and last, are
 * counted. All of them lasted while everything was read, and who waits neither takes nor gives
 * back. Some do all the same, who do several things at once or were queued before they waited: so
 * at last it is read again who holds the keys of a cycle.
 *
 * <p>A place in line that nobody awaits keeps nobody from going on.
 */
final class WaitGraph {
    /** How many of each line are read. */
    static final int MAX_QUEUE_LENGTH = 256;

    /** How many lines are read, and how many who wait in them; what is left is not looked at. */
    private static final int MAX_QUEUES = 100_000;

    private static final int MAX_WAITERS = 200_000;

    /** How many holders behind the end of what was read are looked up. */
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
     * @param clock of nanoseconds
     * @param concurrent tells the sessions that do several things at once
     */
    WaitGraph(Driver driver, LongSupplier clock, LongPredicate concurrent) {
        this.driver = driver;
        this.clock = clock;
        this.concurrent = concurrent;
    }

    /** The lines, each as far as it was read. */
    List<QueueView> queues() {
        return queues;
    }

    /** Whether there is more than was read. */
    boolean isTruncated() {
        return truncated;
    }

    /** Reads everything, and tells the deadlocks. */
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
            SequencedSet<ResourceKey> spots = lastingWaits(session, began);
            if (!spots.isEmpty()) {
                lasting.put(session, spots);
            }
        }
        return new DeadlockDetector(holders, lasting, concurrent)
                .cycles(MAX_CYCLES).stream().filter(this::isStillHeld).toList();
    }

    private boolean isStillHeld(List<DeadlockDetector.Step> cycle) {
        long holder = cycle.getFirst().session();
        for (DeadlockDetector.Step step : cycle.reversed()) {
            if (!isHolder(holder, step.spot())) {
                return false;
            }
            holder = step.session();
        }
        return true;
    }

    /** Whether a session is among the holders, to read or to write. */
    private boolean isHolder(long session, ResourceKey resourceKey) {
        KeyView view = driver.view(resourceKey.kind(), resourceKey.key(), MAX_QUEUE_LENGTH);
        return view != null
                && view.holders().stream().anyMatch(holder -> holder.session() == session);
    }

    private void readQueues() {
        try (ScanCursor<QueueView> scanCursor = driver.listQueues(MAX_QUEUE_LENGTH)) {
            for (List<QueueView> slice = scanCursor.next();
                    !slice.isEmpty();
                    slice = scanCursor.next()) {
                for (QueueView line : slice) {
                    if (queues.size() == MAX_QUEUES || waiters > MAX_WAITERS) {
                        truncated = true;
                        return;
                    }
                    add(line);
                }
            }
        }
    }

    private void add(QueueView line) {
        queues.add(line);
        ResourceKey resourceKey = new ResourceKey(line.kind(), line.key());
        boolean complete = line.holders().size() == line.held();
        holders.put(resourceKey, new DeadlockDetector.Holders(line.holders(), complete));
        for (QueueView.Waiter waiter : line.waiters()) {
            if (waiter.awaited()) {
                waits.computeIfAbsent(waiter.session(), _ -> new LinkedHashSet<>(2))
                        .add(resourceKey);
            }
        }
        waiters += line.waiters().size();
        truncated |= line.waiters().size() < line.waiting() || !complete;
    }

    /** Holders may wait so far back in a line that it was not read that far. */
    private void lookUpHolders() {
        Set<Long> unseen = new HashSet<>();
        for (DeadlockDetector.Holders known : holders.values()) {
            for (Long session : known.sessions()) {
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
            for (HoldOrWaiterView belonging :
                    driver.holdsAndWaiters(session, MAX_HOLDS_AND_WAITERS)) {
                if (belonging.awaited()) {
                    waits.computeIfAbsent(session, _ -> new LinkedHashSet<>(2))
                            .add(new ResourceKey(belonging.kind(), belonging.key()));
                }
            }
        }
    }

    /** What a session has waited for since before a moment; nothing if it may go on meanwhile. */
    private SequencedSet<ResourceKey> lastingWaits(Long session, long began) {
        SequencedSet<ResourceKey> spots = new LinkedHashSet<>(2);
        int found = 0;
        for (HoldOrWaiterView belonging : driver.holdsAndWaiters(session, MAX_HOLDS_AND_WAITERS)) {
            if (belonging.held()) {
                continue;
            }
            found++;
            if (belonging.sinceNanos() <= clock.getAsLong() - began) {
                return new LinkedHashSet<>(); // it began something while we read
            }
            if (belonging.awaited()) {
                spots.add(new ResourceKey(belonging.kind(), belonging.key()));
            }
        }
        SessionView view = driver.session(session);
        return view != null && view.waits() == found ? spots : new LinkedHashSet<>();
    }
}
