package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.Listener;
import io.holdfast.driver.signal.Recipients;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.protocol.dflockd.DflockdDecoder;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.protocol.dflockd.DflockdInput;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.server.connection.LineConnection;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A connection that speaks dflockd. */
public final class DflockdHandler extends LineConnection<DflockdInput>
        implements Listening.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(DflockdHandler.class);
    private static final byte[] NO_SECRET = {};

    /** So many bytes of a signal cost 1; so does each one who gets it. */
    private static final int SIGNAL_BYTES_PER_COST = 128;

    /** How many looks of the signal hub cost 1. */
    private static final int LOOKS_PER_COST = 16;

    private static final long AUTH_PAUSE_MILLIS = 100;

    private final DflockdService service;
    private final Namespace namespace;
    private final SignalHub hub;
    private final DflockdDecoder decoder;
    private boolean authenticated;

    /** Of a connection that has listened to anything. */
    private @Nullable Listening listening;

    /** When the line that is being read began. */
    private long lineSinceNanos;

    private long linesSeen;
    private @Nullable Future<?> readTimer;

    public DflockdHandler(DflockdService service, Namespace namespace) {
        super(service);
        this.service = service;
        this.namespace = namespace;
        this.hub = service.hub(namespace);
        this.decoder = new DflockdDecoder(namespace);
        this.authenticated = service.secret == null;
    }

    @Override
    protected void opened() {
        lineSinceNanos = System.nanoTime();
        armReadTimer(service.readTimeoutNanos);
    }

    @Override
    protected void ended() {
        if (readTimer != null) {
            readTimer.cancel(false);
            readTimer = null;
        }
        if (listening != null) {
            listening.close();
            listening = null;
        }
    }

    @Override
    protected void finishing() {
        if (listening != null) {
            listening.unsubscribe(); // what came before is written, and nothing comes after
        }
        writePushes();
    }

    @Override
    protected void writable() {
        writePushes();
    }

    @Override
    protected void resumed() {
        lineSinceNanos = System.nanoTime();
    }

    @Override
    protected void idle() {
        long lines = decoder.linesRead();
        if (lines != linesSeen) {
            linesSeen = lines;
            lineSinceNanos = System.nanoTime();
        }
    }

    @Override
    protected void endOfRequests(@Nullable ByteBuf rest) {
        if (authenticated || !decoder.isInsideRequest()) {
            finish();
        } else {
            failAuthentication(NO_SECRET);
        }
    }

    @Override
    protected void answerDrained() {
        DflockdEncoder.error(output());
    }

    // ---- requests

    @Override
    protected @Nullable DflockdInput decode(ByteBuf bytes) {
        return decoder.decode(bytes);
    }

    @Override
    protected void take(DflockdInput next) {
        switch (next) {
            case DflockdInput.LooksLikeHttp() -> {
                LOG.atDebug().addKeyValue("conn", session().id()).log("HTTP on a lock port");
                abort();
            }
            case DflockdInput.LineTooLong() -> {
                if (authenticated) {
                    DflockdEncoder.error(output());
                    finish();
                } else {
                    failAuthentication(NO_SECRET);
                }
            }
            case DflockdInput.Request(var what) -> {
                if (authenticated) {
                    serve(what);
                } else {
                    authenticate(what);
                }
            }
        }
    }

    private void authenticate(DflockdRequest what) {
        byte[] candidate = what instanceof DflockdRequest.Auth(byte[] given) ? given : NO_SECRET;
        if (service.secret == null || service.secret.matches(candidate)) {
            authenticated = true;
            DflockdEncoder.ok(output());
        } else {
            refuseConnection();
        }
    }

    /** What could not be read is compared too: a failure takes the same path and time. */
    private void failAuthentication(byte[] candidate) {
        if (service.secret != null && !service.secret.matches(candidate)) {
            refuseConnection();
        }
    }

    private void refuseConnection() {
        LOG.atInfo()
                .addKeyValue("conn", session().id())
                .addKeyValue("remote", context().channel().remoteAddress())
                .log("authentication failed");
        DflockdEncoder.errorAuth(output());
        flush();
        end();
        setReading(true);
        context().executor().schedule(this::linger, AUTH_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void serve(DflockdRequest what) {
        switch (what) {
            case DflockdRequest.Acquire(var kind, var key, var limit, var wait, var lease) -> {
                if (mayCreate()) {
                    submit(
                            new Command.Acquire(
                                    session().id(),
                                    nextRequest(),
                                    kind,
                                    key,
                                    limit,
                                    wait,
                                    lease(lease),
                                    service.driver().salt()));
                }
            }
            case DflockdRequest.Enqueue(var kind, var key, var limit, var lease) -> {
                if (mayCreate()) {
                    submit(
                            new Command.Enqueue(
                                    session().id(),
                                    nextRequest(),
                                    kind,
                                    key,
                                    limit,
                                    lease(lease),
                                    service.driver().salt()));
                }
            }
            case DflockdRequest.Await(var kind, var key, var wait) -> {
                if (mayCreate()) {
                    submit(new Command.Await(session().id(), nextRequest(), kind, key, wait));
                }
            }
            case DflockdRequest.Release(var kind, var key, var token) ->
                    submit(new Command.Release(session().id(), nextRequest(), kind, key, token));
            case DflockdRequest.Renew(var kind, var key, var token, var lease) ->
                    submit(
                            new Command.Renew(
                                    session().id(), nextRequest(), kind, key, token, lease(lease)));
            case DflockdRequest.Data(var key, var operation) -> {
                if (!operation.mayCreate() || mayCreate()) {
                    submit(new Command.Data(session().id(), nextRequest(), key, operation));
                }
            }
            case DflockdRequest.Listen(var pattern, var group) -> {
                if (!SignalHub.isPattern(pattern)) {
                    DflockdEncoder.error(output());
                } else if (mayCreate()) {
                    listen(pattern, group);
                }
            }
            case DflockdRequest.Unlisten(var pattern, var group) -> {
                if (listening != null) {
                    listening.unlisten(pattern, group);
                    writePushes(); // what came before it is told before it
                }
                DflockdEncoder.ok(output());
            }
            case DflockdRequest.Signal(var channel, var payload) -> signal(channel, payload);
            case DflockdRequest.Ping() -> DflockdEncoder.ok(output());
            case DflockdRequest.Stats() ->
                    stream(new StatsStream(context(), service, namespace, this::writePiece));
            case DflockdRequest.Auth(byte[] ignored) -> DflockdEncoder.error(output());
            case DflockdRequest.Malformed() -> DflockdEncoder.error(output());
        }
    }

    private long lease(long requested) {
        return requested == DflockdRequest.DEFAULT_LEASE ? service.defaultLeaseNanos : requested;
    }

    /** Whether a request that makes something is served; while draining it is not. */
    private boolean mayCreate() {
        if (!service.draining()) {
            return true;
        }
        DflockdEncoder.errorDraining(output());
        finish();
        return false;
    }

    private void writeItems(List<ByteString> items) {
        if (items.size() > RangeStream.LONG) {
            streamItems(items);
            return;
        }
        cost(items.size());
        DflockdEncoder.beginItems(output());
        for (int i = 0; i < items.size(); i++) {
            DflockdEncoder.item(items.get(i), i == 0, output());
        }
        DflockdEncoder.endItems(output());
    }

    private void streamItems(List<ByteString> items) {
        if (service.ranges.take(RangeStream.bytes(items))) {
            stream(new RangeStream(context(), items, this::writePiece, service.ranges));
        } else {
            DflockdEncoder.error(output());
        }
    }

    // ---- signals

    private void listen(Key pattern, ByteString group) {
        if (listening == null) {
            listening = new Listening(context(), service, hub, lines(), this);
        }
        switch (listening.listen(pattern, group)) {
            case LISTENING -> DflockdEncoder.ok(output());
            case INVALID_PATTERN, NO_ROOM, CLOSED -> DflockdEncoder.error(output());
        }
    }

    private void signal(Key channel, ByteString payload) {
        Recipients recipients = hub.choose(channel);
        List<Listener> receivers = recipients.listeners();
        cost(recipients.looks() / LOOKS_PER_COST);
        if (!receivers.isEmpty()) {
            PushLine line =
                    new PushLine(
                            context().alloc(),
                            channel,
                            payload,
                            receivers.size(),
                            service.pushBudget);
            receivers.forEach(receiver -> receiver.deliver(line));
            cost(receivers.size() + line.length() / SIGNAL_BYTES_PER_COST);
        }
        DflockdEncoder.number(receivers.size(), output());
    }

    /** Lines are pushed between answers, never inside one. */
    @Override
    public PushQueue.Readiness readiness() {
        if (state() == State.STREAMING) {
            return PushQueue.Readiness.BUSY;
        }
        return context().channel().isWritable()
                ? PushQueue.Readiness.READY
                : PushQueue.Readiness.SOCKET_FULL;
    }

    @Override
    public void push() {
        guarded(this::writePushes);
    }

    private void writePushes() {
        if (listening != null && state() != State.CLOSING) {
            listening.writePushes();
        }
    }

    @Override
    public void cutOff() {
        guarded(this::endSlowListener);
    }

    private void endSlowListener() {
        if (state() != State.CLOSING) {
            LOG.atWarn()
                    .addKeyValue("conn", session().id())
                    .addKeyValue("remote", context().channel().remoteAddress())
                    .log("slow listener cut off");
            abort();
        }
    }

    @Override
    protected void flush() {
        if (listening != null) {
            listening.flush();
        } else {
            super.flush();
        }
    }

    // ---- answers

    @Override
    protected void answer(Command.Keyed asked, Effect effect) {
        switch (effect) {
            case Effect.Granted granted -> {
                if (asked instanceof Command.Enqueue) {
                    DflockdEncoder.acquired(granted.token(), granted.leaseNanos(), output());
                } else {
                    DflockdEncoder.granted(granted.token(), granted.leaseNanos(), output());
                }
            }
            case Effect.Queued queued -> DflockdEncoder.queued(output());
            case Effect.Released released -> DflockdEncoder.ok(output());
            case Effect.Renewed renewed -> DflockdEncoder.renewed(renewed.leaseNanos(), output());
            case Effect.TimedOut timedOut -> DflockdEncoder.timeout(output());
            case Effect.Cancelled cancelled -> DflockdEncoder.error(output());
            case Effect.Changed changed -> DflockdEncoder.ok(output());
            case Effect.Counted counted -> DflockdEncoder.number(counted.value(), output());
            case Effect.Found found -> DflockdEncoder.value(found.value(), output());
            case Effect.Absent absent -> DflockdEncoder.nil(output());
            case Effect.Items items -> writeItems(items.items());
            case Effect.Claimed _,
                    Effect.Inspected _,
                    Effect.Orphaned _,
                    Effect.Offered _,
                    Effect.OfferLapsed _,
                    Effect.Expired _,
                    Effect.Revoked _,
                    Effect.Standing _ ->
                    throw new IllegalStateException("no dflockd request asks for " + effect);
            case Effect.Refused refused -> DflockdEncoder.refused(refused.reason(), output());
        }
    }

    // ---- the read timer, which arms itself again for what is left

    private void armReadTimer(long nanos) {
        readTimer =
                context()
                        .executor()
                        .schedule(() -> guarded(this::checkRead), nanos, TimeUnit.NANOSECONDS);
    }

    private void checkRead() {
        if (state() == State.CLOSING) {
            return;
        }
        if (!isReading()) {
            armReadTimer(service.readTimeoutNanos); // no line is being read
            return;
        }
        long left = service.readTimeoutNanos - (System.nanoTime() - lineSinceNanos);
        if (left > 0) {
            armReadTimer(left);
        } else if (!authenticated) {
            failAuthentication(NO_SECRET);
        } else {
            LOG.atDebug().addKeyValue("conn", session().id()).log("read timeout");
            DflockdEncoder.error(output());
            finish();
        }
    }
}
