package io.holdfast.server.connection;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslCloseCompletionEvent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A connection of any line protocol: reads a request, submits it, writes its response, then
 * continues with the next. Confined to its event loop, except for the methods of {@link
 * EffectMailbox}.
 *
 * @param <I> what the protocol decodes from the input
 */
public abstract class LineConnection<I> extends ChannelInboundHandlerAdapter
        implements EffectMailbox, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LineConnection.class);
    private static final LogThrottle BUDGET_EXCEEDED = new LogThrottle();
    private static final LogThrottle FAILURES = new LogThrottle();

    /** The maximum input that a client may pipeline behind a blocked request. */
    private static final int MAX_BYTES_BEHIND_BLOCKED = 4096;

    /** The work budget of one event loop iteration; most requests cost 1. */
    private static final int ITERATION_BUDGET = 512;

    /**
     * Kept input is copied to a smaller buffer if its buffer is larger than twice its size plus
     * this.
     */
    private static final int SPARE_BYTES = 128;

    /** Responses are collected up to this size before they are written. */
    private static final int BATCH_BYTES = 32 * 1024;

    private static final long LINGER_MILLIS = 1000;
    private static final long NOT_WOKEN = Long.MIN_VALUE;

    /** What the connection is doing. */
    protected enum State {
        /** The next request can be served. */
        READY,
        /**
         * A command or proposal is in flight, or the next request must wait for those in flight.
         */
        SUBMITTED,
        /** The request waits in the engine. */
        BLOCKED,
        /** A response is being written off the event loop. */
        STREAMING,
        /** No further request is read, no further response is written. */
        CLOSING
    }

    private final ConnectionService service;
    private final EffectQueue effects = new EffectQueue();
    private ChannelHandlerContext ctx;
    private Session session;
    private State state = State.READY;
    private boolean inputEnded;

    /** All responses are written; waiting for the client to close. */
    private boolean lingering;

    /**
     * The input may contain complete requests, which are served in a later event loop iteration.
     */
    private boolean backlog;

    private @Nullable ByteBuf input;

    /** Bytes of the input that are counted in the input budget. */
    private int keptBytes;

    private LineOutput output;

    /** What is left of the work budget. */
    private int iterationBudget;

    /** Number of the last request submitted. */
    private long request;

    /** The last request submitted, until its response is written. */
    private Command.@Nullable Keyed pending;

    /** The pending request is being cancelled. */
    private boolean cancelling;

    /**
     * The last request if it is not a command of the engine and its result is outstanding; else 0.
     */
    private long awaitedRequest;

    /** A decoded request that must not be served yet. */
    private @Nullable I deferred;

    /** The last request whose response has been handed to the socket. */
    private long lastResponded;

    private boolean ended;

    /** Guarded by {@link #effects}. */
    private boolean wakeScheduled;

    /** When the wake-up was scheduled; guarded by {@link #effects}. */
    private long wakeNanos;

    /** When the current wake-up by another session was scheduled, or {@link #NOT_WOKEN}. */
    private long wokenNanos = NOT_WOKEN;

    @SuppressWarnings("NullAway.Init") // ctx, output and session are set by channelActive
    protected LineConnection(ConnectionService service) {
        this.service = service;
    }

    // ---- implemented by protocols

    /** Decodes the next request from the input; null if it is not complete. */
    protected abstract @Nullable I decode(ByteBuf bytes);

    /** Serves a decoded request. */
    protected abstract void handle(I next);

    /** Writes the response to a submitted command. */
    protected abstract void respond(Command.Keyed command, Effect effect);

    /** Writes the response to the request for which {@link #awaitResult} was called. */
    protected void respond(Effect effect) {}

    /** Writes the response to a blocked command that ends because the server shuts down. */
    protected abstract void respondDraining();

    /** Handles an effect that is not the result of the pending request. */
    protected void unsolicited(Effect effect) {}

    /** The next effect of the session; null if there is none. */
    protected @Nullable Effect nextEffect() {
        return effects.poll();
    }

    /** Whether a request must wait until commands in flight have been applied. */
    protected boolean mustWait(I next) {
        return false;
    }

    /** Whether everything submitted, apart from the pending request, has been applied. */
    protected boolean isQuiescent() {
        return true;
    }

    /** The server shuts down: waits other than the pending request are to be cancelled. */
    protected void draining() {}

    /**
     * Ends the session; overridden where a session can outlive its connection.
     *
     * @param lastResponded the last request whose response was handed to the socket
     * @param released called once everything that ends with the connection is released
     */
    protected void endSession(long lastResponded, Runnable released) {
        session.close(lastResponded, released);
    }

    /** Called before a complete request is served. */
    protected void beforeRequest() {}

    /** The name of this connection as other clients and operators see it. */
    protected String name() {
        return ctx.channel().remoteAddress() instanceof InetSocketAddress address
                ? AddressFormat.of(address)
                : "unknown";
    }

    /** Called when the session is open. */
    protected void opened() {}

    /** Called when all complete requests have been served and the next one is awaited. */
    protected void idle() {}

    /** Called when a request that took time has ended, before further requests are served. */
    protected void resumed() {}

    /** Called when the socket is writable again, or an event loop iteration begins. */
    protected void writable() {}

    /** Called when no further request will come; {@code rest} is incomplete input, or null. */
    protected void endOfRequests(@Nullable ByteBuf rest) {
        finish();
    }

    /** Called before the last responses are written. */
    protected void finishing() {}

    /** Called once before the session ends, while nothing of it is released yet. */
    protected void ending() {}

    /** Called once after the session has ended. */
    protected void ended() {}

    /** Called once when everything that the session held is released, on any thread. */
    protected void released() {}

    /** Called when a write has exceeded the write timeout. */
    protected void writeTimedOut() {
        LOG.atDebug().addKeyValue("conn", session.id()).log("write timeout");
        abort();
    }

    /** Whether a client can wait for several things at once on one connection. */
    protected boolean isConcurrent() {
        return false;
    }

    // ---- used by protocols

    protected final ChannelHandlerContext context() {
        return ctx;
    }

    protected final Session session() {
        return session;
    }

    protected final State state() {
        return state;
    }

    /** Replaces the session of the connection, which has no holds or waiters and ends. */
    protected final void adopt(Session other) {
        session.close(lastResponded);
        session = other;
    }

    /** Whether the decoder left an incomplete request in the input. */
    protected final boolean hasInput() {
        return input != null;
    }

    /** Whether the connection waits for a complete request. */
    protected final boolean isReading() {
        return state == State.READY && !backlog;
    }

    protected final LineOutput connectionOutput() {
        return output;
    }

    /** The buffer for responses. */
    protected final ByteBuf output() {
        return output.buffer();
    }

    /** Returns the number of the next command. */
    protected final long nextRequest() {
        return ++request;
    }

    /** Charges additional units to the work budget of this event loop iteration. */
    protected final void cost(int units) {
        iterationBudget -= units;
    }

    protected final void submit(Command.Keyed command) {
        pending = command;
        state = State.SUBMITTED; // before its effect can arrive
        if (session.submit(command)) {
            state = State.BLOCKED;
        }
        deliverEffects();
    }

    /** Serves a request when everything submitted has been applied. */
    protected final void defer(I next) {
        deferred = next;
        state = State.SUBMITTED;
    }

    /**
     * Serves no further request before an effect with this request number arrives. For requests in
     * flight that are not commands of the engine.
     */
    protected final void awaitResult(long number) {
        awaitedRequest = number;
        state = State.SUBMITTED;
    }

    protected final boolean isAwaitingResult() {
        return awaitedRequest != 0;
    }

    /** Writes a long response off the event loop; the next request is served when it is written. */
    protected final void stream(StreamedResponse response) {
        state = State.STREAMING;
        flush();
        Thread.startVirtualThread(response);
    }

    /** Writes a chunk of a streamed response. */
    protected final void writeChunk(ByteBuf chunk, boolean last, ChannelPromise promise) {
        if (state != State.STREAMING) {
            chunk.release();
            promise.tryFailure(new IOException("closed"));
            return;
        }
        output.write(chunk, promise);
        if (last) {
            state = awaitedRequest == 0 ? State.READY : State.SUBMITTED;
            guarded(
                    () -> {
                        resumed();
                        writable();
                        processRequests();
                        flush();
                    });
        }
    }

    // ---- lifecycle

    @Override
    public final void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        output =
                new LineOutput(
                        context,
                        service.traffic,
                        service.rules.writeTimeoutNanos(),
                        () -> guarded(this::writeTimedOut));
        if (context.channel().isActive()) { // added after a handshake
            open();
        }
    }

    @Override
    public final void channelActive(ChannelHandlerContext context) {
        if (session == null) {
            open();
        }
    }

    private void open() {
        session =
                service.driver.open(
                        this, new ClientInfo(service.rules.protocol(), this::name, isConcurrent()));
        service.connections.incrementAndGet();
        service.traffic.connected();
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .addKeyValue("remote", ctx.channel().remoteAddress())
                .log("connected");
        opened();
        if (service.isDraining()) {
            finish();
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        end();
        output.close();
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            boolean noTls = cause.getCause() instanceof NotSslRecordException;
            LOG.atDebug()
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .addKeyValue(
                            "error",
                            noTls ? "no TLS" : cause) // the cause's text has bytes of the client
                    .log("connection failed");
            abort();
        } else {
            fail(cause);
        }
    }

    /** Ends the session and frees everything of this connection, once. */
    protected final void end() {
        state = State.CLOSING;
        if (session != null && !ended) {
            ended = true;
            ending();
            endSession(lastResponded, this::sessionReleased);
            pending = null;
            awaitedRequest = 0;
            deferred = null;
            ended();
        }
        if (input != null) {
            input.release();
            input = null;
        }
        service.inputBudget.reserve(-keptBytes);
        keptBytes = 0;
        output.discard();
    }

    @Override
    public boolean kick() {
        ctx.executor().execute(() -> guarded(this::abort));
        return true;
    }

    private void sessionReleased() {
        released();
        service.connections.decrementAndGet();
        service.traffic.disconnected();
    }

    /** Closes at once, without writing pending responses. */
    protected final void abort() {
        end();
        ctx.close();
    }

    /**
     * Closes when pending responses are written. Input that still arrives is read and discarded
     * first: closing a socket with unread input would destroy the last response.
     */
    protected final void finish() {
        finishing();
        flush();
        end();
        // An empty write completes when all earlier writes have.
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> linger());
        setReading(true);
    }

    /** Waits for the client to close, up to a limit, after everything is written. */
    protected final void linger() {
        lingering = true;
        if (inputEnded) {
            ctx.close();
        } else {
            OutputShutdown.shutdown(ctx);
            ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Runs a task of this connection; closes the connection if the task fails. */
    protected final void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable cause) {
        FAILURES.next(LOG.atError()).setCause(cause).log("connection failed");
        abort();
    }

    // ---- input

    @Override
    public final void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        service.traffic.receive(bytes.readableBytes());
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
                    processRequests();
                }
            }
            case BLOCKED -> {
                if (isTooMuchPipelined(input)) {
                    finish();
                } else {
                    keepRest();
                }
            }
            case SUBMITTED -> {
                if (keepRest()) {
                    setReading(keptBytes <= MAX_BYTES_BEHIND_BLOCKED);
                }
            }
            case STREAMING, CLOSING -> {}
        }
    }

    @Override
    public final void channelReadComplete(ChannelHandlerContext context) {
        flush();
    }

    @Override
    public final void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent
                || event instanceof SslCloseCompletionEvent) {
            endOfInput();
        } else if (event == PipelineEvent.DRAIN) {
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
            case BLOCKED -> finish(); // it stops waiting, but pending responses are written
            case SUBMITTED, STREAMING -> {}
            case READY -> {
                if (!backlog && isQuiescent()) {
                    endOfRequests(input);
                }
            }
        }
    }

    /** Serves requests from the input as long as each completes at once, up to the work budget. */
    private void processRequests() {
        backlog = false;
        iterationBudget = ITERATION_BUDGET;
        while (state == State.READY && (deferred != null || input != null)) {
            if (iterationBudget <= 0 || !ctx.channel().isWritable()) {
                backlog = true;
                break;
            }
            I next = pollRequest(input);
            if (next == null) {
                break;
            }
            if (mustWait(next)) {
                defer(next);
                break;
            }
            iterationBudget--;
            beforeRequest();
            if (state != State.READY) {
                break; // beforeRequest closed the connection
            }
            handle(next);
            if (output.bufferedBytes() >= BATCH_BYTES) {
                flush(); // updates the writability of the channel
            }
        }
        afterRequests();
    }

    /** The next request to serve: the deferred one, or the next in the input. */
    private @Nullable I pollRequest(@Nullable ByteBuf bytes) {
        I next = deferred;
        if (next != null) {
            deferred = null;
            return next;
        }
        return bytes == null ? null : decode(bytes);
    }

    private void afterRequests() {
        if (state == State.CLOSING) {
            return;
        }
        if (!keepRest()) {
            return;
        }
        if (state == State.BLOCKED && inputEnded) {
            finish(); // the client closed before the wait began
            return;
        }
        if (state == State.READY && !backlog) {
            idle();
            if (inputEnded && isQuiescent()) {
                endOfRequests(input);
                return;
            }
            if (service.isDraining()) {
                draining(); // a request may arrive before the drain event: waits are answered first
                if (state == State.READY && isQuiescent() && !session.isHolding()) {
                    finish();
                    return;
                }
            }
        }
        if (state == State.BLOCKED && input != null && isTooMuchPipelined(input)) {
            finish();
            return;
        }
        if (backlog) {
            flush();
            if (ctx.channel().isWritable()) {
                yieldToSockets();
            } // else channelWritabilityChanged continues
        }
        boolean enough = state == State.SUBMITTED && keptBytes > MAX_BYTES_BEHIND_BLOCKED;
        setReading(!backlog && state != State.STREAMING && !enough);
    }

    /**
     * Keeps the rest of the input in a buffer of about its size: a few bytes must not keep a large
     * receive buffer. Returns false, after closing this connection, if all connections together
     * keep too much.
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
        boolean kept = service.inputBudget.reserve(rest - keptBytes);
        keptBytes = rest;
        if (!kept) {
            BUDGET_EXCEEDED
                    .next(LOG.atWarn())
                    .addKeyValue("conn", session.id())
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .log(
                            "connection closed: the memory limit for incomplete requests of all"
                                    + " clients is reached");
            abort();
        }
        return kept;
    }

    private boolean isTooMuchPipelined(ByteBuf waiting) {
        if (waiting.readableBytes() <= MAX_BYTES_BEHIND_BLOCKED) {
            return false;
        }
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .log("too much pipelined input behind a blocked request; closing");
        return true;
    }

    /**
     * Continues after the event loop has polled its sockets: a plain task would run before that.
     */
    private void yieldToSockets() {
        ctx.executor().schedule(() -> guarded(this::resume), 0, TimeUnit.NANOSECONDS);
    }

    private void resume() {
        writable();
        if (state == State.READY && backlog && ctx.channel().isWritable()) {
            processRequests();
        }
        flush();
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            ctx.executor().execute(() -> guarded(this::resume));
        }
        context.fireChannelWritabilityChanged();
    }

    protected final void setReading(boolean reading) {
        if (ctx.channel().config().isAutoRead() != reading) {
            ctx.channel().config().setAutoRead(reading);
        }
    }

    // ---- effects

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public final void onPending(long request) {
        effects.markPending(request);
    }

    @Override
    public final void wake() {
        synchronized (effects) {
            if (wakeScheduled) {
                return;
            }
            wakeScheduled = true;
            wakeNanos = System.nanoTime();
        }
        try {
            ctx.executor().execute(this);
        } catch (RejectedExecutionException e) {
            LOG.debug("woken after the event loop has ended"); // so has the connection
        }
    }

    @Override
    public final void run() {
        synchronized (effects) {
            wakeScheduled = false;
            wokenNanos = wakeNanos;
        }
        guarded(this::continueProcessing);
    }

    private void continueProcessing() {
        if (state == State.CLOSING || state == State.STREAMING) {
            wokenNanos = NOT_WOKEN;
            return;
        }
        boolean quiescent = isQuiescent();
        State before = state;
        deliverEffects();
        wokenNanos = NOT_WOKEN;
        if (state == State.SUBMITTED || cancelling) {
            onApplied();
        }
        if (state == State.READY && before != State.READY) {
            resumed();
            processRequests();
        } else if (state == State.READY && !quiescent && !backlog) {
            processRequests(); // the end of requests may have been postponed
        }
        flush();
    }

    /**
     * Continues when the request was applied without a result, or when a deferred one can be
     * served.
     */
    private void onApplied() {
        Command.Keyed command = pending;
        if (command == null) {
            if (awaitedRequest == 0 && (deferred == null || !mustWait(deferred))) {
                state = State.READY;
            }
        } else if (effects.takePending(command.request())) {
            if (cancelling) {
                respondCancelled();
            } else {
                state = State.BLOCKED;
                beginWait();
            }
        }
    }

    /** The submitted request waits in the engine. */
    private void beginWait() {
        if (inputEnded || (input != null && isTooMuchPipelined(input))) {
            finish();
            return;
        }
        setReading(true);
        if (service.isDraining()) {
            drain();
        }
    }

    /** Responds to a cancelled request that was granted and whose hold has already ended. */
    private void respondCancelled() {
        pending = null;
        cancelling = false;
        state = State.READY;
        respondDraining();
    }

    /** Handles the effects of the session, in order. */
    protected final void deliverEffects() {
        while (state != State.CLOSING
                && state != State.STREAMING) { // not within a streamed response
            Effect effect = nextEffect();
            if (effect == null) {
                return;
            }
            if (wokenNanos != NOT_WOKEN && isGrant(effect)) {
                service.handedOff(System.nanoTime() - wokenNanos);
                wokenNanos = NOT_WOKEN;
            }
            Command.Keyed command = pending;
            boolean revoked = cancelling && effect instanceof Effect.Granted;
            if (command != null && effect.request() == command.request() && !revoked) {
                pending = null;
                cancelling = false;
                state = State.READY;
                respond(command, effect);
            } else if (awaitedRequest != 0 && effect.request() == awaitedRequest) {
                awaitedRequest = 0;
                state = State.READY;
                respond(effect);
            } else {
                unsolicited(effect);
            }
        }
    }

    private static boolean isGrant(Effect effect) {
        return effect instanceof Effect.Granted || effect instanceof Effect.Offered;
    }

    // ---- draining

    private void drain() {
        if (session == null) {
            return; // not active yet: open() checks for draining
        }
        if (state == State.BLOCKED && !cancelling && pending instanceof Command.Locking blocked) {
            cancelling = true;
            boolean applied =
                    session.submit(
                            new Command.Cancel(
                                    session.id(),
                                    blocked.request(),
                                    blocked.kind(),
                                    blocked.key()));
            deliverEffects();
            if (applied && state == State.BLOCKED) {
                respondCancelled();
            }
        } // else the drain event is repeated, and the request may be applied by then
        draining();
        if (state == State.READY && !backlog) {
            processRequests();
        }
        flush();
    }

    // ---- output

    /** Writes the collected output, if any. */
    protected void flush() {
        if (output.bufferedBytes() > 0) {
            flush(ctx.newPromise());
        }
    }

    /** Writes the collected output, which must not be empty. */
    public final void flush(ChannelPromise written) {
        lastResponded = pending == null && awaitedRequest == 0 ? request : request - 1;
        output.flush(written);
    }
}
