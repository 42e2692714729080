package io.holdfast.server;

import io.holdfast.client.socketlock.seat.Grace;
import io.holdfast.client.socketlock.seat.Seat;
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
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long END_MOST_MILLIS = 1000;
    private static final long END_LOOK_MILLIS = 5;

    /** As the original says it. */
    static final String ALREADY_RUNNING = "socketlock: server already running";

    /** Listens at a path; accepts nothing yet. */
    @FunctionalInterface
    interface Binding {
        Channel bind(Path path, SocketlockService service, ChannelGroup connections)
                throws StartException;
    }

    /** The time in which the path is ours. */
    private static final class Term {
        final Seat seat;
        final SocketlockService service;
        final ChannelGroup connections =
                new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

        /** Whether the key is suspended on our behalf. */
        boolean suspended;

        /** Whether it was said why nothing is granted. */
        boolean graceTold;

        private final long startNanos = System.nanoTime();

        @Nullable Channel channel;

        Term(Seat seat, SocketlockService service) {
            this.seat = seat;
            this.service = service;
        }

        long age() {
            return System.nanoTime() - startNanos;
        }
    }

    private final Endpoint endpoint;
    private final Address.Unix address;
    private final Key key;
    private final Suspensions suspensions;
    private final BiFunction<Seat, Runnable, SocketlockService> services;
    private final Binding binding;
    private final Thread watch;
    private @Nullable Term term;

    /** Why the path could not be had again, as last told. */
    private String trouble = "";

    // Guarded by this.
    private boolean stopping;
    private boolean lookSoon;

    private SocketlockListener(
            Endpoint endpoint,
            Address.Unix address,
            Key key,
            Suspensions suspensions,
            BiFunction<Seat, Runnable, SocketlockService> services,
            Binding binding) {
        this.endpoint = endpoint;
        this.address = address;
        this.key = key;
        this.suspensions = suspensions;
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
    static SocketlockListener take(
            Endpoint endpoint,
            Address.Unix address,
            Key key,
            Suspensions suspensions,
            BiFunction<Seat, Runnable, SocketlockService> services,
            Binding binding)
            throws StartException {
        SocketlockListener listener =
                new SocketlockListener(endpoint, address, key, suspensions, services, binding);
        listener.term = listener.take();
        if (listener.term == null) {
            throw new StartException("cannot listen on " + address + ": " + ALREADY_RUNNING);
        }
        return listener;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** From now on others find us. */
    void listen() throws StartException {
        if (term != null) {
            publish(term);
        }
        watch.start();
    }

    /** Looks at the seat soon, and not only when it is time. */
    synchronized void look() {
        lookSoon = true;
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
                Term now = term;
                if (now == null) {
                    tryAgain();
                } else if (!now.seat.isOurs()) {
                    LOG.atWarn()
                            .addKeyValue("path", address)
                            .log("the path is no longer ours: closing its connections");
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
        long end = System.nanoTime() + LOOK_NANOS;
        Term now = term;
        if (now != null && now.suspended) {
            end = Math.min(end, now.seat.grace().nextLookNanos());
        }
        for (long left = end - System.nanoTime();
                left > 0 && !stopping && !lookSoon;
                left = end - System.nanoTime()) {
            try {
                wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            } catch (InterruptedException e) {
                break; // nobody does
            }
        }
        lookSoon = false;
        return !stopping;
    }

    private void endGrace(Term now) {
        if (now.suspended && now.seat.grace().isOver(System.nanoTime())) {
            now.suspended = false;
            suspensions.resume(key);
        } else if (now.suspended && !now.graceTold && now.age() >= LOOK_NANOS) {
            now.graceTold = true;
            LOG.atWarn()
                    .addKeyValue("path", address)
                    .addKeyValue("seconds", TimeUnit.NANOSECONDS.toSeconds(Grace.LENGTH_NANOS))
                    .log("waiting for those who held locks under the primary before, at most");
        }
    }

    /**
     * Whoever held the lock may come back if the path is ours again. Until that is known nobody
     * else gets the key, whatever it is asked by.
     */
    private void startOver(Term lost) {
        term = null;
        try {
            end(lost);
            awaitSessions(lost.service);
            tryAgain();
        } finally {
            suspensions.resume(key);
        }
    }

    private void tryAgain() {
        try {
            Term fresh = take();
            if (fresh == null) {
                tellTrouble("another server has it");
                return;
            }
            try {
                publish(fresh);
            } catch (StartException e) {
                undo(fresh);
                throw e;
            }
            term = fresh;
            trouble = "";
            LOG.atInfo().addKeyValue("path", address).log("the path is ours again");
        } catch (StartException e) {
            tellTrouble(String.valueOf(e.getMessage()));
        }
    }

    private void tellTrouble(String reason) {
        if (!reason.equals(trouble)) {
            trouble = reason;
            LOG.atWarn()
                    .addKeyValue("path", address)
                    .addKeyValue("reason", reason)
                    .log("cannot serve the path, trying again");
        }
    }

    // ---- the steps

    /** Null if somebody else has it. */
    private @Nullable Term take() throws StartException {
        Seat seat;
        try {
            if (!(Seat.tryTake(address.path()) instanceof Seat.Attempt.Taken(Seat taken))) {
                return null;
            }
            seat = taken;
        } catch (IOException e) {
            throw failure(e);
        }
        Term fresh;
        try {
            fresh = new Term(seat, services.apply(seat, this::look));
        } catch (RuntimeException e) { // the file asks for fences that there are not
            seat.leave();
            seat.close();
            throw failure(e);
        }
        if (!seat.grace().isOver(System.nanoTime())) {
            fresh.suspended = true;
            if (!suspensions.suspend(key)) {
                undo(fresh);
                throw new StartException("cannot listen on " + address + ": too many locks");
            }
        }
        try {
            fresh.channel = binding.bind(seat.bindPath(), fresh.service, fresh.connections);
            if (address.permissions() != null) {
                Files.setPosixFilePermissions(seat.bindPath(), address.permissions());
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

    private void publish(Term fresh) throws StartException {
        try {
            fresh.seat.publish();
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
        Term last = term;
        term = null;
        if (last != null) {
            end(last);
        }
    }

    /** Ends a term that nobody has seen. */
    private void undo(Term fresh) {
        end(fresh);
        suspensions.resume(key);
    }

    /** No more offers, then no more connections, then no more primary. The key stays suspended. */
    private void end(Term last) {
        if (!last.suspended) {
            last.suspended = true;
            boolean _ = suspensions.suspend(key); // if that fails nobody has it
        }
        last.service.end();
        last.seat.leave();
        if (last.channel != null) {
            last.channel.close().awaitUninterruptibly(END_MOST_MILLIS);
        }
        last.connections.close().awaitUninterruptibly(END_MOST_MILLIS);
        last.seat.close();
    }

    /** What connections held is released only now: not while any of them could be offered it. */
    private static void awaitSessions(SocketlockService service) {
        long startNanos = System.nanoTime();
        while (service.open() > 0
                && System.nanoTime() - startNanos
                        < TimeUnit.MILLISECONDS.toNanos(END_MOST_MILLIS)) {
            try {
                TimeUnit.MILLISECONDS.sleep(END_LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
