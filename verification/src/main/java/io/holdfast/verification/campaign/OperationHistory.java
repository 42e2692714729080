package io.holdfast.verification.campaign;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The operations of the clients with their results. Thread-safe. */
final class OperationHistory {
    /** The time of a response that did not arrive or did not contain the outcome. */
    static final long UNKNOWN = Long.MAX_VALUE;

    /**
     * An increment of a counter; {@code responded} is {@link #UNKNOWN} if the outcome is unknown.
     */
    record Added(String key, long requested, long responded, long value) {}

    /** A write of a value; {@code responded} is {@link #UNKNOWN} if the outcome is unknown. */
    record Written(String key, long requested, long responded, long value) {}

    /** A read of a value; 0 if there was none. */
    record Read(String client, String key, long requested, long responded, long value) {}

    /** An acquire that ended with {@code timeout}. */
    record TimedOut(String client, String key, long requested, long responded, long waitNanos) {}

    /** A release or renewal of a lock that should have been held was rejected. */
    record Lost(
            String client,
            int node,
            String key,
            String request,
            long granted,
            long requested,
            long responded) {}

    /** A node's process was suspended for a while, and could not notify its clients. */
    record Suspended(int node, long from, long until) {}

    private final Queue<ObservedHold> holds = new ConcurrentLinkedQueue<>();
    private final Queue<Added> added = new ConcurrentLinkedQueue<>();
    private final Queue<Written> written = new ConcurrentLinkedQueue<>();
    private final Queue<Read> reads = new ConcurrentLinkedQueue<>();
    private final Queue<TimedOut> timeouts = new ConcurrentLinkedQueue<>();
    private final Queue<Lost> lost = new ConcurrentLinkedQueue<>();
    private final Queue<Suspended> suspensions = new ConcurrentLinkedQueue<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> finals = new TreeMap<>();

    void add(ObservedHold observedHold) {
        holds.add(observedHold);
    }

    void add(Added operation) {
        added.add(operation);
    }

    void add(Written operation) {
        written.add(operation);
    }

    void add(Read operation) {
        reads.add(operation);
    }

    void add(TimedOut operation) {
        timeouts.add(operation);
    }

    void add(Lost operation) {
        lost.add(operation);
    }

    void add(Suspended operation) {
        suspensions.add(operation);
    }

    /** A fault that a client has detected itself. */
    void fault(String what) {
        faults.add(what);
    }

    /** The value of a counter at the end of the campaign. */
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

    List<Suspended> suspensions() {
        return new ArrayList<>(suspensions);
    }

    List<String> faults() {
        return new ArrayList<>(faults);
    }

    Map<String, Long> finals() {
        return finals;
    }

    /** The number of operations. */
    long operations() {
        return 2L * holds.size() + added.size() + written.size() + reads.size() + timeouts.size();
    }

    String summary() {
        return "%d holds, %d timeouts, %d increments (%d unknown), %d writes (%d unknown), %d reads"
                .formatted(
                        holds.size(),
                        timeouts.size(),
                        added.size(),
                        added.stream()
                                .filter(operation -> operation.responded() == UNKNOWN)
                                .count(),
                        written.size(),
                        written.stream()
                                .filter(operation -> operation.responded() == UNKNOWN)
                                .count(),
                        reads.size());
    }
}
