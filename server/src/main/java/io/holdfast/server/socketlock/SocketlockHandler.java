package io.holdfast.server.socketlock;

import io.holdfast.driver.LogThrottle;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.socketlock.ClientIdSource;
import io.holdfast.protocol.socketlock.SocketlockDecoder;
import io.holdfast.protocol.socketlock.SocketlockDecoderResult;
import io.holdfast.protocol.socketlock.SocketlockEncoder;
import io.holdfast.protocol.socketlock.SocketlockFailure;
import io.holdfast.protocol.socketlock.SocketlockRequest;
import io.holdfast.protocol.socketlock.SocketlockSyntax;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.HandlerEvent;
import io.holdfast.server.connection.ProtocolHandler;
import io.holdfast.socketlock.internal.primary.HoldRecord;
import io.holdfast.socketlock.internal.primary.ProcessIdentity;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A connection of the socketlock protocol. Its requests are identified by the client's lock ids
 * here, and in the engine by the number of the command that created them.
 */
public final class SocketlockHandler implements ProtocolHandler<SocketlockDecoderResult> {
    private static final Logger LOG = LoggerFactory.getLogger(SocketlockHandler.class);
    private static final LogThrottle DISCONNECTS = new LogThrottle();

    /**
     * Maximum number of locks that one connection holds, waits for, or was not notified of the end
     * of.
     */
    static final int MAX_LOCKS = 1024;

    /** Maximum total length of their ids. */
    static final int MAX_LOCK_BYTES = 1024 * 1024;

    /** Estimated memory of a lock id, in addition to its bytes. */
    private static final int LOCK_BYTES = 256;

    /** Bytes of unsolicited lines that a client may leave unread before it is disconnected. */
    private static final int MAX_UNREAD_BYTES = 1 << 20;

    /**
     * A request for a lock. Unlike the engine, the connection also keeps one that has ended until
     * the client is notified.
     */
    private static final class Request {
        final long number;
        final ByteString lock;
        final ReadWriteMode mode;
        final long seconds;
        final int bytes;
        boolean held;
        @Nullable HoldRecord holdRecord;

        Request(
                long number,
                ByteString lock,
                ReadWriteMode readWriteMode,
                long seconds,
                int bytes) {
            this.number = number;
            this.lock = lock;
            this.mode = readWriteMode;
            this.seconds = seconds;
            this.bytes = bytes;
        }
    }

    private final Connection<SocketlockDecoderResult> connection;
    private final SocketlockService service;
    private final SocketlockDecoder decoder = new SocketlockDecoder();

    /** Total length of the lock ids. */
    private int lockBytes;

    private final Map<ByteString, Request> byLock = new HashMap<>();
    private final Map<Long, Request> byNumber = new HashMap<>();

    /** Null before the greeting. */
    private @Nullable ByteString client;

    private ClientIdSource clientIdSource = ClientIdSource.SERVER;

    /** The process that the client declared; null if it declared none. */
    private @Nullable ProcessIdentity declaredProcess;

    private @Nullable ProcessIdentity systemProcess;

    /** The request of the command in flight. */
    private SocketlockRequest serving = new SocketlockRequest.Ignored();

    private SocketlockHandler(
            Connection<SocketlockDecoderResult> connection, SocketlockService service) {
        this.connection = connection;
        this.service = service;
    }

    /** A new connection, to be added to a pipeline. */
    public static Connection<SocketlockDecoderResult> connection(SocketlockService service) {
        return new Connection<SocketlockDecoderResult>(
                        service, opened -> new SocketlockHandler(opened, service))
                .named(() -> "socketlock");
    }

    // ---- lifecycle

    @Override
    public void on(HandlerEvent event) {
        switch (event) {
            case END_OF_INPUT -> connection.finish();
            case DRAINING -> connection.finishUnlessHolding();
            case WRITABLE, READ_TIMEOUT, FINISHING -> {} // there is no read timeout
        }
    }

    @Override
    public void closed(long lastResponded, Runnable released) {
        for (Request request : byLock.values()) {
            erase(request);
        }
        connection.session().close(lastResponded, released);
        for (Request request : byLock.values()) {
            service.reserveInput(-request.bytes);
        }
        byLock.clear();
        byNumber.clear();
        if (client != null) {
            service.reserveInput(-client.length());
            event("client_disconnected", client);
        }
    }

    // ---- requests

