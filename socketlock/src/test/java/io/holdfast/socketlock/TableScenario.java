package io.holdfast.socketlock;

import io.holdfast.socketlock.LockTable.EnqueueResult;
import io.holdfast.socketlock.LockTable.Request;
import io.holdfast.socketlock.LockTable.Session;
import io.holdfast.socketlock.LockTable.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A lock table with a manual clock, and clients identified by their names. A client's request has
 * the name of the client.
 */
final class TableScenario implements LockTable.Sink {
    static final long QUEUE_SECONDS = 30;
    static final long CONFIRM_SECONDS = 10;
    static final long FENCE_FLOOR = 100;

    private final LockTable table;
    private final Map<String, Session> sessions = new HashMap<>();
    private final List<String> happened = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(15); // overflows soon

    TableScenario(SocketLockQueuePolicy policy) {
        table =
                new LockTable(
                        policy,
                        TimeUnit.SECONDS.toNanos(QUEUE_SECONDS),
                        TimeUnit.SECONDS.toNanos(CONFIRM_SECONDS),
                        FENCE_FLOOR);
    }

    LockTable table() {
        return table;
    }

    EnqueueResult read(String... clients) {
        return enqueue(LockMode.READ, 0, clients);
    }

    EnqueueResult write(String... clients) {
        return enqueue(LockMode.WRITE, 0, clients);
    }

    /**
     * @param ttlSeconds 0 for none
     */
    EnqueueResult enqueue(LockMode mode, long ttlSeconds, String... clients) {
        EnqueueResult last = EnqueueResult.QUEUED;
        for (String client : clients) {
            table.advance(nowNanos);
            last =
                    table.enqueue(
                            session(client),
                            client,
                            mode,
                            TimeUnit.SECONDS.toNanos(ttlSeconds),
                            nowNanos);
            table.advance(nowNanos);
        }
        return last;
    }

    /** The clients request and confirm the lock, one after the other. */
    void hold(LockMode mode, String... clients) {
        for (String client : clients) {
            enqueue(mode, 0, client);
            confirm(client);
        }
    }

    void confirm(String client) {
        table.advance(nowNanos);
        table.confirm(request(client), nowNanos);
        table.advance(nowNanos);
    }

    void reject(String client) {
        table.advance(nowNanos);
        table.reject(request(client));
        table.advance(nowNanos);
    }

    void release(String client) {
        table.advance(nowNanos);
        table.release(request(client));
        table.advance(nowNanos);
    }

    boolean status(String client) {
        table.advance(nowNanos);
        Request request = session(client).find(client);
        boolean held = request != null && table.reportStatus(request);
        table.advance(nowNanos);
        return held;
    }

    void disconnect(String client) {
        table.advance(nowNanos);
        table.close(session(client));
        table.advance(nowNanos);
    }

    boolean reassert(LockMode mode, String client) {
        table.advance(nowNanos);
        boolean possible = table.canReassert(session(client), client, mode);
        if (possible) {
            table.reassert(session(client), client, mode, 0, nowNanos);
        }
        table.advance(nowNanos);
        return possible;
    }

    void resume() {
        table.resume();
        table.advance(nowNanos);
    }

    void advance(long millis) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
        table.advance(nowNanos);
    }

    /** Null if the request has been removed. */
    @Nullable State state(String client) {
        Request request = session(client).find(client);
        return request == null ? null : request.state();
    }

    long fence(String client) {
        return request(client).fence();
    }

    Session session(String client) {
        return sessions.computeIfAbsent(client, name -> new Session(this));
    }

    /** The events since the last call. */
    List<String> happened() {
        List<String> all = List.copyOf(happened);
        happened.clear();
        return all;
    }

    private Request request(String client) {
        return Objects.requireNonNull(session(client).find(client), client);
    }

    @Override
    public void offered(Request request, long now) {
        happened.add("offer " + request.lockId());
    }

    @Override
    public void failed(Request request) {
        happened.add(request.state() + " too long " + request.lockId());
    }

    @Override
    public void expired(Request request) {
        happened.add("expired " + request.lockId());
    }
}
