package io.holdfast.cli.soak.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the clients saw. Thread-safe. */
final class OperationHistory {
    /** The answer did not come, or said that nobody knows. */
    static final long UNKNOWN = Long.MAX_VALUE;

    /** One was added to a counter; {@code answered} is {@link #UNKNOWN} if the outcome is. */
    record Added(String key, long asked, long answered, long value) {}

    /** A value was set; {@code answered} is {@link #UNKNOWN} if the outcome is. */
    record Written(String key, long asked, long answered, long value) {}

    /** A value was read; 0 if there was none. */
    record Read(String client, String key, long asked, long answered, long value) {}

    /** A wait ended with {@code timeout}. */
    record TimedOut(String client, String key, long asked, long answered, long waitNanos) {}

    /** A request about a lock that should have been held was told that it is not. */
    record Lost(
            String client,
            int node,
            String key,
            String request,
            long granted,
            long asked,
            long answered) {}

    /** A node's process was stopped for a while, and could not tell its clients anything. */
    record Asleep(int node, long from, long until) {}

    private final Queue<ObservedHold> holds = new ConcurrentLinkedQueue<>();
    private final Queue<Added> added = new ConcurrentLinkedQueue<>();
    private final Queue<Written> written = new ConcurrentLinkedQueue<>();
    private final Queue<Read> reads = new ConcurrentLinkedQueue<>();
    private final Queue<TimedOut> timeouts = new ConcurrentLinkedQueue<>();
    private final Queue<Lost> lost = new ConcurrentLinkedQueue<>();
    private final Queue<Asleep> asleep = new ConcurrentLinkedQueue<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> finals = new TreeMap<>();

    void add(ObservedHold observedHold) {
        holds.add(observedHold);
    }

    void add(Added one) {
        added.add(one);
    }

    void add(Written one) {
        written.add(one);
    }

    void add(Read one) {
        reads.add(one);
    }

    void add(TimedOut one) {
        timeouts.add(one);
    }

    void add(Lost one) {
        lost.add(one);
    }

    void add(Asleep one) {
        asleep.add(one);
    }

    /** Something that must not be, seen by a client itself. */
    void fault(String what) {
        faults.add(what);
    }

    /** The value of a counter when all was over. */
    void end(String counter, long value) {
        finals.put(counter, value);
    }

    List<ObservedHold> holds() {
        return new ArrayList<>(holds);
    }

    List<Added> added() {
        return new ArrayList<>(added);
    }

    List<Written> written() {
        return new ArrayList<>(written);
    }

    List<Read> reads() {
        return new ArrayList<>(reads);
    }

    List<TimedOut> timeouts() {
        return new ArrayList<>(timeouts);
    }

    List<Lost> lost() {
        return new ArrayList<>(lost);
    }

    List<Asleep> asleep() {
        return new ArrayList<>(asleep);
    }

    List<String> faults() {
        return new ArrayList<>(faults);
    }

    Map<String, Long> finals() {
        return finals;
    }

    /** How much was done. */
    long operations() {
        return 2L * holds.size() + added.size() + written.size() + reads.size() + timeouts.size();
    }

    String summary() {
        return "%d holds, %d timeouts, %d increments (%d unknown), %d writes (%d unknown), %d reads"
                .formatted(
                        holds.size(),
                        timeouts.size(),
                        added.size(),
                        added.stream().filter(one -> one.answered() == UNKNOWN).count(),
                        written.size(),
                        written.stream().filter(one -> one.answered() == UNKNOWN).count(),
                        reads.size());
    }
}