    @Override
    public RequestDecoder<SocketlockDecoderResult> decoder() {
        return decoder;
    }

    @Override
    public void serve(SocketlockDecoderResult next) {
        connection.deliverEffects(); // what precedes a request is written before its response
        if (connection.isClosing()) {
            return;
        }
        switch (next) {
            case SocketlockDecoderResult.TooLong() -> {
                LOG.atDebug()
                        .addKeyValue("conn", connection.session().id())
                        .log("connection closed: line too long");
                connection.abort();
            }
            case SocketlockDecoderResult.Line(var request) -> serve(request);
        }
    }

    private void serve(SocketlockRequest request) {
        switch (request) {
            case SocketlockRequest.Ignored() -> {}
            case SocketlockRequest.Hello() -> {
                ByteString id = client == null ? service.newClient() : client;
                if (client != null || introduce(id, ClientIdSource.SERVER)) {
                    greet(id, ClientIdSource.SERVER);
                }
            }
            case SocketlockRequest.FromClient fromClient -> {
                ByteString id = client;
                if (id != null && id.equals(fromClient.client())) {
                    serve(id, fromClient);
                } else if (id == null
                        && fromClient instanceof SocketlockRequest.Greeting
                        && introduce(fromClient.client(), ClientIdSource.CLIENT)) {
                    greet(fromClient.client(), ClientIdSource.CLIENT);
                }
            }
        }
    }

    /**
     * Stores the id of the client; false, after closing the connection, if the limit of kept input
     * is exceeded.
     */
    private boolean introduce(ByteString id, ClientIdSource source) {
        client = id;
        connection.named(() -> SocketlockLogLine.shown(id));
        clientIdSource = source;
        if (service.reserveInput(id.length())) {
            return true;
        }
        connection.abort();
        return false;
    }

    private void greet(ByteString id, ClientIdSource source) {
        SocketlockEncoder.connected(source, id, connection.out());
        event("hello", id);
        event("client_connected", id);
        event("connected", id);
    }

    private void serve(ByteString id, SocketlockRequest.FromClient request) {
        switch (request) {
            case SocketlockRequest.Greeting _ -> greet(id, clientIdSource);
            case SocketlockRequest.Ping _ -> {
                event("ping", id);
                SocketlockEncoder.pong(id, connection.out());
                event("pong", id);
            }
            case SocketlockRequest.Eol _ -> connection.finish();
            case SocketlockRequest.RequestLock requestLock -> requestLock(id, requestLock);
            case SocketlockRequest.Confirm(_, var lock) -> {
                Request known = findRequest(id, lock);
                if (known != null) {
                    serving = request;
                    connection.submit(
                            new Command.Confirm(
                                    connection.session().id(),
                                    connection.nextRequest(),
                                    service.key,
                                    known.number));
                }
            }
            case SocketlockRequest.Reject(_, var lock) -> {
                Request known = findRequest(id, lock);
                if (known != null) {
                    if (!known.held) {
                        erase(known);
                    }
                    serving = request;
                    connection.submit(
                            new Command.Decline(
                                    connection.session().id(),
                                    connection.nextRequest(),
                                    service.key,
                                    known.number));
                }
            }
            case SocketlockRequest.Release(_, var lock) -> {
                Request known = findRequest(id, lock);
                if (known != null) {
                    erase(known); // before another client can become the holder
                    serving = request;
                    connection.submit(
                            new Command.CancelOrRelease(
                                    connection.session().id(),
                                    connection.nextRequest(),
                                    service.key,
                                    known.number));
                }
            }
            case SocketlockRequest.Status(_, var lock) -> check(id, request, lock);
            case SocketlockRequest.Token(_, var lock) -> check(id, request, lock);
            case SocketlockRequest.Epoch _ ->
                    SocketlockEncoder.epoch(id, service.epoch(), connection.out());
            case SocketlockRequest.IdentifyProcess(_, var process) ->
                    declaredProcess =
                            ProcessIdentity.parse(
                                    new String(process.bytes(), StandardCharsets.ISO_8859_1));
            case SocketlockRequest.ReassertionsDone _ -> service.reassertionsDone(id, process());
            case SocketlockRequest.Reassert reassert -> reassert(id, reassert);
        }
    }

