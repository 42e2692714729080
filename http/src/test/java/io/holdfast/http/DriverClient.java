package io.holdfast.http;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A client of the driver that does not use HTTP. */
public final class DriverClient {
    public final Session session;
    public final List<Effect> effects = new CopyOnWriteArrayList<>();
    public final AtomicBoolean kicked = new AtomicBoolean();
    private long requests;

    public DriverClient(TestHttp http, String name) {
        this(http, name, false);
    }

    /**
     * @param concurrent whether it executes several requests at once
     */
    public DriverClient(TestHttp http, String name, boolean concurrent) {
        session =
                http.driver.open(
                        new EffectMailbox() {
                            @Override
                            public void add(Effect effect) {
                                effects.add(effect);
                            }

                            @Override
                            public void wake() {}

                            @Override
                            public boolean kick() {
                                kicked.set(true);
                                return true;
                            }
                        },
                        new ClientInfo("dflockd", () -> name, concurrent));
    }

    public long id() {
        return session.id();
    }

    /** Acquires a lock with a timeout of 100 seconds. */
    public Effect lock(Key key) {
        return lock(key, ReadWriteMode.WRITE);
    }

    public Effect lock(String key) {
        return lock(Key.of(key));
    }

    public Effect lock(Key key, ReadWriteMode readWriteMode) {
        return acquire(ResourceKind.LOCK, key, 1, new HoldAttributes(readWriteMode, true, true));
    }

    /** Acquires a permit of a semaphore with a timeout of 100 seconds. */
    public Effect slot(String key, long limit) {
        return acquire(ResourceKind.SEMAPHORE, Key.of(key), limit, HoldAttributes.PLAIN);
    }

    private Effect acquire(
            ResourceKind resourceKind, Key key, long limit, HoldAttributes holdAttributes) {
        return submit(
                new Command.Acquire(
                        id(),
                        ++requests,
                        resourceKind,
                        key,
                        limit,
                        SECONDS.toNanos(100),
                        SECONDS.toNanos(60),
                        id() * 1000 + requests,
                        holdAttributes));
    }

    /** Enqueues for a lock without waiting. */
    public Effect enqueue(String key) {
        return submit(
                new Command.Enqueue(
                        id(),
                        ++requests,
                        ResourceKind.LOCK,
                        Key.of(key),
                        1,
                        SECONDS.toNanos(60),
                        id() * 1000 + requests,
                        ReadWriteMode.WRITE));
    }

    /** Waits for a lock that was enqueued for. */
    public Effect awaitGrant(String key) {
        return submit(
                new Command.Await(
                        id(), ++requests, ResourceKind.LOCK, Key.of(key), SECONDS.toNanos(100)));
    }

    /** Acquires a shared lock. */
    public Effect share(String key) {
        return submit(
                new Command.TryAcquire(id(), ++requests, ResourceKind.SHARED, Key.of(key), 1));
    }

    public Effect release(Effect granted) {
        Effect.Granted grant = (Effect.Granted) granted;
        return submit(
                new Command.Release(
                        id(), ++requests, ResourceKind.LOCK, grant.key(), grant.token()));
    }

    /** Returns the effect of the command, or {@code Queued} if there is none yet. */
    private Effect submit(Command.Keyed command) {
        int before = effects.size();
        session.submit(command);
        return effects.size() > before
                ? effects.getLast()
                : new Effect.Queued(id(), command.request());
    }

    public void leave() {
        session.close(requests);
    }
}
