package io.holdfast.server.dflockd;

import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Session;
import io.holdfast.driver.signal.Listener;
import io.holdfast.driver.signal.Recipients;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.protocol.dflockd.DflockdDecoder;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.protocol.dflockd.DflockdInput;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.server.connection.ConnectionEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * One connection: reads a request, submits it, writes its answer, then looks at the next. Lives on
 * its event loop; only the mailbox methods are called from elsewhere.
 */
public final class DflockdHandler extends ChannelInboundHandlerAdapter
        implements Mailbox, Runnable, Listening.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(DflockdHandler.class);
    private static final byte[] NO_SECRET = {};

    /** What a peer may send behind a blocked request. */
    private static final int MOST_BEHIND_BLOCKED = 4096;

    /** What one turn may cost before other connections get theirs; most requests cost 1. */
    private static final int COST_PER_TURN = 512;

    /** So many bytes of a signal cost 1; so does each one who gets it. */
    private static final int SIGNAL_BYTES_PER_COST = 128;

    /** Input is kept in a buffer that is larger than it by this at most, or as much again. */
    private static final int SPARE_BYTES = 128;

    /** How many looks of the signal hub cost 1. */
    private static final int LOOKS_PER_COST = 16;

    /** Answers are gathered up to this before they are written. */
    private static final int BATCH_BYTES = 32 * 1024;

    private static final long AUTH_PAUSE_MILLIS = 100;
    private static final long LINGER_MILLIS = 1000;

    private enum State {
        /** The next request may be taken. */
        READY,
        /** A request waits in the engine. */
        BLOCKED,
        /** An answer is being written off the event loop. */
        STREAMING,
        /** Nothing is read or answered any more. */
        CLOSING
    }

    private final DflockdService service;
    private final DflockdDecoder decoder;
    private final EffectQueue effects = new EffectQueue();
    private ChannelHandlerContext ctx;
    private Session session;
    private State state = State.READY;
    private boolean authenticated;
    private boolean inputEnded;

    /** All answers are written, and only the end of input is waited for. */
    private boolean lingering;

    /** Complete requests may be left in the input, to be taken in a later turn. */
    private boolean backlog;

    private @Nullable ByteBuf input;

    /** How much of the input is counted as kept. */
    private int keptBytes;

    private DflockdOutput output;

    /** What is left of this turn. */
    private int turn;

    /** Of a connection that has listened to anything. */
    private @Nullable Listening listening;

    /** Number of the last request submitted. */
    private long request;

    /** The last request submitted, while it is not answered. */
    private Command.@Nullable Keyed pending;

    private boolean cancelling;

    /** The last request whose answer has been handed to the socket. */
    private long lastAnswered;

    /** When the line that is being read began. */
    private long lineSinceNanos;

    private long linesSeen;
    private @Nullable Future<?> readTimer;

    /** Guarded by {@link #effects}. */
    private boolean wakeScheduled;

    @SuppressWarnings("NullAway.Init") // ctx, output and session are there from channelActive on
    public DflockdHandler(DflockdService service) {
        this.service = service;
        this.decoder = new DflockdDecoder(service.namespace);
        this.authenticated = service.secret == null;
    }

    // ---- life

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        output =
                new DflockdOutput(
                        context, service.writeTimeoutNanos, () -> guarded(this::writeTimeout));
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        session = service.driver.open(this);
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .addKeyValue("remote", ctx.channel().remoteAddress())
                .log("connected");
        lineSinceNanos = System.nanoTime();
        armReadTimer(service.readTimeoutNanos);
        if (service.isDraining()) {
            finish();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end();
        output.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            boolean noTls = cause.getCause() instanceof NotSslRecordException;
            LOG.atDebug()
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .addKeyValue("error", noTls ? "no TLS" : cause) // its text has client bytes
                    .log("connection failed");
            abort();
        } else {
            fail(cause);
        }
    }

    /** Ends the session and everything that belongs to this connection, once. */
    private void end() {
        if (readTimer != null) {
            readTimer.cancel(false);
            readTimer = null;
        }
        if (session != null) {
            session.close(lastAnswered);
            pending = null;
        }
        if (listening != null) {
            listening.close();
            listening = null;
        }
        state = State.CLOSING;
        if (input != null) {
            input.release();
            input = null;
        }
        service.keep(-keptBytes);
        keptBytes = 0;
        output.discard();
    }

    /** Closes without another word. */
    private void abort() {
        end();
        ctx.close();
    }

    /**
     * Closes after what has been answered is written. Input that is still on its way is thrown away
     * first: closing a socket with unread input would destroy the last answer.
     */
    private void finish() {
        if (listening != null) {
            listening.unsubscribe(); // what came before is written, and nothing comes after
        }
        writePushes();
        flush();
        end();
        // An empty message ends when all before it are written.
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> linger());
        setReading(true);
    }

    /** Everything is written: waits a little for the peer to close. */
    private void linger() {
        lingering = true;
        if (inputEnded) {
            ctx.close();
        } else {
            shutDownOutput();
            ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void shutDownOutput() {
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        if (tls != null) {
            tls.closeOutbound();
        } else if (ctx.channel() instanceof DuplexChannel channel) {
            channel.shutdownOutput();
        }
    }

    // ---- input

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (state == State.CLOSING) {
            bytes.release();
            return;
        }
        input =
                input == null
                        ? bytes
                        : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), input, bytes);
        switch (state) {
            case READY -> {
                if (!backlog) {
                    takeRequests();
                }
            }
            case BLOCKED -> {
                if (isTooMuchBehind(input)) {
                    finish();
                } else {
                    keepRest();
                }
            }
            case STREAMING, CLOSING -> {}
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        flush();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent
                || event instanceof SslCloseCompletionEvent) {
            endOfInput();
        } else if (event == ConnectionEvent.DRAIN) {
            drain();
        }
        context.fireUserEventTriggered(event);
    }

    private void endOfInput() {
        inputEnded = true;
        switch (state) {
            case CLOSING -> {
                if (lingering) {
                    ctx.close();
                }
            }
            case BLOCKED -> finish(); // it does not wait any more, but has answers to come
            case STREAMING -> {}
            case READY -> {
                if (!backlog) {
                    endOfRequests();
                }
            }
        }
    }

    /** No further request will come. */
    private void endOfRequests() {
        if (authenticated || !decoder.isInsideRequest()) {
            finish();
        } else {
            failAuthentication(NO_SECRET);
        }
    }

    /** Takes requests out of the input as long as each is answered at once, up to a bound. */
    private void takeRequests() {
        backlog = false;
        turn = COST_PER_TURN;
        while (state == State.READY && input != null) {
            if (turn <= 0 || !ctx.channel().isWritable()) {
                backlog = true;
                break;
            }
            DflockdInput next = decoder.decode(input);
            if (next == null) {
                break;
            }
            turn--;
            take(next);
            if (output.gathered() >= BATCH_BYTES) {
                flush(); // so that the channel can say when it is enough
            }
        }
        afterTurn();
    }

    private void afterTurn() {
        if (state == State.CLOSING) {
            return;
        }
        if (!keepRest()) {
            return;
        }
        if (state == State.BLOCKED && inputEnded) {
            finish(); // gone before it began to wait
            return;
        }
        if (state == State.READY && !backlog) {
            long lines = decoder.linesRead();
            if (lines != linesSeen) {
                linesSeen = lines;
                lineSinceNanos = System.nanoTime();
            }
            if (inputEnded) {
                endOfRequests();
                return;
            }
            if (service.isDraining() && !session.isHolding()) {
                finish();
                return;
            }
        }
        if (state == State.BLOCKED && input != null && isTooMuchBehind(input)) {
            finish();
            return;
        }
        if (backlog) {
            flush();
            if (ctx.channel().isWritable()) {
                yieldTurn();
            } // else channelWritabilityChanged goes on
        }
        setReading(!backlog && state != State.STREAMING);
    }

    /**
     * Keeps what is left of the input in a buffer of its own size: a few bytes must not hold on to
     * a large receive buffer. False if all connections together keep too much, and this one had to
     * go.
     */
    private boolean keepRest() {
        int rest = input == null ? 0 : input.readableBytes();
        if (input != null && rest == 0) {
            input.release();
            input = null;
        } else if (input != null && input.capacity() > 2 * rest + SPARE_BYTES) {
            ByteBuf copy = ctx.alloc().directBuffer(rest).writeBytes(input);
            input.release();
            input = copy;
        }
        boolean kept = service.keep(rest - keptBytes);
        keptBytes = rest;
        if (!kept) {
            LOG.atWarn().addKeyValue("conn", session.id()).log("too much input kept in all");
            abort();
        }
        return kept;
    }

    private boolean isTooMuchBehind(ByteBuf waiting) {
        if (waiting.readableBytes() <= MOST_BEHIND_BLOCKED) {
            return false;
        }
        LOG.atDebug().addKeyValue("conn", session.id()).log("too much input behind a wait");
        return true;
    }

    /** Goes on after the sockets had theirs: a plain task would come before all of them. */
    private void yieldTurn() {
        ctx.executor().schedule(() -> guarded(this::resume), 0, TimeUnit.NANOSECONDS);
    }

    /** Runs a task of this connection; one that fails must not leave it half alive. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable cause) {
        LOG.atError().setCause(cause).log("connection failed");
        abort();
    }

    private void resume() {
        writePushes();
        if (state == State.READY && backlog && ctx.channel().isWritable()) {
            takeRequests();
        }
        flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            ctx.executor().execute(() -> guarded(this::resume));
        }
        context.fireChannelWritabilityChanged();
    }

    private void setReading(boolean reading) {
        if (ctx.channel().config().isAutoRead() != reading) {
            ctx.channel().config().setAutoRead(reading);
        }
    }

    // ---- requests

    private void take(DflockdInput next) {
        switch (next) {
            case DflockdInput.LooksLikeHttp() -> {
                LOG.atDebug().addKeyValue("conn", session.id()).log("HTTP on a lock port");
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
                .addKeyValue("conn", session.id())
                .addKeyValue("remote", ctx.channel().remoteAddress())
                .log("authentication failed");
        DflockdEncoder.errorAuth(output());
        flush();
        end();
        setReading(true);
        ctx.executor().schedule(this::linger, AUTH_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void serve(DflockdRequest what) {
        switch (what) {
            case DflockdRequest.Acquire(var kind, var key, var limit, var wait, var lease) -> {
                if (mayCreate()) {
                    submit(
                            new Command.Acquire(
                                    session.id(),
                                    ++request,
                                    kind,
                                    key,
                                    limit,
                                    wait,
                                    lease(lease),
                                    service.driver.salt()));
                }
            }
            case DflockdRequest.Enqueue(var kind, var key, var limit, var lease) -> {
                if (mayCreate()) {
                    submit(
                            new Command.Enqueue(
                                    session.id(),
                                    ++request,
                                    kind,
                                    key,
                                    limit,
                                    lease(lease),
                                    service.driver.salt()));
                }
            }
            case DflockdRequest.Await(var kind, var key, var wait) -> {
                if (mayCreate()) {
                    submit(new Command.Await(session.id(), ++request, kind, key, wait));
                }
            }
            case DflockdRequest.Release(var kind, var key, var token) ->
                    submit(new Command.Release(session.id(), ++request, kind, key, token));
            case DflockdRequest.Renew(var kind, var key, var token, var lease) ->
                    submit(
                            new Command.Renew(
                                    session.id(), ++request, kind, key, token, lease(lease)));
            case DflockdRequest.Data(var key, var operation) -> {
                if (!operation.mayCreate() || mayCreate()) {
                    submit(new Command.Data(session.id(), ++request, key, operation));
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
            case DflockdRequest.Stats() -> streamStats();
            case DflockdRequest.Auth(byte[] ignored) -> DflockdEncoder.error(output());
            case DflockdRequest.Malformed() -> DflockdEncoder.error(output());
        }
    }

    private long lease(long requested) {
        return requested == DflockdRequest.DEFAULT_LEASE ? service.defaultLeaseNanos : requested;
    }

    /** Whether a request that makes something is served; while draining it is not. */
    private boolean mayCreate() {
        if (!service.isDraining()) {
            return true;
        }
        DflockdEncoder.errorDraining(output());
        finish();
        return false;
    }

    private void submit(Command.Keyed command) {
        pending = command;
        state = State.BLOCKED;
        session.submit(command);
        takeEffects();
    }

    private void streamStats() {
        state = State.STREAMING;
        flush();
        Thread.startVirtualThread(new StatsStream(ctx, service, this::writePiece));
    }

    private void writeItems(List<ByteString> items) {
        if (items.size() > RangeStream.LONG) {
            streamItems(items);
            return;
        }
        turn -= items.size();
        DflockdEncoder.beginItems(output());
        for (int i = 0; i < items.size(); i++) {
            DflockdEncoder.item(items.get(i), i == 0, output());
        }
        DflockdEncoder.endItems(output());
    }

    private void streamItems(List<ByteString> items) {
        if (service.ranges.take(RangeStream.bytes(items))) {
            state = State.STREAMING;
            flush();
            Thread.startVirtualThread(
                    new RangeStream(ctx, items, this::writePiece, service.ranges));
        } else {
            DflockdEncoder.error(output());
        }
    }

    private void writePiece(ByteBuf piece, boolean last, ChannelPromise promise) {
        if (state != State.STREAMING) {
            piece.release();
            promise.tryFailure(new IOException("closed"));
            return;
        }
        output.write(piece, promise);
        if (last) {
            state = State.READY;
            lineSinceNanos = System.nanoTime();
            guarded(
                    () -> {
                        writePushes();
                        takeRequests();
                        flush();
                    });
        }
    }

    // ---- signals

    private void listen(Key pattern, ByteString group) {
        if (listening == null) {
            listening = new Listening(ctx, service, output, this);
        }
        switch (listening.listen(pattern, group)) {
            case LISTENING -> DflockdEncoder.ok(output());
            case INVALID_PATTERN, NO_ROOM, CLOSED -> DflockdEncoder.error(output());
        }
    }

    private void signal(Key channel, ByteString payload) {
        Recipients recipients = service.hub.choose(channel);
        List<Listener> receivers = recipients.listeners();
        turn -= recipients.looks() / LOOKS_PER_COST;
        if (!receivers.isEmpty()) {
            PushLine line =
                    new PushLine(
                            ctx.alloc(), channel, payload, receivers.size(), service.pushBudget);
            receivers.forEach(receiver -> receiver.deliver(line));
            turn -= receivers.size() + line.length() / SIGNAL_BYTES_PER_COST;
        }
        DflockdEncoder.number(receivers.size(), output());
    }

    /** Lines are pushed between answers, never inside one. */
    @Override
    public PushQueue.Readiness readiness() {
        if (state == State.STREAMING) {
            return PushQueue.Readiness.BUSY;
        }
        return ctx.channel().isWritable()
                ? PushQueue.Readiness.READY
                : PushQueue.Readiness.SOCKET_FULL;
    }

    @Override
    public void push() {
        guarded(this::writePushes);
    }

    private void writePushes() {
        if (listening != null && state != State.CLOSING) {
            listening.writePushes();
        }
    }

    @Override
    public void cutOff() {
        guarded(this::endSlowListener);
    }

    private void endSlowListener() {
        if (state != State.CLOSING) {
            LOG.atWarn()
                    .addKeyValue("conn", session.id())
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .log("slow listener cut off");
            abort();
        }
    }

    // ---- effects

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public void wake() {
        synchronized (effects) {
            if (wakeScheduled) {
                return;
            }
            wakeScheduled = true;
        }
        try {
            ctx.executor().execute(this);
        } catch (RejectedExecutionException e) {
            LOG.debug("woken after the end"); // the event loop is gone, and the connection with it
        }
    }

    @Override
    public void run() {
        synchronized (effects) {
            wakeScheduled = false;
        }
        guarded(this::goOn);
    }

    private void goOn() {
        if (state != State.BLOCKED) {
            return;
        }
        takeEffects();
        if (state == State.READY) {
            lineSinceNanos = System.nanoTime();
            takeRequests();
        }
        flush();
    }

    private void takeEffects() {
        for (Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
            Command.Keyed asked = pending;
            boolean revoked = cancelling && effect instanceof Effect.Granted;
            if (asked != null && effect.request() == asked.request() && !revoked) {
                pending = null;
                cancelling = false;
                state = State.READY;
                answer(asked, effect);
            }
        }
    }

    private void answer(Command.Keyed asked, Effect effect) {
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
            case Effect.Refused refused -> DflockdEncoder.refused(refused.reason(), output());
        }
    }

    // ---- draining

    private void drain() {
        if (session == null) {
            return; // not active yet: channelActive will see it
        }
        if (state == State.BLOCKED && pending instanceof Command.Locking blocked) {
            cancelling = true;
            session.submit(
                    new Command.Cancel(
                            session.id(), blocked.request(), blocked.kind(), blocked.key()));
            takeEffects();
            if (state == State.BLOCKED) {
                // Granted and ended again before the grant was answered: nothing left to cancel.
                pending = null;
                cancelling = false;
                state = State.READY;
                DflockdEncoder.error(output());
            }
        }
        if (state == State.READY && !backlog) {
            takeRequests();
        }
        flush();
    }

    // ---- output

    private ByteBuf output() {
        return output.buffer();
    }

    private void flush() {
        if (listening != null) {
            listening.flush();
        } else if (output.gathered() > 0) {
            flush(ctx.newPromise());
        }
    }

    @Override
    public void flush(ChannelPromise written) {
        lastAnswered = pending == null ? request : request - 1;
        output.flush(written);
    }

    private void writeTimeout() {
        LOG.atDebug().addKeyValue("conn", session.id()).log("write timeout");
        abort();
    }

    // ---- the read timer, which arms itself again for what is left

    private void armReadTimer(long nanos) {
        readTimer =
                ctx.executor()
                        .schedule(() -> guarded(this::checkRead), nanos, TimeUnit.NANOSECONDS);
    }

    private void checkRead() {
        if (state == State.CLOSING) {
            return;
        }
        if (state != State.READY || backlog) {
            armReadTimer(service.readTimeoutNanos); // no line is being read
            return;
        }
        long left = service.readTimeoutNanos - (System.nanoTime() - lineSinceNanos);
        if (left > 0) {
            armReadTimer(left);
        } else if (!authenticated) {
            failAuthentication(NO_SECRET);
        } else {
            LOG.atDebug().addKeyValue("conn", session.id()).log("read timeout");
            DflockdEncoder.error(output());
            finish();
        }
    }
}
