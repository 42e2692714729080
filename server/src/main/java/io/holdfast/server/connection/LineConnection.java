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
 * One connection of a line protocol, whichever it is: reads a request, submits it, writes its
 * answer, then looks at the next. Lives on its event loop; only the mailbox methods are called from
 * elsewhere.
 *
 * @param <I> what the protocol's decoder finds in the input
 */
public abstract class LineConnection<I> extends ChannelInboundHandlerAdapter
        implements EffectMailbox, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LineConnection.class);
    private static final LogThrottle TOO_MUCH_KEPT = new LogThrottle();
    private static final LogThrottle FAILURES = new LogThrottle();

    /** What a peer may send behind a blocked request. */
    private static final int MAX_BYTES_BEHIND_BLOCKED = 4096;

    /** What one turn may cost before other connections get theirs; most requests cost 1. */
    private static final int COST_PER_TURN = 512;

    /** Input is kept in a buffer that is larger than it by this at most, or as much again. */
    private static final int SPARE_BYTES = 128;

    /** Answers are gathered up to this before they are written. */
    private static final int BATCH_BYTES = 32 * 1024;

    private static final long LINGER_MILLIS = 1000;
    private static final long NOT_WOKEN = Long.MIN_VALUE;

    /** What the connection is doing. */
    protected enum State {
        /** The next request may be taken. */
        READY,
        /** A request is on its way to the engine, or one must not be served before others are. */
        SUBMITTED,
        /** A request waits in the engine. */
        BLOCKED,
        /** An answer is being written off the event loop. */
        STREAMING,
        /** Nothing is read or answered any more. */
        CLOSING
    }

    private final ConnectionService service;
    private final EffectQueue effects = new EffectQueue();
    private ChannelHandlerContext ctx;
    private Session session;
    private State state = State.READY;
    private boolean inputEnded;

    /** All answers are written, and only the end of input is waited for. */
    private boolean lingering;

    /** Complete requests may be left in the input, to be taken in a later turn. */
    private boolean backlog;

    private @Nullable ByteBuf input;

    /** How much of the input is counted as kept. */
    private int keptBytes;

    private LineOutput output;

    /** What is left of this turn. */
    private int turnBudget;

    /** Number of the last request submitted. */
    private long request;

    /** The last request submitted, while it is not answered. */
    private Command.@Nullable Keyed pending;

    /** The pending request is being cancelled. */
    private boolean cancelling;

    /** The last request, while its answer is awaited and it is no command; else 0. */
    private long awaitedRequest;

    /** What was decoded and must not be served yet. */
    private @Nullable I deferred;

    /** The last request whose answer has been handed to the socket. */
    private long lastAnswered;

    private boolean ended;

    /** Guarded by {@link #effects}. */
    private boolean wakeScheduled;

    /** When that was; guarded by {@link #effects}. */
    private long wakeNanos;

    /** When this turn was asked for by another session, if it was. */
    private long wokenNanos = NOT_WOKEN;

    @SuppressWarnings("NullAway.Init") // ctx, output and session are there from channelActive on
    protected LineConnection(ConnectionService service) {
        this.service = service;
    }

    // ---- what a protocol adds

    /** Takes the next request out of the input; null if it is not complete. */
    protected abstract @Nullable I decode(ByteBuf bytes);

    /** Serves what was decoded. */
    protected abstract void handle(I next);

    /** Writes the answer to a submitted command. */
    protected abstract void respond(Command.Keyed asked, Effect effect);

    /** Writes the answer to what {@link #awaitAnswer} was called for. */
    protected void respond(Effect effect) {}

    /** Writes the answer to a blocked command that ends because the server does. */
    protected abstract void respondDraining();

    /** Something happened to what an earlier command began; no command asks for it now. */
    protected void unsolicited(Effect effect) {}

    /** The next thing that happened to the session; null if nothing did. */
    protected @Nullable Effect nextEffect() {
        return effects.poll();
    }

    /** Whether a request must not be served yet, because of those that are on their way. */
    protected boolean mustWait(I next) {
        return false;
    }

    /** Whether all that was submitted has been applied, leaving aside the pending request. */
    protected boolean isQuiescent() {
        return true;
    }

    /** The server ends: waits that are not the pending request are to be given up. */
    protected void draining() {}

    /**
     * Ends the session, which belongs to this connection alone unless a protocol says otherwise.
     *
     * @param lastAnswered the last request whose answer was handed to the socket
     * @param released to be called once what ends with the connection is free
     */
    protected void endSession(long lastAnswered, Runnable released) {
        session.close(lastAnswered, released);
    }

    /** A request is complete and about to be served. */
    protected void beforeRequest() {}

    /** How others are told about this connection. */
    protected String name() {
        return ctx.channel().remoteAddress() instanceof InetSocketAddress address
                ? AddressFormat.of(address)
                : "unknown";
    }

    /** The session is open. */
    protected void opened() {}

    /** Everything that could be served has been; the next line is being waited for. */
    protected void idle() {}

    /** Something that took time has ended, and requests are looked at again. */
    protected void resumed() {}

    /** The socket takes bytes again, or a turn begins. */
    protected void writable() {}

    /** No further request will come; what is left of the input is there if it is not null. */
    protected void endOfRequests(@Nullable ByteBuf rest) {
        finish();
    }

    /** Answers are about to be written for the last time. */
    protected void finishing() {}

    /** The session is about to end: nothing it has is free yet; called once. */
    protected void ending() {}

    /** The session has ended; called once. */
    protected void ended() {}

    /** Everything the session held is free; called once, on any thread. */
    protected void released() {}

    /** A write has taken longer than the service allows. */
    protected void writeTimedOut() {
        LOG.atDebug().addKeyValue("conn", session.id()).log("write timeout");
        abort();
    }

    /** Whether a client does several things at once on one connection. */
    protected boolean isConcurrent() {
        return false;
    }

    // ---- what a protocol may use

    protected final ChannelHandlerContext context() {
        return ctx;
    }

    protected final Session session() {
        return session;
    }

    protected final State state() {
        return state;
    }

    /** Speaks for another session from now on. That of the connection, which has nothing, ends. */
    protected final void adopt(Session other) {
        session.close(lastAnswered);
        session = other;
    }

    /** Whether a part of a request has come that the decoder left in the input. */
    protected final boolean hasInput() {
        return input != null;
    }

    /** Whether the connection waits for a line to be complete. */
    protected final boolean isReading() {
        return state == State.READY && !backlog;
    }

    protected final LineOutput connectionOutput() {
        return output;
    }

    /** Where answers go. */
    protected final ByteBuf output() {
        return output.buffer();
    }

    /** The number for the next command. */
    protected final long nextRequest() {
        return ++request;
    }

    /** Says that serving a request cost more than one usually does. */
    protected final void cost(int units) {
        turnBudget -= units;
    }

    protected final void submit(Command.Keyed command) {
        pending = command;
        state = State.SUBMITTED; // before it can be answered
        if (session.submit(command)) {
            state = State.BLOCKED;
        }
        deliverEffects();
    }

    /** Serves a request once all that was submitted has been applied. */
    protected final void defer(I next) {
        deferred = next;
        state = State.SUBMITTED;
    }

    /**
     * Takes no further request before an effect answers this one, which is on its way to be decided
     * and no command of the engine.
     */
    protected final void awaitAnswer(long number) {
        awaitedRequest = number;
        state = State.SUBMITTED;
    }

    protected final boolean isAwaitingAnswer() {
        return awaitedRequest != 0;
    }

    /**
     * Writes a long answer off the event loop; the next request is looked at when it is written.
     */
    protected final void stream(StreamedResponse answer) {
        state = State.STREAMING;
        flush();
        Thread.startVirtualThread(answer);
    }

    /** Writes a piece of a streamed answer. */
    protected final void writePiece(ByteBuf piece, boolean last, ChannelPromise promise) {
        if (state != State.STREAMING) {
            piece.release();
            promise.tryFailure(new IOException("closed"));
            return;
        }
        output.write(piece, promise);
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

    // ---- life

    @Override
    public final void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        output =
                new LineOutput(
                        context,
                        service.traffic,
                        service.writeTimeoutNanos,
                        () -> guarded(this::writeTimedOut));
        if (context.channel().isActive()) { // added behind a handshake
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
                        this, new ClientInfo(service.protocol, this::name, isConcurrent()));
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
                    .addKeyValue("error", noTls ? "no TLS" : cause) // its text has client bytes
                    .log("connection failed");
            abort();
        } else {
            fail(cause);
        }
    }

    /** Ends the session and everything that belongs to this connection, once. */
    protected final void end() {
        state = State.CLOSING;
        if (session != null && !ended) {
            ended = true;
            ending();
            endSession(lastAnswered, this::sessionReleased);
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

    /** Closes without another word. */
    protected final void abort() {
        end();
        ctx.close();
    }

    /**
     * Closes after what has been answered is written. Input that is still on its way is thrown away
     * first: closing a socket with unread input would destroy the last answer.
     */
    protected final void finish() {
        finishing();
        flush();
        end();
        // An empty message ends when all before it are written.
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> linger());
        setReading(true);
    }

    /** Everything is written: waits a little for the peer to close. */
    protected final void linger() {
        lingering = true;
        if (inputEnded) {
            ctx.close();
        } else {
            OutputShutdown.shutdown(ctx);
            ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Runs a task of this connection; one that fails must not leave it half alive. */
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
                if (isTooMuchBehind(input)) {
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
            case BLOCKED -> finish(); // it does not wait any more, but has answers to come
            case SUBMITTED, STREAMING -> {}
            case READY -> {
                if (!backlog && isQuiescent()) {
                    endOfRequests(input);
                }
            }
        }
    }

    /** Takes requests out of the input as long as each is answered at once, up to a bound. */
    private void processRequests() {
        backlog = false;
        turnBudget = COST_PER_TURN;
        while (state == State.READY && (deferred != null || input != null)) {
            if (turnBudget <= 0 || !ctx.channel().isWritable()) {
                backlog = true;
                break;
            }
            I next = nextRequestIn(input);
            if (next == null) {
                break;
            }
            if (mustWait(next)) {
                defer(next);
                break;
            }
            turnBudget--;
            beforeRequest();
            if (state != State.READY) {
                break; // it had to go
            }
            handle(next);
            if (output.gathered() >= BATCH_BYTES) {
                flush(); // so that the channel can say when it is enough
            }
        }
        afterTurn();
    }

    /** What is next to be served. */
    private @Nullable I nextRequestIn(@Nullable ByteBuf bytes) {
        I next = deferred;
        if (next != null) {
            deferred = null;
            return next;
        }
        return bytes == null ? null : decode(bytes);
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
            idle();
            if (inputEnded && isQuiescent()) {
                endOfRequests(input);
                return;
            }
            if (service.isDraining()) {
                draining(); // a request may come before we are told: what waits is answered first
                if (state == State.READY && isQuiescent() && !session.isHolding()) {
                    finish();
                    return;
                }
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
        boolean enough = state == State.SUBMITTED && keptBytes > MAX_BYTES_BEHIND_BLOCKED;
        setReading(!backlog && state != State.STREAMING && !enough);
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
        boolean kept = service.inputBudget.reserve(rest - keptBytes);
        keptBytes = rest;
        if (!kept) {
            TOO_MUCH_KEPT
                    .next(LOG.atWarn())
                    .addKeyValue("conn", session.id())
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .log("connection closed: unfinished requests of all clients take too much");
            abort();
        }
        return kept;
    }

    private boolean isTooMuchBehind(ByteBuf waiting) {
        if (waiting.readableBytes() <= MAX_BYTES_BEHIND_BLOCKED) {
            return false;
        }
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .log("too much pipelined input behind a blocked request; closing");
        return true;
    }

    /** Goes on after the sockets had theirs: a plain task would come before all of them. */
    private void yieldTurn() {
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
            LOG.debug("woken after the end"); // the event loop is gone, and the connection with it
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
        boolean settled = isQuiescent();
        State before = state;
        deliverEffects();
        wokenNanos = NOT_WOKEN;
        if (state == State.SUBMITTED || cancelling) {
            takeApplied();
        }
        if (state == State.READY && before != State.READY) {
            resumed();
            processRequests();
        } else if (state == State.READY && !settled && !backlog) {
            processRequests(); // the end may have been put off
        }
        flush();
    }

    /** Goes on where something was applied that has no answer so far. */
    private void takeApplied() {
        Command.Keyed asked = pending;
        if (asked == null) {
            if (awaitedRequest == 0 && (deferred == null || !mustWait(deferred))) {
                state = State.READY;
            }
        } else if (effects.takePending(asked.request())) {
            if (cancelling) {
                answerCancelled();
            } else {
                state = State.BLOCKED;
                beginWait();
            }
        }
    }

    /** The request on its way turned out to wait. */
    private void beginWait() {
        if (inputEnded || (input != null && isTooMuchBehind(input))) {
            finish();
            return;
        }
        setReading(true);
        if (service.isDraining()) {
            drain();
        }
    }

    /** Granted and ended again before the grant was answered: nothing was left to cancel. */
    private void answerCancelled() {
        pending = null;
        cancelling = false;
        state = State.READY;
        respondDraining();
    }

    /** Tells what has happened, in the order in which it did. */
    protected final void deliverEffects() {
        while (state != State.CLOSING && state != State.STREAMING) { // not inside an answer
            Effect effect = nextEffect();
            if (effect == null) {
                return;
            }
            if (wokenNanos != NOT_WOKEN && isGrant(effect)) {
                service.handedOff(System.nanoTime() - wokenNanos);
                wokenNanos = NOT_WOKEN;
            }
            Command.Keyed asked = pending;
            boolean revoked = cancelling && effect instanceof Effect.Granted;
            if (asked != null && effect.request() == asked.request() && !revoked) {
                pending = null;
                cancelling = false;
                state = State.READY;
                respond(asked, effect);
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
            return; // not active yet: channelActive will see it
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
                answerCancelled();
            }
        } // else it is told again, and may have been applied by then
        draining();
        if (state == State.READY && !backlog) {
            processRequests();
        }
        flush();
    }

    // ---- output

    /** Writes what is gathered in the output. */
    protected void flush() {
        if (output.gathered() > 0) {
            flush(ctx.newPromise());
        }
    }

    /** Writes what is gathered in the output, which must not be empty. */
    public final void flush(ChannelPromise written) {
        lastAnswered = pending == null && awaitedRequest == 0 ? request : request - 1;
        output.flush(written);
    }
}
