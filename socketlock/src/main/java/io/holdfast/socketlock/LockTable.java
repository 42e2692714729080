package io.holdfast.socketlock;

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
 * The holders of the lock, the current offer and the queues. It uses no clock, thread or file:
 * every call passes the time. A command only changes the request it names; {@link #advance} then
 * applies all consequences of it and of the time, so that the caller can send the response to the
 * command first.
 *
 * <p>Call {@link #advance} before each command as well: the commands do not check deadlines.
 */
final class LockTable {
    /** The maximum number of requests of one connection. */
    static final int MAX_REQUESTS = 1024;

    /** The maximum total length of the lock ids of one connection, in bytes. */
    static final int MAX_ID_BYTES = 1024 * 1024;

    /** The maximum timeout, so that sums with it do not overflow. */
    static final long MAX_NANOS = Long.MAX_VALUE / 4;

    /**
     * The state of a request. A removed request keeps its last state, but belongs to no session.
     */
    enum State {
        QUEUED,
        OFFERED,
        HELD,
        /** Its time to live has passed, and its client has not queried its status since. */
        EXPIRED
    }

    /** The result of {@link #enqueue}. */
    enum EnqueueResult {
        QUEUED,
        IN_USE,
        TOO_MANY
    }

    /** Is notified synchronously of the changes that {@link #advance} makes. */
    interface Sink {
        void offered(Request request, long nowNanos);

        /** A queued or offered request has been removed because its timeout has passed. */
        void failed(Request request);

        /** The hold has expired. */
        void expired(Request request);
    }

    /** The requests of one connection, by lock id. */
    static final class Session {
        private final Map<String, Request> requests = new HashMap<>();
        private final Sink sink;

        /** The total length of the lock ids. */
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

    /** One request, from the line that created it until it is removed from its session. */
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

        /** The fence of the offer and of the hold that follows from it; 0 before. */
        long fence() {
            return fence;
        }
    }

    private final SocketLockQueuePolicy policy;
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
     * @param fenceFloor all fences assigned are greater than this
     */
    LockTable(SocketLockQueuePolicy policy, long queueNanos, long confirmNanos, long fenceFloor) {
        this.policy = policy;
        this.queueNanos = Math.min(queueNanos, MAX_NANOS);
        this.confirmNanos = Math.min(confirmNanos, MAX_NANOS);
        this.lastFence = fenceFloor;
    }

    /**
     * Queues a request.
     *
     * @param ttlNanos 0 for no time to live
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
        add(request);
        queue(mode).add(request);
        setDeadline(request, nowNanos + queueNanos);
        return EnqueueResult.QUEUED;
    }

    /** Turns an offer into a hold and starts its time to live. No effect in other states. */
    void confirm(Request request, long nowNanos) {
        if (request.state == State.OFFERED) {
            offer = null;
            deadlines.remove(request);
            hold(request, nowNanos);
        }
    }

    /** Removes a queued or offered request. No effect in other states. */
    void reject(Request request) {
        if (request.state == State.QUEUED || request.state == State.OFFERED) {
            remove(request);
        }
    }

    /** Removes a request in any state. */
    void release(Request request) {
        remove(request);
    }

    /**
     * The status of a request, for STATUS and the like. An expired request is removed by this.
     *
     * @return whether it is held
     */
    boolean reportStatus(Request request) {
        if (request.state == State.EXPIRED) {
            remove(request);
        }
        return request.state == State.HELD;
    }

    /** Removes all requests of a connection, and returns them with their last states. */
    List<Request> close(Session session) {
        List<Request> had = new ArrayList<>(session.requests.values());
        had.forEach(this::remove);
        return had;
    }

    /**
     * Makes no more offers. Holds, offers and queued requests stay, and their deadlines still
     * apply.
     */
    void suspend() {
        suspended = true;
    }

    /** Makes offers again, from the next {@link #advance} on. */
    void resume() {
        suspended = false;
    }

    boolean isSuspended() {
        return suspended;
    }

    /**
     * Whether a hold of the previous primary can be added now, in addition to the current holds.
     */
    boolean canReassert(Session session, String lockId, LockMode mode) {
        return suspended
                && offer == null
                && !writeHeld
                && (mode == LockMode.READ || readsHeld == 0)
                && hasCapacity(session, lockId)
                && !session.requests.containsKey(lockId);
    }

    /** The next fence. */
    long nextFence() {
        return lastFence + 1;
    }

    /** Adds a hold of the previous primary; requires that {@link #canReassert} is true. */
    Request reassert(Session session, String lockId, LockMode mode, long ttlNanos, long nowNanos) {
        var request = new Request(session, lockId, mode, ttlNanos, State.HELD);
        add(request);
        request.fence = ++lastFence;
        hold(request, nowNanos);
        return request;
    }

    /**
     * Ends the requests whose deadlines have passed, in order, and makes the offers that become
     * possible. The sinks may call any method of this table except this one.
     */
    void advance(long nowNanos) {
        offerNext(nowNanos);
        while (!deadlines.isEmpty() && deadlines.first().deadlineNanos - nowNanos <= 0) {
            end(deadlines.first());
            offerNext(nowNanos);
        }
    }

    /** The next deadline, by which {@link #advance} must be called; null for none. */
    @Nullable Long nextDeadlineNanos() {
        return deadlines.isEmpty() ? null : (Long) deadlines.first().deadlineNanos;
    }

    /**
     * The number of deadlines, queued requests, offers and holds: 0 when all sessions are closed.
     */
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
            decrementHolders(request);
            deadlines.remove(request);
            request.state = State.EXPIRED;
            request.session.sink.expired(request);
        } else {
            remove(request);
            request.session.sink.failed(request);
        }
    }

    private void offerNext(long nowNanos) {
        for (Request next = next();
                next != null;
                next = next()) { // again if the sink withdrew the offer
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
        } else if (policy == SocketLockQueuePolicy.FIFO) {
            first = read.arrival < write.arrival ? read : write;
        } else {
            first = policy == SocketLockQueuePolicy.READER_PREFERRED ? read : write;
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

    private void decrementHolders(Request request) {
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

    private static void add(Request request) {
        request.session.requests.put(request.lockId, request);
        request.session.bytes += request.lockId.length();
    }

    /**
     * Removes a request from its session; all removals go through here. The request keeps its last
     * state.
     */
    private void remove(Request request) {
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
            decrementHolders(request);
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

    /** Compares by difference, since nanoTime may overflow. A request is equal only to itself. */
    private static int compareDeadlines(Request one, Request other) {
        return one.deadlineNanos == other.deadlineNanos
                ? Long.compare(one.deadlineNumber, other.deadlineNumber)
                : Long.signum(one.deadlineNanos - other.deadlineNanos);
    }
}
