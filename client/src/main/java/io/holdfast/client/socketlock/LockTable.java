package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who holds the lock, who is offered it and who waits. No clock, no thread, no file: every call
 * brings the time. A command only changes what it is about; {@link #advance} then does all that
 * follows from it and from the time, so that the caller can answer the command first.
 *
 * <p>Call {@link #advance} before a command as well: no rule here looks at a deadline.
 */
final class LockTable {
    /** More requests than this are refused to one connection. */
    static final int MAX_REQUESTS = 1024;

    /** Nor may the ids of one connection be longer than this together. */
    static final int MAX_ID_BYTES = 1024 * 1024;

    /** Nobody waits longer; sums with it stay far from the end of a long. */
    static final long MAX_NANOS = Long.MAX_VALUE / 4;

    /** Where a request stands. One that is gone keeps the last of these, but no session has it. */
    enum State {
        QUEUED,
        OFFERED,
        HELD,
        /** Its time to live is over and its holder has not asked. */
        EXPIRED
    }

    /** What came of a request to be queued. */
    enum EnqueueResult {
        QUEUED,
        IN_USE,
        TOO_MANY
    }

    /** Hears what {@link #advance} did, at the moment it is done. */
    interface Sink {
        void offered(Request request, long nowNanos);

        /** A request that was queued or offered is gone because a limit was reached. */
        void failed(Request request);

        /** It is held no longer. */
        void expired(Request request);
    }

    /** What one connection has asked for, by lock-id. */
    static final class Session {
        private final Map<String, Request> requests = new HashMap<>();
        private final Sink sink;

        /** Of all their ids. */
        private int bytes;

        Session(Sink sink) {
            this.sink = sink;
        }

        @Nullable Request find(String lockId) {
            return requests.get(lockId);
        }

        int size() {
            return requests.size();
        }
    }

    /** One request, from the line that made it until nobody can name it any more. */
    static final class Request {
        private final Session session;
        private final String lockId;
        private final LockMode mode;
        private final long ttlNanos;
        private State state;
        private long arrival;
        private long fence;
        private long deadlineNanos;
        private long deadlineNumber;

        private Request(Session session, String lockId, LockMode mode, long ttlNanos, State state) {
            this.session = session;
            this.lockId = lockId;
            this.mode = mode;
            this.ttlNanos = ttlNanos;
            this.state = state;
        }

        Session session() {
            return session;
        }

        String lockId() {
            return lockId;
        }

        LockMode mode() {
            return mode;
        }

        State state() {
            return state;
        }

        /** Of the offer and what became of it; 0 before. */
        long fence() {
            return fence;
        }
    }

    private final Policy policy;
    private final long queueNanos;
    private final long confirmNanos;
    private final Set<Request> readers = new LinkedHashSet<>();
    private final Set<Request> writers = new LinkedHashSet<>();
    private final TreeSet<Request> deadlines = new TreeSet<>(LockTable::compareDeadlines);
    private @Nullable Request offer;
    private int readsHeld;
    private boolean writeHeld;
    private boolean suspended;
    private long lastFence;
    private long arrivals;
    private long deadlineNumbers;

    /**
     * @param fenceFloor every fence given out is above it
     */
    LockTable(Policy policy, long queueNanos, long confirmNanos, long fenceFloor) {
        this.policy = policy;
        this.queueNanos = Math.min(queueNanos, MAX_NANOS);
        this.confirmNanos = Math.min(confirmNanos, MAX_NANOS);
        this.lastFence = fenceFloor;
    }

    /**
     * Queues a request.
     *
     * @param ttlNanos 0 for no end
     */
    EnqueueResult enqueue(
            Session session, String lockId, LockMode mode, long ttlNanos, long nowNanos) {
        if (session.requests.containsKey(lockId)) {
            return EnqueueResult.IN_USE;
        }
        if (!hasCapacity(session, lockId)) {
            return EnqueueResult.TOO_MANY;
        }
        var request = new Request(session, lockId, mode, ttlNanos, State.QUEUED);
        request.arrival = ++arrivals;
        remember(request);
        queue(mode).add(request);
        setDeadline(request, nowNanos + queueNanos);
        return EnqueueResult.QUEUED;
    }

    /** An offer becomes a hold, and its time to live begins. Anything else stays as it is. */
    void confirm(Request request, long nowNanos) {
        if (request.state == State.OFFERED) {
            offer = null;
            deadlines.remove(request);
            hold(request, nowNanos);
        }
    }

    /** A queued or offered request is gone. Anything else stays as it is. */
    void reject(Request request) {
        if (request.state == State.QUEUED || request.state == State.OFFERED) {
            forget(request);
        }
    }

    /** It is gone, whatever it was. */
    void release(Request request) {
        forget(request);
    }

    /**
     * What STATUS and its kin have to say; an expired request is gone once this was told.
     *
     * @return whether it is held
     */
    boolean reportStatus(Request request) {
        if (request.state == State.EXPIRED) {
            forget(request);
        }
        return request.state == State.HELD;
    }

    /** Everything of a connection is gone. Gives what it had, in the states they had. */
    List<Request> close(Session session) {
        List<Request> had = new ArrayList<>(session.requests.values());
        had.forEach(this::forget);
        return had;
    }

    /** From now on nothing is offered. What is held, offered or queued stays, and time goes on. */
    void suspend() {
        suspended = true;
    }

    /** Offers are made again, beginning with the next {@link #advance}. */
    void resume() {
        suspended = false;
    }

    boolean isSuspended() {
        return suspended;
    }

    /** Whether a hold from before could be booked now, beside all that is held already. */
    boolean canReassert(Session session, String lockId, LockMode mode) {
        return suspended
                && offer == null
                && !writeHeld
                && (mode == LockMode.READ || readsHeld == 0)
                && hasCapacity(session, lockId)
                && !session.requests.containsKey(lockId);
    }

    /** The fence that comes next. */
    long nextFence() {
        return lastFence + 1;
    }

    /** Books a hold from before; {@link #canReassert} was true a moment ago. */
    Request reassert(Session session, String lockId, LockMode mode, long ttlNanos, long nowNanos) {
        var request = new Request(session, lockId, mode, ttlNanos, State.HELD);
        remember(request);
        request.fence = ++lastFence;
        hold(request, nowNanos);
        return request;
    }

    /**
     * Ends what is due, in order, and offers the lock as often as that makes room for it. The sinks
     * may call everything here but this method.
     */
    void advance(long nowNanos) {
        offerNext(nowNanos);
        while (!deadlines.isEmpty() && deadlines.first().deadlineNanos - nowNanos <= 0) {
            end(deadlines.first());
            offerNext(nowNanos);
        }
    }

    /** When {@link #advance} must be called at the latest, or null. */
    @Nullable Long nextDeadlineNanos() {
        return deadlines.isEmpty() ? null : (Long) deadlines.first().deadlineNanos;
    }

    /** How many deadlines, waiting requests and holds there are: 0 when all sessions are closed. */
    int size() {
        return deadlines.size()
                + readers.size()
                + writers.size()
                + readsHeld
                + (writeHeld ? 1 : 0)
                + (offer == null ? 0 : 1);
    }

    private void end(Request request) {
        if (request.state == State.HELD) {
            letGo(request);
            deadlines.remove(request);
            request.state = State.EXPIRED;
            request.session.sink.expired(request);
        } else {
            forget(request);
            request.session.sink.failed(request);
        }
    }

    private void offerNext(long nowNanos) {
        for (Request next = next(); next != null; next = next()) { // twice if it was withdrawn
            queue(next.mode).remove(next);
            deadlines.remove(next);
            next.state = State.OFFERED;
            next.fence = ++lastFence;
            offer = next;
            setDeadline(next, nowNanos + confirmNanos);
            next.session.sink.offered(next, nowNanos);
        }
    }

    private @Nullable Request next() {
        if (suspended || offer != null || writeHeld) {
            return null;
        }
        Request read = head(readers);
        Request write = head(writers);
        Request first;
        if (read == null || write == null) {
            first = read == null ? write : read;
        } else if (policy == Policy.FIFO) {
            first = read.arrival < write.arrival ? read : write;
        } else {
            first = policy == Policy.READER_PREFERRED ? read : write;
        }
        boolean mustWait = first != null && first.mode == LockMode.WRITE && readsHeld > 0;
        return mustWait ? null : first;
    }

    private static @Nullable Request head(Set<Request> queue) {
        Iterator<Request> all = queue.iterator();
        return all.hasNext() ? all.next() : null;
    }

    private void hold(Request request, long nowNanos) {
        request.state = State.HELD;
        if (request.mode == LockMode.WRITE) {
            writeHeld = true;
        } else {
            readsHeld++;
        }
        if (request.ttlNanos > 0) {
            setDeadline(request, nowNanos + request.ttlNanos);
        }
    }

    private void letGo(Request request) {
        if (request.mode == LockMode.WRITE) {
            writeHeld = false;
        } else {
            readsHeld--;
        }
    }

    private static boolean hasCapacity(Session session, String lockId) {
        return session.requests.size() < MAX_REQUESTS
                && session.bytes + lockId.length() <= MAX_ID_BYTES;
    }

    private static void remember(Request request) {
        request.session.requests.put(request.lockId, request);
        request.session.bytes += request.lockId.length();
    }

    /** The only way out of a session. The request keeps the state it had. */
    private void forget(Request request) {
        if (!request.session.requests.remove(request.lockId, request)) {
            return;
        }
        request.session.bytes -= request.lockId.length();
        deadlines.remove(request);
        if (request.state == State.QUEUED) {
            queue(request.mode).remove(request);
        } else if (request.state == State.OFFERED) {
            offer = null;
        } else if (request.state == State.HELD) {
            letGo(request);
        }
    }

    private Set<Request> queue(LockMode mode) {
        return mode == LockMode.WRITE ? writers : readers;
    }

    private void setDeadline(Request request, long nanos) {
        request.deadlineNanos = nanos;
        request.deadlineNumber = ++deadlineNumbers;
        deadlines.add(request);
    }

    /** By differences, since the clock may wrap around. Equal only to itself. */
    private static int compareDeadlines(Request one, Request other) {
        return one.deadlineNanos == other.deadlineNanos
                ? Long.compare(one.deadlineNumber, other.deadlineNumber)
                : Long.signum(one.deadlineNanos - other.deadlineNanos);
    }
}