    /** The request with that lock id; if there is none, sends a failure and returns null. */
    private @Nullable Request findRequest(ByteString id, ByteString lock) {
        Request known = byLock.get(lock);
        if (known == null) {
            fail(id, SocketlockFailure.INVALID_LOCK, lock, null, SocketlockRequest.NO_SECONDS);
        }
        return known;
    }

    private void requestLock(ByteString id, SocketlockRequest.RequestLock requestLock) {
        switch (SocketlockSyntax.requestArguments(clientIdSource, requestLock)) {
            case SocketlockSyntax.RequestArguments.InvalidTtl() ->
                    fail(
                            id,
                            SocketlockFailure.INVALID_TTL,
                            null,
                            requestLock.mode(),
                            SocketlockRequest.NO_SECONDS);
            case SocketlockSyntax.RequestArguments.Lock(var lock, var seconds) -> {
                if (service.isTooLong(seconds)) {
                    fail(id, SocketlockFailure.TTL_TOO_LONG, lock, requestLock.mode(), seconds);
                } else if (lock != null && byLock.containsKey(lock)) {
                    fail(
                            id,
                            SocketlockFailure.INVALID_LOCK,
                            lock,
                            requestLock.mode(),
                            SocketlockRequest.NO_SECONDS);
                } else {
                    begin(id, requestLock, lock == null ? newLock() : lock, seconds);
                }
            }
        }
    }

    private ByteString newLock() {
        ByteString lock = service.newLock();
        while (byLock.containsKey(lock)) {
            lock = service.newLock();
        }
        return lock;
    }

    private void begin(
            ByteString id,
            SocketlockRequest.RequestLock requestLock,
            ByteString lock,
            long seconds) {
        long number = connection.nextRequest();
        if (register(id, number, lock, requestLock.mode(), seconds) == null) {
            fail(
                    id,
                    SocketlockFailure.TOO_MANY,
                    lock,
                    requestLock.mode(),
                    SocketlockRequest.NO_SECONDS);
            return;
        }
        connection.submit(
                new Command.RequestOffer(
                        connection.session().id(),
                        number,
                        service.key,
                        requestLock.mode(),
                        service.waitNanos,
                        service.confirmNanos,
                        SocketlockService.leaseNanos(seconds),
                        service.driver().salt()));
    }

    private void check(ByteString id, SocketlockRequest request, ByteString lock) {
        Request known = byLock.get(lock);
        if (known == null) {
            sendStatus(id, request, lock, false);
        } else {
            serving = request;
            connection.submit(
                    new Command.QueryStatus(
                            connection.session().id(),
                            connection.nextRequest(),
                            service.key,
                            known.number));
        }
    }

    /**
     * Restores a hold of the previous primary: only a recorded one, and only before the first
     * offer.
     */
    private void reassert(ByteString id, SocketlockRequest.Reassert reassert) {
        if (byLock.containsKey(reassert.lock())) {
            return;
        }
        HoldRecord holdRecord = service.inherit(reassert, process());
        if (holdRecord == null) {
            return;
        }
        long number = connection.nextRequest();
        Request request =
                register(id, number, reassert.lock(), reassert.mode(), reassert.seconds());
        if (request == null) {
            service.erase(holdRecord);
            service.inherited();
            return;
        }
        request.holdRecord = holdRecord;
        serving = reassert;
        connection.submit(
                new Command.Reassert(
                        connection.session().id(),
                        number,
                        service.key,
                        reassert.mode(),
                        SocketlockService.leaseNanos(reassert.seconds()),
                        service.driver().salt()));
    }

    // ---- the requests

    /** Stores a request; null if a limit is exceeded. */
    private @Nullable Request register(
            ByteString id,
            long number,
            ByteString lock,
            ReadWriteMode readWriteMode,
            long seconds) {
        int bytes = LOCK_BYTES + 2 * (lock.length() + id.length());
        if (byLock.size() >= MAX_LOCKS || lockBytes + lock.length() > MAX_LOCK_BYTES) {
            return null;
        }
        if (!service.reserveInput(bytes)) {
            service.reserveInput(-bytes);
            return null;
        }
        lockBytes += lock.length();
        Request request = new Request(number, lock, readWriteMode, seconds, bytes);
        byLock.put(lock, request);
        byNumber.put(number, request);
        return request;
    }

    private void forget(Request request) {
        erase(request);
        byLock.remove(request.lock);
        byNumber.remove(request.number);
        lockBytes -= request.lock.length();
        service.reserveInput(-request.bytes);
    }

