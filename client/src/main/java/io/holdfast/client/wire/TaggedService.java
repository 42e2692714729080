package io.holdfast.client.wire;

import io.holdfast.client.service.Abilities;
import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.Attempt;
import io.holdfast.client.service.LockService;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.SignalSink;
import io.holdfast.client.service.Timeline;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A server with tagged mode, over one connection and one more per group that is listened in. */
final class TaggedService implements LockService {
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final WireConfig config;
    private final Session session;
    private final Link link;
    private final Groups groups;
    private final AtomicBoolean closing = new AtomicBoolean();

    private TaggedService(
            WireConfig config,
            ServiceEvents events,
            Timeline timeline,
            @Nullable Channel channel,
            @Nullable Hello hello) {
        this.config = config;
        this.session = new Session(config, events, timeline);
        this.link = new Link(config, channel, session);
        session.onEnd(link::stop);
        this.groups = new Groups(config, timeline);
        if (channel != null && hello != null) {
            session.up(channel, hello);
        }
        link.start();
    }

    /**
     * Goes on with a connection that has said hello, and tells that it is connected.
     *
     * @param socket owned by the service from now on
     */
    static TaggedService open(
            WireConfig config,
            ServiceEvents events,
            Timeline timeline,
            LineSocket socket,
            String helloAnswer)
            throws BadLineException {
        Hello hello = Hello.parse(helloAnswer);
        return new TaggedService(config, events, timeline, new Channel(socket), hello);
    }

    /** One that has yet to find a connection. */
    static TaggedService dialing(WireConfig config, ServiceEvents events, Timeline timeline) {
        return new TaggedService(config, events, timeline, null, null);
    }

    @Override
    public String address() {
        return session.address();
    }

    @Override
    public Abilities abilities() {
        return session.canResume() ? Abilities.ALL : new Abilities(true, true, true, true, false);
    }

    @Override
    public Timeline timeline() {
        return session.timeline();
    }

    @Override
    public Attempt acquire(Acquisition what, Consumer<Outcome> done) {
        var acquire = new Acquire(session, what, done);
        session.run(() -> session.submit(acquire));
        return acquire;
    }

    @Override
    public CompletableFuture<String> command(String command, String key, String argument) {
        var future = new CompletableFuture<String>();
        var question =
                new Question(
                        command, key, argument, future::complete, future::completeExceptionally);
        session.run(() -> session.submit(question));
        return future;
    }

    @Override
    public Listening listen(String pattern, String group, SignalSink sink) {
        var name = new Listeners.Name(pattern, group);
        return group.isEmpty() ? listenAlone(name, sink) : groups.listen(name, sink);
    }

    Listening listenAlone(Listeners.Name name, SignalSink sink) {
        return session.listeners().listen(name, sink, config.connectTimeout().toNanos());
    }

    @Override
    public void close() {
        closeSoon();
        groups.close();
        if (session.isHere()) {
            return; // a callback closes: whoever could answer it waits for this very thread
        }
        boolean interrupted = false;
        long deadline = System.nanoTime() + FAREWELL_NANOS;
        while (true) {
            try {
                session.ended().await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                session.run(session::finishClose);
                link.join(Duration.ofNanos(FAREWELL_NANOS));
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes without waiting for it. */
    void closeSoon() {
        if (closing.getAndSet(true)) {
            return;
        }
        session.run(session::beginClose);
        session.timeline().schedule(FAREWELL_NANOS / 2, () -> session.run(session::sayBye));
        session.timeline().schedule(FAREWELL_NANOS, () -> session.run(session::finishClose));
    }
}
