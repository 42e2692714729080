package io.holdfast.server.socketlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.FailureText;
import io.holdfast.engine.Key;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.Listener;
import io.holdfast.server.listener.ListenerBinder;
import io.holdfast.server.listener.StartException;
import io.holdfast.socketlock.internal.primary.PrimaryLock;
import io.holdfast.socketlock.internal.primary.TakeoverGracePeriod;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

/**
 * A listener for socketlock: the primary of its path. When it has lost the primary lock, it closes
 * its connections and tries to become the primary again; its own thread checks this periodically.
 */
final class SocketlockListener implements Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SocketlockListener.class);
    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long END_TIMEOUT_MILLIS = 1000;
    private static final long END_CHECK_INTERVAL_MILLIS = 5;

    /** One period in which this listener is the primary of the path. */
    private static final class ServingPeriod {
        final PrimaryLock primaryLock;
        final SocketlockService service;
        final ChannelGroup connections =
                new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

        /** Whether this listener has suspended the key. */
        boolean suspended;

        /** Whether the grace period has been logged. */
        boolean graceLogged;

        private final long startNanos = System.nanoTime();

        @Nullable Channel channel;

        ServingPeriod(PrimaryLock primaryLock, SocketlockService service) {
            this.primaryLock = primaryLock;
            this.service = service;
        }

        long age() {
            return System.nanoTime() - startNanos;
        }
    }

    private final ListenEndpoint listenEndpoint;
    private final ListenAddress.Unix address;
    private final SocketlockOptions options;
    private final Key key;
    private final ServerContext server;
    private final SuspendedKeys suspendedKeys;
    private final ListenerBinder binder;
    private final Thread watch;
    private @Nullable ServingPeriod servingPeriod;

    /** Why the listener could not become the primary again, as logged last. */
    private String lastFailure = "";

    @GuardedBy("this")
    private boolean stopping;

    @GuardedBy("this")
    private boolean checkRequested;

    private SocketlockListener(
            ListenEndpoint listenEndpoint,
            ServerContext server,
            SuspendedKeys suspendedKeys,
            ListenerBinder binder) {
        this.listenEndpoint = listenEndpoint;
        this.address = (ListenAddress.Unix) listenEndpoint.address();
        this.options = (SocketlockOptions) listenEndpoint.options();
        this.key = options.lock(address);
        this.server = server;
        this.suspendedKeys = suspendedKeys;
        this.binder = binder;
        this.watch =
                Thread.ofPlatform().daemon().name("holdfast-socketlock").unstarted(this::watch);
    }

    /** Becomes the primary of the path; accepts no connection before {@link #listen}. */
    static SocketlockListener acquirePath(
            ListenEndpoint listenEndpoint,
            ServerContext server,
            SuspendedKeys suspendedKeys,
            ListenerBinder binder)
            throws StartException {
        SocketlockListener listener =
                new SocketlockListener(listenEndpoint, server, suspendedKeys, binder);
        listener.servingPeriod = listener.acquirePath();
        if (listener.servingPeriod == null) {
            throw new StartException(
                    "cannot listen on "
                            + listener.address
                            + ": "
                            + SocketlockProtocol.ALREADY_RUNNING);
        }
        return listener;
    }

    @Override
    public ListenEndpoint endpoint() {
        return listenEndpoint;
    }

    /** Publishes the socket and begins to accept connections. */
    @Override
    public void listen() throws StartException {
        if (servingPeriod != null) {
            publish(servingPeriod);
        }
        watch.start();
    }

    /** Checks the primary lock soon instead of at the next interval. */
    synchronized void checkSoon() {
        checkRequested = true;
        notifyAll();
    }

    /**
     * Stops serving at once, even with open connections: a lock granted here must not be valid
     * beside those that the next primary grants.
     */
    @Override
    public void stop() {
        synchronized (this) {
            if (stopping) {
                return;
            }
            stopping = true;
            notifyAll();
        }
        if (watch.getState() == Thread.State.NEW) {
            endPermanently();
            return;
        }
        boolean interrupted = false;
        while (watch.isAlive()) {
            try {
                watch.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the thread

    private void watch() {
        while (pause()) {
            try {
                ServingPeriod now = servingPeriod;
                if (now == null) {
                    tryAgain();
                } else if (!now.primaryLock.isOurs()) {
                    LOG.atWarn()
                            .addKeyValue("path", address)
                            .log("lost the primary lock of the path; closing its connections");
                    startOver(now);
                } else {
                    endGrace(now);
                }
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("socketlock listener failed; retrying");
            }
        }
        endPermanently();
    }

    /** Waits until the next check is due; false if the listener is stopping. */
    private synchronized boolean pause() {
        long end = System.nanoTime() + CHECK_INTERVAL_NANOS;
        ServingPeriod now = servingPeriod;
        if (now != null && now.suspended) {
            end = Math.min(end, now.primaryLock.grace().nextLookNanos());
        }
        for (long left = end - System.nanoTime();
                left > 0 && !stopping && !checkRequested;
                left = end - System.nanoTime()) {
            try {
                wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            } catch (InterruptedException e) {
                break; // never interrupted
            }
        }
        checkRequested = false;
        return !stopping;
    }

    private void endGrace(ServingPeriod now) {
        if (now.suspended && now.primaryLock.grace().isOver(System.nanoTime())) {
            now.suspended = false;
            suspendedKeys.resume(key);
        } else if (now.suspended && !now.graceLogged && now.age() >= CHECK_INTERVAL_NANOS) {
            now.graceLogged = true;
            LOG.atWarn()
                    .addKeyValue("path", address)
                    .addKeyValue(
                            "max_seconds",
                            TimeUnit.NANOSECONDS.toSeconds(TakeoverGracePeriod.LENGTH_NANOS))
                    .log(
                            "grace period: waiting for clients of the previous primary to re-assert"
                                    + " their locks");
        }
    }

    /**
     * The former holders may re-assert their locks if this listener becomes the primary again.
     * Until then the key stays suspended for clients of all protocols.
     */
    private void startOver(ServingPeriod lost) {
        servingPeriod = null;
        try {
            end(lost);
            awaitSessions(lost.service);
            tryAgain();
        } finally {
            suspendedKeys.resume(key);
        }
    }

    private void tryAgain() {
        try {
            ServingPeriod fresh = acquirePath();
            if (fresh == null) {
                logFailure("another server is the primary");
                return;
            }
            try {
                publish(fresh);
            } catch (StartException e) {
                undo(fresh);
                throw e;
            }
            servingPeriod = fresh;
            lastFailure = "";
            LOG.atInfo().addKeyValue("path", address).log("serving the path again");
        } catch (StartException e) {
            logFailure(String.valueOf(e.getMessage()));
        }
    }

    private void logFailure(String reason) {
        if (!reason.equals(lastFailure)) {
            lastFailure = reason;
            LOG.atWarn()
                    .addKeyValue("path", address)
                    .addKeyValue("reason", reason)
                    .log("cannot become the primary of the path; retrying");
        }
    }

    // ---- the steps

    /** Null if another server is the primary. */
    private @Nullable ServingPeriod acquirePath() throws StartException {
        PrimaryLock primaryLock;
        try {
            if (!(PrimaryLock.tryTake(address.path())
                    instanceof PrimaryLock.Attempt.Taken(PrimaryLock acquired))) {
                return null;
            }
            primaryLock = acquired;
        } catch (IOException e) {
            throw failure(e);
        }
        ServingPeriod fresh;
        try {
            server.fences().raise(primaryLock.fenceFloor());
            fresh =
                    new ServingPeriod(
                            primaryLock,
                            new SocketlockService(
                                    server, key, options.limits(), primaryLock, this::checkSoon));
        } catch (RuntimeException e) { // the fence floor in the file is out of range
            primaryLock.stopServing();
            primaryLock.close();
            throw failure(e);
        }
        if (!primaryLock.grace().isOver(System.nanoTime())) {
            fresh.suspended = true;
            if (!suspendedKeys.suspend(key)) {
                undo(fresh);
                throw new StartException(
                        "cannot listen on "
                                + address
                                + ": the limit of locks or memory is reached");
            }
        }
        try {
            fresh.channel =
                    binder.bindUnix(
                            primaryLock.bindPath(),
                            listenEndpoint,
                            pipeline -> {
                                fresh.connections.add(pipeline.channel());
                                pipeline.addLast(SocketlockHandler.connection(fresh.service));
                            });
            if (address.permissions() != null) {
                Files.setPosixFilePermissions(primaryLock.bindPath(), address.permissions());
            }
            return fresh;
        } catch (StartException e) {
            undo(fresh);
            throw e;
        } catch (IOException | UnsupportedOperationException e) { // the file system has no modes
            undo(fresh);
            throw failure(e);
        }
    }

    private void publish(ServingPeriod fresh) throws StartException {
        try {
            fresh.primaryLock.publish();
        } catch (IOException e) {
            throw failure(e);
        }
        if (fresh.channel != null) {
            fresh.channel.config().setAutoRead(true);
        }
    }

    private StartException failure(Exception e) {
        return new StartException("cannot listen on " + address + ": " + FailureText.of(e), e);
    }

    /**
     * Ends without resuming the key: clients may still have locks and re-assert them at the next
     * primary.
     */
    private void endPermanently() {
        ServingPeriod last = servingPeriod;
        servingPeriod = null;
        if (last != null) {
            end(last);
        }
    }

    /** Ends a serving period that was not published. */
    private void undo(ServingPeriod fresh) {
        end(fresh);
        suspendedKeys.resume(key);
    }

    /**
     * Stops offers, then closes the connections, then releases the primary lock. The key stays
     * suspended.
     */
    private void end(ServingPeriod last) {
        if (!last.suspended) {
            last.suspended = true;
            boolean _ = suspendedKeys.suspend(key); // if that fails there is no holder
        }
        last.service.end();
        last.primaryLock.stopServing();
        if (last.channel != null) {
            last.channel.close().awaitUninterruptibly(END_TIMEOUT_MILLIS);
        }
        last.connections.close().awaitUninterruptibly(END_TIMEOUT_MILLIS);
        last.primaryLock.close();
    }

    /**
     * Waits until the sessions of the closed connections have ended, so that their holds are
     * released.
     */
    private static void awaitSessions(SocketlockService service) {
        long startNanos = System.nanoTime();
        while (service.open() > 0
                && System.nanoTime() - startNanos
                        < TimeUnit.MILLISECONDS.toNanos(END_TIMEOUT_MILLIS)) {
            try {
                TimeUnit.MILLISECONDS.sleep(END_CHECK_INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
