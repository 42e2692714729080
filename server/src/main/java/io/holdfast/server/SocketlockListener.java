package io.holdfast.server;

import io.holdfast.client.socketlock.primary.PrimaryLock;
import io.holdfast.client.socketlock.primary.TakeoverGracePeriod;
import io.holdfast.driver.FailureText;
import io.holdfast.engine.Key;
import io.holdfast.server.socketlock.SocketlockService;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * A listener for socketlock: the primary of its path, for as long as the path is its own. One that
 * has lost it closes its connections and tries to get it back; a thread of its own looks after
 * that.
 */
final class SocketlockListener {
    private static final Logger LOG = LoggerFactory.getLogger(SocketlockListener.class);
    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long END_MOST_MILLIS = 1000;
    private static final long END_CHECK_INTERVAL_MILLIS = 5;

    /** As the original says it. */
    static final String ALREADY_RUNNING = "socketlock: server already running";

    /** Listens at a path; accepts nothing yet. */
    @FunctionalInterface
    interface Binding {
        Channel bind(Path path, SocketlockService service, ChannelGroup connections)
                throws StartException;
    }

    /** The time in which the path is ours. */
    private static final class ServingPeriod {
        final PrimaryLock primaryLock;
        final SocketlockService service;
        final ChannelGroup connections =
                new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

        /** Whether the key is suspended on our behalf. */
        boolean suspended;

        /** Whether it was said why nothing is granted. */
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
    private final Key key;
    private final SuspendedKeys suspendedKeys;
    private final BiFunction<PrimaryLock, Runnable, SocketlockService> services;
    private final Binding binding;
    private final Thread watch;
    private @Nullable ServingPeriod servingPeriod;

    /** Why the path could not be had again, as last told. */
    private String lastFailure = "";

    // Guarded by this.
    private boolean stopping;
    private boolean checkRequested;

    private SocketlockListener(
            ListenEndpoint listenEndpoint,
            ListenAddress.Unix address,
            Key key,
            SuspendedKeys suspendedKeys,
            BiFunction<PrimaryLock, Runnable, SocketlockService> services,
            Binding binding) {
        this.listenEndpoint = listenEndpoint;
        this.address = address;
        this.key = key;
        this.suspendedKeys = suspendedKeys;
        this.services = services;
        this.binding = binding;
        this.watch =
                Thread.ofPlatform().daemon().name("holdfast-socketlock").unstarted(this::watch);
    }

    /**
     * Takes the path, and serves nobody before {@link #listen}.
     *
     * @param services makes what connections share; they may ask for a look at the seat
     */
    static SocketlockListener acquirePath(
            ListenEndpoint listenEndpoint,
            ListenAddress.Unix address,
            Key key,
            SuspendedKeys suspendedKeys,
            BiFunction<PrimaryLock, Runnable, SocketlockService> services,
            Binding binding)
            throws StartException {
        SocketlockListener listener =
                new SocketlockListener(
                        listenEndpoint, address, key, suspendedKeys, services, binding);
        listener.servingPeriod = listener.acquirePath();
        if (listener.servingPeriod == null) {
            throw new StartException("cannot listen on " + address + ": " + ALREADY_RUNNING);
        }
        return listener;
    }

    ListenEndpoint endpoint() {
        return listenEndpoint;
    }

    /** From now on others find us. */
    void listen() throws StartException {
        if (servingPeriod != null) {
            publish(servingPeriod);
        }
        watch.start();
    }

    /** Looks at the seat soon, and not only when it is time. */
    synchronized void checkSoon() {
        checkRequested = true;
        notifyAll();
    }

    /**
     * Ends the service at once, whoever is connected: a lock of this table must not be valid beside
     * those that the next primary grants.
     */
    void stop() {
        synchronized (this) {
            if (stopping) {
                return;
            }
            stopping = true;
            notifyAll();
        }
        if (watch.getState() == Thread.State.NEW) {
            endForGood();
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
                LOG.atError().setCause(e).log("socketlock listener failed, trying again");
            }
        }
        endForGood();
    }

    /** Waits until it is time to look; false if there is nothing more to look after. */
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
                break; // nobody does
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
                            "seconds",
                            TimeUnit.NANOSECONDS.toSeconds(TakeoverGracePeriod.LENGTH_NANOS))
                    .log("waiting for those who held locks under the primary before, at most");
        }
    }

    /**
     * Whoever held the lock may come back if the path is ours again. Until that is known nobody
     * else gets the key, whatever it is asked by.
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
                logFailure("another server has it");
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

    /** Null if somebody else has it. */
    private @Nullable ServingPeriod acquirePath() throws StartException {
        PrimaryLock primaryLock;
        try {
            if (!(PrimaryLock.tryTake(address.path())
                    instanceof PrimaryLock.Attempt.Taken(PrimaryLock taken))) {
                return null;
            }
            primaryLock = taken;
        } catch (IOException e) {
            throw failure(e);
        }
        ServingPeriod fresh;
        try {
            fresh = new ServingPeriod(primaryLock, services.apply(primaryLock, this::checkSoon));
        } catch (RuntimeException e) { // the file asks for fences that there are not
            primaryLock.stopServing();
            primaryLock.close();
            throw failure(e);
        }
        if (!primaryLock.grace().isOver(System.nanoTime())) {
            fresh.suspended = true;
            if (!suspendedKeys.suspend(key)) {
                undo(fresh);
                throw new StartException("cannot listen on " + address + ": too many locks");
            }
        }
        try {
            fresh.channel = binding.bind(primaryLock.bindPath(), fresh.service, fresh.connections);
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

    /** Nobody else here is to get what clients may still have, and bring to the next primary. */
    private void endForGood() {
        ServingPeriod last = servingPeriod;
        servingPeriod = null;
        if (last != null) {
            end(last);
        }
    }

    /** Ends a term that nobody has seen. */
    private void undo(ServingPeriod fresh) {
        end(fresh);
        suspendedKeys.resume(key);
    }

    /** No more offers, then no more connections, then no more primary. The key stays suspended. */
    private void end(ServingPeriod last) {
        if (!last.suspended) {
            last.suspended = true;
            boolean _ = suspendedKeys.suspend(key); // if that fails nobody has it
        }
        last.service.end();
        last.primaryLock.stopServing();
        if (last.channel != null) {
            last.channel.close().awaitUninterruptibly(END_MOST_MILLIS);
        }
        last.connections.close().awaitUninterruptibly(END_MOST_MILLIS);
        last.primaryLock.close();
    }

    /** What connections held is released only now: not while any of them could be offered it. */
    private static void awaitSessions(SocketlockService service) {
        long startNanos = System.nanoTime();
        while (service.open() > 0
                && System.nanoTime() - startNanos
                        < TimeUnit.MILLISECONDS.toNanos(END_MOST_MILLIS)) {
            try {
                TimeUnit.MILLISECONDS.sleep(END_CHECK_INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