    /** Erases the record of a hold, so that the next primary need not wait for it. */
    private void erase(Request request) {
        if (request.holdRecord != null) {
            service.erase(request.holdRecord);
            request.holdRecord = null;
        }
    }

    /**
     * Records a hold; false, after closing the connection, if it must not be sent to the client.
     */
    private boolean recordHold(ByteString id, Request request, long fence) {
        if (request.holdRecord == null) {
            request.holdRecord = service.record(request.mode, id, request.lock, process(), fence);
        }
        if (request.holdRecord == null) {
            connection.abort();
            return false;
        }
        return true;
    }

    /** The process of the client: the declared one, else that reported by the operating system. */
    private ProcessIdentity process() {
        if (declaredProcess != null && declaredProcess.isKnown()) {
            return declaredProcess;
        }
        if (systemProcess == null) {
            systemProcess = ClientProcess.of(connection.context().channel());
        }
        return systemProcess;
    }

    // ---- responses

    @Override
    public void effect(Command.@Nullable Keyed command, Effect effect) {
        if (command == null) {
            unsolicited(effect);
        } else {
            respond(command, effect);
        }
    }

    private void respond(Command.Keyed command, Effect effect) {
        ByteString id = client;
        if (id == null) {
            throw new IllegalStateException("a result before the greeting: " + effect);
        }
        switch (effect) {
            case Effect.Queued _ -> {
                Request request = byNumber.get(command.request());
                if (request != null) {
                    requested(id, request);
                }
            }
            case Effect.Refused refused -> {
                Request request = byNumber.get(command.request());
                if (request != null) {
                    forget(request);
                    if (command instanceof Command.RequestOffer) {
                        fail(
                                id,
                                refused.reason() == Refusal.UNAVAILABLE
                                        ? SocketlockFailure.UNAVAILABLE
                                        : SocketlockFailure.TOO_MANY,
                                request.lock,
                                request.mode,
                                SocketlockRequest.NO_SECONDS);
                    } else {
                        service.inherited();
                    }
                } else {
                    connection.abort(); // the state of its lock is unknown: closing releases it
                }
            }
            case Effect.StatusReport statusReport -> respondStatus(id, statusReport);
            default ->
                    throw new IllegalStateException(
                            "unexpected effect for a socketlock command: " + effect);
        }
    }

    private void requested(ByteString id, Request request) {
        if (service.verbose) {
            service.logEvent(
                    SocketlockLogLine.of("lock_requested", id)
                            .lock(request.lock)
                            .mode(request.mode)
                            .ttl(request.seconds));
        }
    }

    private void respondStatus(ByteString id, Effect.StatusReport statusReport) {
        switch (serving) {
            case SocketlockRequest.Confirm(_, var lock) -> {
                Request request = findRequest(id, lock); // an earlier effect may have removed it
                if (request != null && statusReport.status() == OfferRequestStatus.OFFERED) {
                    request.held = true;
                    if (recordHold(id, request, statusReport.fence())) {
                        event("lock_confirmed", id, request);
                    }
                }
            }
            case SocketlockRequest.Reject(_, var lock) -> {
                Request request = findRequest(id, lock);
                if (request != null) {
                    rejected(id, request, statusReport.status());
                }
            }
            case SocketlockRequest.Release(_, var lock) -> {
                Request request = findRequest(id, lock);
                if (request != null) {
                    forget(request);
                    if (statusReport.status() != OfferRequestStatus.GONE) {
                        event("lock_released", id, request);
                    }
                }
            }
            case SocketlockRequest.Status(_, var lock) -> {
                Request request = byLock.get(lock);
                if (request != null && statusReport.status() == OfferRequestStatus.GONE) {
                    forget(request); // it has ended, and this response reports it
                }
                sendStatus(id, serving, lock, statusReport.status() == OfferRequestStatus.HELD);
            }
            case SocketlockRequest.Token(_, var lock) -> {
                if (statusReport.status() == OfferRequestStatus.HELD) {
                    SocketlockEncoder.token(id, lock, statusReport.fence(), connection.out());
                } else {
                    sendStatus(id, serving, lock, false);
                }
            }
            case SocketlockRequest.Reassert reassert -> {
                Request request = byLock.get(reassert.lock());
                if (request != null) {
                    request.held = true;
                }
                service.inherited();
            }
            default -> throw new IllegalStateException("no pending request for " + serving);
        }
    }

