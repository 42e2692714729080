package io.holdfast.cluster.bootstrap;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongFunction;

/** A client of a node, which sends one request after another. */
public final class NodeClient implements EffectMailbox {
    private static final long TIMEOUT_NANOS = Duration.ofSeconds(60).toNanos();

    private final Deque<Effect> effects = new ArrayDeque<>();
    private final Driver driver;
    private final Session session;
    private long request;
    private boolean kicked;
    private long waiting;

    public NodeClient(ClusterNode node) {
        this.driver = node.driver();
        this.session = driver.open(this, new ClientInfo("test", () -> "client"));
    }

    public Session session() {
        return session;
    }

    synchronized boolean isKicked() {
        return kicked;
    }

    /** Sends a command and waits for the result. */
    public Effect send(LongFunction<Command.Keyed> command) {
        long number = ++request;
        session.submit(command.apply(number));
        return result(number);
    }

    public Effect acquire(String key, Duration wait, Duration lease) {
        return send(
                number ->
                        new Command.Acquire(
                                session.id(),
                                number,
                                ResourceKind.LOCK,
                                Key.of(key),
                                1,
                                wait.toNanos(),
                                lease.toNanos(),
                                driver.salt()));
    }

    /** Sends an acquire and returns when it is queued. */
    long beginAcquire(String key, Duration wait, Duration lease) {
        long number = ++request;
        session.submit(
                new Command.Acquire(
                        session.id(),
                        number,
                        ResourceKind.LOCK,
                        Key.of(key),
                        1,
                        wait.toNanos(),
                        lease.toNanos(),
                        driver.salt()));
        synchronized (this) {
            await(() -> waiting == number);
        }
        return number;
    }

    Effect release(String key, Token token) {
        return send(
                number ->
                        new Command.Release(
                                session.id(), number, ResourceKind.LOCK, Key.of(key), token));
    }

    Effect renew(String key, Token token, Duration lease) {
        return send(
                number ->
                        new Command.Renew(
                                session.id(),
                                number,
                                ResourceKind.LOCK,
                                Key.of(key),
                                token,
                                lease.toNanos()));
    }

    synchronized Effect result(long number) {
        @Nullable Effect[] found = new @Nullable Effect[1];
        await(
                () -> {
                    for (Effect effect : effects) {
                        if (effect.request() == number) {
                            found[0] = effect;
                            effects.remove(effect);
                            return true;
                        }
                    }
                    return false;
                });
        Effect result = found[0];
        if (result == null) {
            throw new AssertionError("no result of request " + number);
        }
        return result;
    }

    private interface Condition {
        boolean holds();
    }

    private void await(Condition condition) {
        long end = System.nanoTime() + TIMEOUT_NANOS;
        try {
            while (!condition.holds()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new AssertionError("timed out");
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public synchronized void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public synchronized void onPending(long number) {
        waiting = number;
    }

    @Override
    public synchronized void wake() {
        notifyAll();
    }

    @Override
    public synchronized boolean kick() {
        kicked = true;
        notifyAll();
        return true;
    }
}
