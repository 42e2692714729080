package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.Slices;
import io.holdfast.engine.BelongingView;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.LineView;

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
    static final int MOST_OF_LINE = 256;

    /** How many lines are read, and how many who wait in them; what is left is not looked at. */
    private static final int MOST_LINES = 100_000;

    private static final int MOST_WAITERS = 200_000;

    /** How many holders behind the end of what was read are looked up. */
    private static final int MOST_LOOKUPS = 20_000;

    private static final int MOST_BELONGINGS = 256;
    private static final int MOST_CYCLES = 100;

    private final Driver driver;
    private final LongSupplier clock;
    private final LongPredicate concurrent;
    private final List<LineView> lines = new ArrayList<>();
    private final Map<Spot, Deadlocks.Holders> holders = new HashMap<>();
    private final Map<Long, SequencedSet<Spot>> waits = new HashMap<>();
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
    List<LineView> lines() {
        return lines;
    }

    /** Whether there is more than was read. */
    boolean isTruncated() {
        return truncated;
    }

    /** Reads everything, and tells the deadlocks. */
    List<List<Deadlocks.Step>> read() {
        long began = clock.getAsLong();
        readLines();
        if (truncated) {
            lookUpHolders();
        }
        Set<Long> stuck = new Deadlocks(holders, waits, concurrent).stuck();
        if (stuck.isEmpty()) {
            return List.of();
        }
        Map<Long, SequencedSet<Spot>> lasting = new HashMap<>();
        for (Long session : stuck) {
            SequencedSet<Spot> spots = lastingWaits(session, began);
            if (!spots.isEmpty()) {
                lasting.put(session, spots);
            }
        }
        return new Deadlocks(holders, lasting, concurrent)
                .cycles(MOST_CYCLES).stream().filter(this::isStillHeld).toList();
    }

    private boolean isStillHeld(List<Deadlocks.Step> cycle) {
        long holder = cycle.getFirst().session();
        for (Deadlocks.Step step : cycle.reversed()) {
            if (!isHolder(holder, step.spot())) {
                return false;
            }
            holder = step.session();
        }
        return true;
    }

    /** Whether a session is among the holders, to read or to write. */
    private boolean isHolder(long session, Spot spot) {
        KeyView view = driver.view(spot.kind(), spot.key(), MOST_OF_LINE);
        return view != null
                && view.holders().stream().anyMatch(holder -> holder.session() == session);
    }

    private void readLines() {
        try (Slices<LineView> slices = driver.listLines(MOST_OF_LINE)) {
            for (List<LineView> slice = slices.next(); !slice.isEmpty(); slice = slices.next()) {
                for (LineView line : slice) {
                    if (lines.size() == MOST_LINES || waiters > MOST_WAITERS) {
                        truncated = true;
                        return;
                    }
                    add(line);
                }
            }
        }
    }

    private void add(LineView line) {
        lines.add(line);
        Spot spot = new Spot(line.kind(), line.key());
        boolean complete = line.holders().size() == line.held();
        holders.put(spot, new Deadlocks.Holders(line.holders(), complete));
        for (LineView.Waiter waiter : line.waiters()) {
            if (waiter.awaited()) {
                waits.computeIfAbsent(waiter.session(), _ -> new LinkedHashSet<>(2)).add(spot);
            }
        }
        waiters += line.waiters().size();
        truncated |= line.waiters().size() < line.waiting() || !complete;
    }

    /** Holders may wait so far back in a line that it was not read that far. */
    private void lookUpHolders() {
        Set<Long> unseen = new HashSet<>();
        for (Deadlocks.Holders known : holders.values()) {
            for (Long session : known.sessions()) {
                if (unseen.size() < MOST_LOOKUPS && !waits.containsKey(session)) {
                    unseen.add(session);
                }
            }
        }
        for (Long session : unseen) {
            SessionView view = driver.session(session);
            if (view == null || view.waits() == 0) {
                continue;
            }
            for (BelongingView belonging : driver.belongings(session, MOST_BELONGINGS)) {
                if (belonging.awaited()) {
                    waits.computeIfAbsent(session, _ -> new LinkedHashSet<>(2))
                            .add(new Spot(belonging.kind(), belonging.key()));
                }
            }
        }
    }

    /** What a session has waited for since before a moment; nothing if it may go on meanwhile. */
    private SequencedSet<Spot> lastingWaits(Long session, long began) {
        SequencedSet<Spot> spots = new LinkedHashSet<>(2);
        int found = 0;
        for (BelongingView belonging : driver.belongings(session, MOST_BELONGINGS)) {
            if (belonging.held()) {
                continue;
            }
            found++;
            if (belonging.sinceNanos() <= clock.getAsLong() - began) {
                return new LinkedHashSet<>(); // it began something while we read
            }
            if (belonging.awaited()) {
                spots.add(new Spot(belonging.kind(), belonging.key()));
            }
        }
        SessionView view = driver.session(session);
        return view != null && view.waits() == found ? spots : new LinkedHashSet<>();
    }
}
