package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.LockTable.Asked;
import io.holdfast.client.socketlock.LockTable.Request;
import io.holdfast.client.socketlock.LockTable.Session;
import io.holdfast.client.socketlock.LockTable.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A lock table, a clock that moves only when told, and clients that are their names. A client's
 * request is called like the client.
 */
final class TableScenario implements LockTable.Sink {
    static final long QUEUE_SECONDS = 30;
    static final long CONFIRM_SECONDS = 10;
    static final long FENCE_FLOOR = 100;

    private final LockTable table;
    private final Map<String, Session> sessions = new HashMap<>();
    private final List<String> happened = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(15); // soon wraps around

    TableScenario(Policy policy) {
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

    Asked read(String... clients) {
        return ask(LockMode.READ, 0, clients);
    }

    Asked write(String... clients) {
        return ask(LockMode.WRITE, 0, clients);
    }

    /**
     * @param ttlSeconds 0 for none
     */
    Asked ask(LockMode mode, long ttlSeconds, String... clients) {
        Asked last = Asked.QUEUED;
        for (String client : clients) {
            table.settle(nowNanos);
            last =
                    table.ask(
                            session(client),
                            client,
                            mode,
                            TimeUnit.SECONDS.toNanos(ttlSeconds),
                            nowNanos);
            table.settle(nowNanos);
        }
        return last;
    }

    /** They ask for it and confirm it, one after the other. */
    void hold(LockMode mode, String... clients) {
        for (String client : clients) {
            ask(mode, 0, client);
            confirm(client);
        }
    }

    void confirm(String client) {
        table.settle(nowNanos);
        table.confirm(request(client), nowNanos);
        table.settle(nowNanos);
    }

    void reject(String client) {
        table.settle(nowNanos);
        table.reject(request(client));
        table.settle(nowNanos);
    }

    void release(String client) {
        table.settle(nowNanos);
        table.release(request(client));
        table.settle(nowNanos);
    }

    boolean status(String client) {
        table.settle(nowNanos);
        Request request = session(client).find(client);
        boolean held = request != null && table.tell(request);
        table.settle(nowNanos);
        return held;
    }

    void disconnect(String client) {
        table.settle(nowNanos);
        table.close(session(client));
        table.settle(nowNanos);
    }

    boolean reassert(LockMode mode, String client) {
        table.settle(nowNanos);
        boolean possible = table.canReassert(session(client), client, mode);
        if (possible) {
            table.reassert(session(client), client, mode, 0, nowNanos);
        }
        table.settle(nowNanos);
        return possible;
    }

    void resume() {
        table.resume();
        table.settle(nowNanos);
    }

    void advance(long millis) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
        table.settle(nowNanos);
    }

    /** Null if it is gone. */
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

    /** What has happened since the last call. */
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
