package io.holdfast.driver;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A session with its mailbox, with methods for tests. */
final class SessionClient {
    final RecordingMailbox inbox;
    final Session session;
    private final Driver driver;
    private final AtomicLong lastRequest = new AtomicLong();

    SessionClient(Driver driver) {
        this(driver, new RecordingMailbox());
    }

    SessionClient(Driver driver, RecordingMailbox recordingMailbox) {
        this(driver, recordingMailbox, "client");
    }

    SessionClient(Driver driver, RecordingMailbox recordingMailbox, String name) {
        this.driver = driver;
        this.inbox = recordingMailbox;
        this.session = driver.open(recordingMailbox, new ClientInfo("test", () -> name));
    }

    /** Submits an acquire of a lock and returns the request number. */
    long submitAcquire(Key key, long waitNanos, long leaseNanos) {
        return submitAcquire(ResourceKind.LOCK, key, 1, waitNanos, leaseNanos);
    }

    long submitAcquire(
            ResourceKind resourceKind, Key key, long limit, long waitNanos, long leaseNanos) {
        long request = lastRequest.incrementAndGet();
        session.submit(
                new Command.Acquire(
                        session.id(),
                        request,
                        resourceKind,
                        key,
                        limit,
                        waitNanos,
                        leaseNanos,
                        driver.salt()));
        return request;
    }

    /** Acquires a lock without a timeout and without a lease limit. */
    Token lock(Key key) {
        return granted(submitAcquire(key, Command.FOREVER, Command.FOREVER)).token();
    }

    /** Tries to acquire a lock that should be free; true if granted. */
    boolean tryLock(Key key) {
        long request = submitAcquire(key, 0, Command.FOREVER);
        return inbox.effectOf(request).orElseThrow() instanceof Effect.Granted;
    }

    Effect release(Key key, Token token) {
        return release(ResourceKind.LOCK, key, token);
    }

    Effect release(ResourceKind resourceKind, Key key, Token token) {
        return tryRelease(resourceKind, key, token).orElseThrow();
    }

    /** The effect of a release; empty if the session is closed. */
    Optional<Effect> tryRelease(Key key, Token token) {
        return tryRelease(ResourceKind.LOCK, key, token);
    }

    private Optional<Effect> tryRelease(ResourceKind resourceKind, Key key, Token token) {
        long request = lastRequest.incrementAndGet();
        session.submit(new Command.Release(session.id(), request, resourceKind, key, token));
        return inbox.effectOf(request);
    }

    /** Try-acquires a key. */
    Effect tryAcquire(ResourceKind resourceKind, Key key) {
        long request = lastRequest.incrementAndGet();
        session.submit(
                new Command.TryAcquire(session.id(), request, resourceKind, key, driver.salt()));
        return inbox.effectOf(request).orElseThrow();
    }

    /** Try-acquires a key that should be free; true if granted. */
    boolean isTryAcquired(ResourceKind resourceKind, Key key) {
        return tryAcquire(resourceKind, key) instanceof Effect.TryAcquired;
    }

    Effect releaseBySession(ResourceKind resourceKind, Key key) {
        long request = lastRequest.incrementAndGet();
        session.submit(new Command.ReleaseBySession(session.id(), request, resourceKind, key));
        return inbox.effectOf(request).orElseThrow();
    }

    void cancel(Key key, long request) {
        session.submit(new Command.Cancel(session.id(), request, ResourceKind.LOCK, key));
    }

    Effect.Granted granted(long request) {
        Effect effect = inbox.await(request);
        if (effect instanceof Effect.Granted granted) {
            return granted;
        }
        throw new AssertionError("not granted: " + effect);
    }

    /** The latest grant. */
    Token lastToken() {
        for (Effect effect : inbox.all().reversed()) {
            if (effect instanceof Effect.Granted granted) {
                return granted.token();
            }
        }
        throw new AssertionError("nothing was granted");
    }

    void close() {
        session.close(lastRequest.get());
    }
}
