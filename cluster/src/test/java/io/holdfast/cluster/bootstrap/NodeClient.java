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

/** One client of a node, which asks one thing after another. */
public final class NodeClient implements EffectMailbox {
    private static final long MOST_NANOS = Duration.ofSeconds(60).toNanos();

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

    /** Asks and waits for the answer. */
    public Effect ask(LongFunction<Command.Keyed> command) {
        long number = ++request;
        session.submit(command.apply(number));
        return answer(number);
    }

    public Effect acquire(String key, Duration wait, Duration lease) {
        return ask(
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

    /** Begins to wait, and returns when it is in line. */
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
        return ask(
                number ->
                        new Command.Release(
                                session.id(), number, ResourceKind.LOCK, Key.of(key), token));
    }

    Effect renew(String key, Token token, Duration lease) {
        return ask(
                number ->
                        new Command.Renew(
                                session.id(),
                                number,
                                ResourceKind.LOCK,
                                Key.of(key),
                                token,
                                lease.toNanos()));
    }

    synchronized Effect answer(long number) {
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
        Effect answer = found[0];
        if (answer == null) {
            throw new AssertionError("no answer to " + number);
        }
        return answer;
    }

    private interface Condition {
        boolean holds();
    }

    private void await(Condition condition) {
        long end = System.nanoTime() + MOST_NANOS;
        try {
            while (!condition.holds()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new AssertionError("nothing happened in time");
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
