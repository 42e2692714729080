package io.holdfast.server.connection;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.server.connection.RequestSlot.Event;
import io.holdfast.server.connection.RequestSlot.State;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslCloseCompletionEvent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A connection of any line protocol: reads a request, has its {@link ProtocolHandler} serve it,
 * writes the response, then continues with the next. Confined to its event loop.
 *
 * @param <I> what the protocol decodes from the input
 */
public final class Connection<I> extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final LogThrottle BUDGET_EXCEEDED = new LogThrottle();
    private static final LogThrottle FAILURES = new LogThrottle();

    /** The work budget of one event loop iteration; most requests cost 1. */
    private static final int ITERATION_BUDGET = 512;

    /** Responses are collected up to this size before they are written. */
    private static final int BATCH_BYTES = 32 * 1024;

    private static final long LINGER_MILLIS = 1000;

    private final ConnectionService service;
    private final Function<Connection<I>, ProtocolHandler<I>> newHandler;
    private final RequestSlot<I> slot = new RequestSlot<>();
    private final InputBuffer input;
    private ChannelHandlerContext ctx;
    private LineOutput output;
    private Mailbox mailbox;
    private ReadTimer readTimer;

    /** Null before {@link #open}, like the two that follow. */
    private Session session;

    private ProtocolHandler<I> handler;
    private RequestDecoder<I> decoder;

    /** The mailbox, unless the session of the connection has another. */
    private EffectSource effects;

    /** Read on other threads too; null for the address of the client. */
    private volatile @Nullable Supplier<String> name;

    /** What is left of the work budget. */
    private int iterationBudget;

    /** Number of the last request submitted. */
    private long request;

    /** The last request whose response has been handed to the socket. */
    private long lastResponded;

    /**
     * @param newHandler creates the first handler, when the session is open
     */
    @SuppressWarnings("NullAway.Init") // set by handlerAdded, before all other calls, and by open
    public Connection(
            ConnectionService service, Function<Connection<I>, ProtocolHandler<I>> newHandler) {
        this.service = service;
        this.newHandler = newHandler;
        this.input = new InputBuffer(service.inputBudget);
    }

    // ---- begin

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        output =
                new LineOutput(
                        context,
                        service.traffic,
                        service.traits.writeTimeoutNanos(),
                        () -> guarded(this::writeTimedOut));
        mailbox =
                new Mailbox(
                        context.executor(), () -> guarded(this::woken), () -> guarded(this::abort));
        effects = mailbox;
        readTimer =
                new ReadTimer(
                        context.executor(),
                        service.traits.readTimeoutNanos(),
                        () -> slot.is(State.READY),
                        () -> guarded(() -> handler.on(HandlerEvent.READ_TIMEOUT)));
        if (context.channel().isActive()) { // added after a handshake
            open();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (session == null) {
            open();
        }
    }

    private void open() {
        session =
                service.driver.open(
                        mailbox,
                        new ClientInfo(
                                service.traits.protocol(),
                                this::name,
                                service.traits.concurrentClients()));
        service.connections.incrementAndGet();
        service.traffic.connected();
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .addKeyValue("remote", ctx.channel().remoteAddress())
                .log("connected");
        use(newHandler.apply(this));
        awaitInput();
        if (service.isDraining()) {
            finish();
        }
    }

    // ---- input

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        service.traffic.receive(bytes.readableBytes());
        if (slot.isClosing()) {
            bytes.release();
            return;
        }
        input.add(bytes, ctx.alloc());
        switch (slot.state()) {
            case READY -> serveRequests();
            case BLOCKED, CANCELLING -> {
                if (input.isTooLong()) {
                    refusePipelined();
                } else {
                    boolean _ = keepRest();
                }
            }
            case SUBMITTED, DEFERRED -> {
                if (keepRest()) {
                    setReading(!input.isTooLong());
                }
            }
            case BACKLOG, STREAMING, CLOSING, LINGERING -> {}
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
        } else if (event == DrainEvent.DRAIN && session != null) { // else open() finishes
            drain();
        }
        context.fireUserEventTriggered(event);
    }

    private void endOfInput() {
        input.end();
        switch (slot.state()) {
            case READY -> handler.on(HandlerEvent.END_OF_INPUT);
            case BLOCKED, CANCELLING -> finish(); // it stops waiting; pending responses are written
            case LINGERING -> ctx.close();
            case BACKLOG, DEFERRED, SUBMITTED, STREAMING, CLOSING -> {}
        }
    }

    /** Serves requests from the input as long as each completes at once, up to the work budget. */
    private void serveRequests() {
        slot.move(Event.CONTINUE);
        iterationBudget = ITERATION_BUDGET;
        while (slot.is(State.READY) && (slot.hasDeferred() || input.bytes() != null)) {
            if (iterationBudget <= 0 || !ctx.channel().isWritable()) {
                slot.move(Event.PAUSE);
                break;
            }
            I next = nextInput();
            if (next == null) {
                break;
            }
            iterationBudget--;
            handler.serve(next);
            if (output.bufferedBytes() >= BATCH_BYTES) {
                flush(); // updates the writability of the channel
            }
        }
        afterRequests();
    }

    /** The deferred request, or the next in the input. */
    private @Nullable I nextInput() {
        I deferred = slot.takeDeferred();
        ByteBuf bytes = input.bytes();
        return deferred != null || bytes == null ? deferred : decoder.decode(bytes);
    }

    private void afterRequests() {
        if (slot.isClosing() || !keepRest()) {
            return;
        }
        if (slot.is(State.BLOCKED) && input.hasEnded()) {
            finish(); // the client closed before the wait began
            return;
        }
        if (slot.is(State.READY)) {
            awaitInput();
            if (input.hasEnded()) {
                handler.on(HandlerEvent.END_OF_INPUT);
            }
            if (slot.is(State.READY) && service.isDraining()) {
                handler.on(HandlerEvent.DRAINING);
            }
            if (slot.isClosing()) {
                return;
            }
        }
        if (slot.is(State.BLOCKED) && input.isTooLong()) {
            refusePipelined();
            return;
        }
        if (slot.is(State.BACKLOG)) {
            flush();
            if (ctx.channel().isWritable()) {
                yieldToSockets();
            } // else channelWritabilityChanged continues
        }
        setReading(
                switch (slot.state()) {
                    case BACKLOG, STREAMING -> false;
                    case SUBMITTED, DEFERRED -> !input.isTooLong();
                    default -> true;
                });
    }

    private void awaitInput() {
        readTimer.await(
                decoder.linesRead(),
                service.traits.limitsIdle() || input.bytes() != null || decoder.isInsideRequest());
    }

    /** Returns false, after closing this connection, if all connections together keep too much. */
    private boolean keepRest() {
        boolean withinLimit = input.keepRest(ctx.alloc());
        if (!withinLimit) {
            BUDGET_EXCEEDED
                    .next(LOG.atWarn())
                    .addKeyValue("conn", session.id())
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .log(
                            "connection closed: the memory limit for incomplete requests of all"
                                    + " clients is reached");
            abort();
        }
        return withinLimit;
    }

    private void refusePipelined() {
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .log("too much pipelined input behind a blocked request; closing");
        finish();
    }

    /**
     * Continues after the event loop has polled its sockets: a plain task would run before that.
     */
    private void yieldToSockets() {
        ctx.executor().schedule(() -> guarded(this::proceed), 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            ctx.executor().execute(() -> guarded(this::proceed));
        }
        context.fireChannelWritabilityChanged();
    }

    private void proceed() {
        handler.on(HandlerEvent.WRITABLE);
        if (slot.is(State.BACKLOG) && ctx.channel().isWritable()) {
            serveRequests();
        }
        flush();
    }

    private void setReading(boolean reading) {
        if (ctx.channel().config().isAutoRead() != reading) {
            ctx.channel().config().setAutoRead(reading);
        }
    }

    // ---- requests

    /** The number of the next request. */
    public long nextRequest() {
        return ++request;
    }

    /** Charges additional units to the work budget of this event loop iteration. */
    public void cost(int units) {
        iterationBudget -= units;
    }

    /** Submits a command; the handler gets its result. */
    public void submit(Command.Keyed command) {
        slot.submit(command); // before its effect can arrive
        if (session.submit(command)) {
            slot.move(Event.APPLY);
        }
        deliverEffects();
    }

    /**
     * Serves no further request before the result of this one, which is no command of the engine
     * and is about to be submitted.
     */
    public void await(long number, Consumer<Effect> receiver) {
        slot.submit(number, receiver);
    }

    /** Whether the result of such a request is awaited. */
    public boolean isAwaitingResult() {
        return slot.receiver() != null;
    }

    /** Serves a request again after the next wake-up; until then no other. */
    public void defer(I next) {
        slot.defer(next);
    }

    // ---- effects

    /** Handles the effects of the session, in order. */
    public void deliverEffects() {
        while (!slot.isClosing() && !slot.is(State.STREAMING)) { // not within a streamed response
            Effect effect = effects.poll();
            if (effect == null) {
                return;
            }
            mailbox.measureHandOff(effect, service);
            if (slot.isResult(effect)) {
                deliverResult(effect);
            } else {
                handler.effect(null, effect);
            }
        }
    }

    private void deliverResult(Effect result) {
        Command.Keyed command = slot.command();
        Consumer<Effect> receiver = slot.receiver();
        slot.move(Event.RESULT);
        if (receiver != null) {
            receiver.accept(result);
        } else {
            handler.effect(command, result);
        }
    }

    private void woken() {
        State before = slot.state();
        deliverEffects();
        mailbox.endWakeUp();
        Command.Keyed command = slot.command();
        if (slot.is(State.DEFERRED)) {
            slot.move(Event.RETRY);
        } else if (command != null && isUnapplied() && mailbox.takePending(command.request())) {
            applied(command);
        }
        if (slot.is(State.READY) && before != State.READY) {
            readTimer.restart();
            serveRequests();
        } else if (slot.is(State.READY) && (input.hasEnded() || service.isDraining())) {
            serveRequests(); // the handler may have postponed the end
        }
        flush();
    }

    private boolean isUnapplied() {
        return slot.is(State.SUBMITTED) || slot.is(State.CANCELLING);
    }

    /**
     * The submitted command, or the cancellation of the blocked one, was applied without result.
     */
    private void applied(Command.Keyed command) {
        if (slot.is(State.CANCELLING)) {
            respondCancelled(command);
            return;
        }
        slot.move(Event.APPLY);
        if (input.isTooLong()) {
            refusePipelined();
        } else if (input.hasEnded()) {
            finish();
        } else {
            setReading(true);
            if (service.isDraining()) {
                drain();
            }
        }
    }

    private void drain() {
        if (slot.is(State.BLOCKED) && slot.command() instanceof Command.Locking blocked) {
            slot.move(Event.CANCEL);
            boolean applied =
                    session.submit(
                            new Command.Cancel(
                                    session.id(),
                                    blocked.request(),
                                    blocked.kind(),
                                    blocked.key()));
            deliverEffects();
            if (applied && slot.is(State.CANCELLING)) {
                respondCancelled(blocked);
            }
        } // else the drain event is repeated, and the request may be applied by then
        if (slot.is(State.BACKLOG)) {
            handler.on(HandlerEvent.DRAINING);
        } else if (slot.is(State.READY)) {
            serveRequests();
        }
        flush();
    }

    /** Responds to a cancelled request that was granted and whose hold has already ended. */
    private void respondCancelled(Command.Keyed command) {
        slot.move(Event.RESULT);
        handler.effect(command, new Effect.Cancelled(command.session(), command.request()));
    }

    // ---- output

    /** The buffer for responses. */
    public ByteBuf out() {
        return output.buffer();
    }

    public LineOutput output() {
        return output;
    }

    /** Writes the collected output, if any. */
    public void flush() {
        if (output.bufferedBytes() > 0) {
            lastResponded = slot.isOccupied() ? request - 1 : request;
            output.flush();
        }
    }

    /** Writes a long response off the event loop; the next request is served when it is written. */
    public void stream(StreamedResponse response) {
        slot.move(Event.STREAM);
        flush();
        Thread.startVirtualThread(response);
    }

    /** Writes a chunk of a streamed response. */
    void write(ByteBuf chunk, boolean last, ChannelPromise written) {
        if (!isStreaming()) {
            chunk.release();
            written.tryFailure(new IOException("closed"));
            return;
        }
        output.write(chunk, written);
        if (last) {
            guarded(this::streamed);
        }
    }

    public boolean isStreaming() {
        return slot.is(State.STREAMING);
    }

    private void streamed() {
        slot.move(Event.END_STREAM);
        readTimer.restart();
        deliverEffects();
        handler.on(HandlerEvent.WRITABLE);
        if (slot.is(State.DEFERRED)) {
            slot.move(Event.RETRY);
        }
        if (slot.is(State.READY)) {
            serveRequests();
        } else {
            afterRequests();
        }
        flush();
    }

    private void writeTimedOut() {
        if (service.traits.limitsStreamsOnly() && !isStreaming()) {
            return;
        }
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .log("connection closed: output not read within the write timeout");
        abort();
    }

    // ---- end

    /** Closes at once, without writing pending responses. */
    public void abort() {
        end();
        ctx.close();
    }

    /** Closes because a web browser seems to be the client. */
    public void refuseHttp() {
        LOG.atDebug().addKeyValue("conn", session.id()).log("HTTP request on a lock port; closing");
        abort();
    }

    /**
     * Closes when pending responses are written. Input that still arrives is read and discarded
     * first: closing a socket with unread input would destroy the last response.
     */
    public void finish() {
        writeLast();
        // An empty write completes when all earlier writes have.
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> linger());
    }

    /** As {@link #finish}, but the client is to notice the end this much later. */
    public void finishAfter(long millis) {
        writeLast();
        ctx.executor().schedule(this::linger, millis, TimeUnit.MILLISECONDS);
    }

    /** As {@link #finish}, if no request is to be served and the session holds nothing. */
    public void finishUnlessHolding() {
        if (slot.is(State.READY) && !session.isHolding()) {
            finish();
        }
    }

    private void writeLast() {
        handler.on(HandlerEvent.FINISHING);
        flush();
        end();
        setReading(true);
    }

    /** Waits for the client to close, up to a limit, after everything is written. */
    private void linger() {
        slot.move(Event.LINGER);
        if (input.hasEnded()) {
            ctx.close();
        } else {
            OutputShutdown.shutdown(ctx);
            ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Ends the session and frees everything of this connection, once. */
    private void end() {
        boolean ends = session != null && !slot.isClosing();
        slot.move(Event.CLOSE);
        if (ends) {
            readTimer.stop();
            handler.closed(lastResponded, this::released);
        }
        input.release();
        output.discard();
    }

    private void released() {
        service.connections.decrementAndGet();
        service.traffic.disconnected();
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
                    .addKeyValue(
                            "error",
                            noTls ? "no TLS" : cause) // the cause's text has bytes of the client
                    .log("connection failed");
            abort();
        } else {
            fail(cause);
        }
    }

    /** Runs a task of this connection; closes the connection if the task fails. */
    public void guarded(Runnable task) {
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

    // ---- what handlers use

    public ChannelHandlerContext context() {
        return ctx;
    }

    public Session session() {
        return session;
    }

    /** Gets the effects of the session, and of others that a handler opens; can be woken. */
    public EffectMailbox mailbox() {
        return mailbox;
    }

    /** The next effect in the mailbox; null if there is none. On any thread once it is closed. */
    public @Nullable Effect pollEffect() {
        return mailbox.poll();
    }

    /** Whether all requests so far have been served, and the next one is awaited. */
    public boolean isReady() {
        return slot.is(State.READY);
    }

    public boolean isClosing() {
        return slot.isClosing();
    }

    /** The input that has not been decoded; null if there is none. */
    public @Nullable ByteBuf rest() {
        return input.bytes();
    }

    /** Replaces the handler; the next request is served by this one. */
    public void use(ProtocolHandler<I> next) {
        handler = next;
        decoder = next.decoder();
    }

    /**
     * Replaces the session, which has no holds or waiters and ends.
     *
     * @param source has the effects of the new session, and those in {@link #mailbox}
     */
    public void adopt(Session next, EffectSource source) {
        session.close(lastResponded);
        session = next;
        effects = source;
    }

    /** The name of this connection as other clients and operators see it. On any thread. */
    public String name() {
        Supplier<String> given = name;
        if (given != null) {
            return given.get();
        }
        return ctx.channel().remoteAddress() instanceof InetSocketAddress address
                ? AddressFormat.of(address)
                : "unknown";
    }

    public Connection<I> named(Supplier<String> given) {
        name = given;
        return this;
    }
}