    private void rejected(ByteString id, Request request, OfferRequestStatus offerRequestStatus) {
        if (service.verbose) {
            service.logEvent(
                    SocketlockLogLine.of("lock_rejected", id)
                            .lock(request.lock)
                            .mode(request.mode)
                            .reason(SocketlockFailure.REJECTED.text()));
        }
        switch (offerRequestStatus) {
            case QUEUED -> forget(request);
            case OFFERED -> {
                forget(request);
                fail(
                        id,
                        SocketlockFailure.REJECTED,
                        request.lock,
                        request.mode,
                        SocketlockRequest.NO_SECONDS);
            }
            case HELD, GONE -> {}
        }
    }

    private void sendStatus(
            ByteString id, SocketlockRequest request, ByteString lock, boolean held) {
        SocketlockEncoder.status(id, held, lock, connection.out());
        if (service.verbose && request instanceof SocketlockRequest.Status) {
            service.logEvent(
                    SocketlockLogLine.of(held ? "status_ok" : "status_timeout", id).lock(lock));
        }
    }

    private void fail(
            ByteString id,
            SocketlockFailure socketlockFailure,
            @Nullable ByteString lock,
            @Nullable ReadWriteMode readWriteMode,
            long seconds) {
        SocketlockEncoder.failed(id, socketlockFailure, connection.out());
        if (service.verbose) {
            service.logEvent(
                    SocketlockLogLine.of("request_failed", id)
                            .lock(lock)
                            .mode(readWriteMode)
                            .ttl(seconds)
                            .reason(socketlockFailure.text()));
        }
    }

    // ---- unsolicited effects

    private void unsolicited(Effect effect) {
        ByteString id = client;
        Request request = byNumber.get(effect.request());
        if (id == null || request == null) {
            return;
        }
        switch (effect) {
            case Effect.Offered offered -> offer(id, request, offered.fence());
            case Effect.TimedOut _ -> timedOut(id, request, SocketlockFailure.QUEUE_LIMIT);
            case Effect.OfferExpired _ -> timedOut(id, request, SocketlockFailure.CONFIRM_LIMIT);
            case Effect.Expired _, Effect.Revoked _ -> {
                erase(request); // the client learns of it when it queries the status
                event("lock_released", id, request);
            }
            case Effect.Granted _,
                    Effect.Queued _,
                    Effect.Released _,
                    Effect.Renewed _,
                    Effect.Cancelled _,
                    Effect.TryAcquired _,
                    Effect.Inspected _,
                    Effect.Orphaned _,
                    Effect.ForceReleased _,
                    Effect.StatusReport _,
                    Effect.Changed _,
                    Effect.Counted _,
                    Effect.Found _,
                    Effect.Absent _,
                    Effect.Items _,
                    Effect.Refused _ -> {} // results of commands
        }
        if (!connection.isClosing() && unread() > MAX_UNREAD_BYTES) {
            DISCONNECTS
                    .next(LOG.atWarn())
                    .addKeyValue("conn", connection.session().id())
                    .log("client disconnected: it did not read its responses");
            connection.abort();
        }
    }

    /** Collected bytes, and those in flight above the low water mark of the channel. */
    private long unread() {
        return connection.output().bufferedBytes()
                + connection.context().channel().bytesBeforeWritable();
    }

    /**
     * A Holdfast client, which declares its process, holds a lock once the server has reported that
     * its confirmation was in time; other clients as soon as they have confirmed, so their holds
     * must be recorded before the offer is sent.
     */
    private void offer(ByteString id, Request request, long fence) {
        if (!service.mayOffer()) {
            connection.abort();
            return;
        }
        if (declaredProcess != null || recordHold(id, request, fence)) {
            SocketlockEncoder.offer(id, request.mode, request.lock, connection.out());
            event("lock_offered", id, request);
        }
    }

    private void timedOut(ByteString id, Request request, SocketlockFailure socketlockFailure) {
        forget(request);
        fail(id, socketlockFailure, request.lock, request.mode, SocketlockRequest.NO_SECONDS);
    }

    // ---- events

    private void event(String type, ByteString id) {
        if (service.verbose) {
            service.logEvent(SocketlockLogLine.of(type, id));
        }
    }

    private void event(String type, ByteString id, Request request) {
        if (service.verbose) {
            service.logEvent(SocketlockLogLine.of(type, id).lock(request.lock).mode(request.mode));
        }
    }
}
