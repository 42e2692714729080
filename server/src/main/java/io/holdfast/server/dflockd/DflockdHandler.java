package io.holdfast.server.dflockd;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.Secret;
import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.TrackedRequestView;
import io.holdfast.protocol.dflockd.DflockdDecoder;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.protocol.dflockd.DflockdInput;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.protocol.dflockd.TaggedEncoder;
import io.holdfast.server.connection.LineConnection;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A connection of the dflockd protocol. */
public final class DflockdHandler extends LineConnection<DflockdInput>
        implements PushWriter.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(DflockdHandler.class);
    private static final LogThrottle DISCONNECTS = new LogThrottle();
    private static final LogThrottle AUTH_FAILURES = new LogThrottle();
    private static final LogThrottle AUTH_REFUSALS = new LogThrottle();
    private static final byte[] NO_SECRET = {};

    /**
     * This number of bytes of a signal costs one unit of the work budget; each recipient costs one
     * too.
     */
    private static final int SIGNAL_BYTES_PER_COST = 128;

    /** Match steps of the signal hub that cost one unit of the work budget. */
    private static final int MATCH_STEPS_PER_COST = 16;

    /** Maximum number of requests in flight to the engine in tagged mode. */
    private static final int MAX_IN_FLIGHT = 256;

    private static final long AUTH_PAUSE_MILLIS = 100;

    /** Maximum number of entries in a response to {@code mine}. */
    private static final int MAX_TRACKED_REQUESTS = 500;

    /** Maximum number of holders in a response to {@code info}. */
    private static final int MAX_HOLDERS = 100;

    /** The delay of checking the secret after earlier failures from the same address. */
    private enum AuthDelay {
        NONE,
        RUNNING,
        OVER
    }

    private final DflockdService service;
    private final Namespace namespace;
    private final DflockdDecoder decoder;
    private boolean authenticated;
    private AuthDelay authDelay = AuthDelay.NONE;

    /**
     * Whether the plain session may have holds, waiters or subscriptions: then tagged mode is not
     * available.
     */
    private boolean sessionUsed;

    /** The session in tagged mode, else null. */
    private @Nullable TaggedSession tagged;

    /** The session that is being resumed, while commands of it are in flight. */
    private @Nullable TaggedSession resuming;

    /** The grace of the session that is being opened, until the session is open. */
    private @Nullable CompletableFuture<Long> grace;

    /**
     * The tag of a cancel request whose response follows when the cancelled request has ended; 0 if
     * none.
     */
    private long cancelling;

    /** In tagged mode, the tag of the next response. */
    private long tag;

    /** Null until the connection uses signals. */
    private @Nullable SignalClient signals;

    /** Null until the connection subscribes to signals. */
    private @Nullable PushWriter pushWriter;

    /** Start of the read timeout of the current line. */
    private long lineSinceNanos;

    private long linesSeen;
    private @Nullable Future<?> readTimer;

    public DflockdHandler(DflockdService service, Namespace namespace) {
        super(service);
        this.service = service;
        this.namespace = namespace;
        this.decoder = new DflockdDecoder(namespace);
        this.authenticated = service.secret() == null;
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
        if (pushWriter != null) {
            pushWriter.close();
            pushWriter = null;
        }
        if (signals != null) {
            signals.close();
        }
    }

    @Override
    protected void finishing() {
        if (signals != null) {
            signals.stopListening(); // signals received so far are written, later ones are not
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
        if (tagged != null) {
            deliverEffects();
        }
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
    protected void respondDraining() {
        DflockdEncoder.error(output());
    }

    // ---- requests

    @Override
    protected @Nullable DflockdInput decode(ByteBuf bytes) {
        return decoder.decode(bytes);
    }

    @Override
    protected void handle(DflockdInput next) {
        switch (next) {
            case DflockdInput.LooksLikeHttp() -> {
                LOG.atDebug()
                        .addKeyValue("conn", session().id())
                        .log("HTTP request on a lock port; closing");
                abort();
            }
            case DflockdInput.LineTooLong() -> {
                if (authenticated) {
                    tag = 0;
                    DflockdEncoder.error(responseBuffer());
                    finish();
                } else {
                    failAuthentication(NO_SECRET);
                }
            }
            case DflockdInput.Request(DflockdRequest.Hello hello) when authenticated ->
                    hello(hello, next);
            case DflockdInput.Request(var request) -> {
                if (authenticated) {
                    serve(request);
                } else {
                    authenticate(request, next);
                }
            }
            case DflockdInput.Tagged(var number, var request) -> {
                // Whether this cancel was deferred until the cancelled request has ended.
                boolean deferred = cancelling != 0;
                cancelling = 0;
                boolean valid = deferred || (tagged != null && tagged.takeTag(number, this));
                tag = valid ? number : 0;
                if (deferred) {
                    DflockdEncoder.ok(responseBuffer());
                } else if (valid && request instanceof DflockdRequest.Cancel(long target)) {
                    cancel(target, next);
                } else if (valid) {
                    serve(request);
                } else {
                    DflockdEncoder.error(responseBuffer());
                }
            }
        }
    }

    private void authenticate(DflockdRequest request, DflockdInput input) {
        byte[] candidate = request instanceof DflockdRequest.Auth(byte[] given) ? given : NO_SECRET;
        boolean guess = request instanceof DflockdRequest.Auth;
        Secret secret = service.secret();
        if (guess
                && authDelay == AuthDelay.NONE
                && service.authFailures.isSlowed(remoteAddress())) {
            delayAuthentication(input);
        } else if (secret == null || secret.matches(candidate)) {
            authenticated = true;
            DflockdEncoder.ok(output());
        } else {
            if (guess) {
                service.authFailures.failed(remoteAddress());
            }
            refuseConnection();
        }
    }

    private void delayAuthentication(DflockdInput input) {
        String address = remoteAddress();
        if (!service.authFailures.beginDelay(address)) {
            AUTH_REFUSALS
                    .next(LOG.atWarn())
                    .addKeyValue("remote", context().channel().remoteAddress())
                    .log("connection closed: too many failed authentications from its address");
            abort();
            return;
        }
        authDelay = AuthDelay.RUNNING;
        defer(input);
        context()
                .executor()
                .schedule(
                        () -> endAuthDelay(address),
                        AuthFailures.DELAY_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    /**
     * Also runs after the connection has ended: disconnecting early must not allow another guess.
     */
    private void endAuthDelay(String address) {
        service.authFailures.endDelay(address);
        authDelay = AuthDelay.OVER;
        wake();
    }

    /** The address of the client, without its port; empty if it has none. */
    private String remoteAddress() {
        return context().channel().remoteAddress() instanceof InetSocketAddress remote
                ? remote.getAddress().getHostAddress()
                : "";
    }

    /** Compares unreadable input too, so that every failure takes the same path and time. */
    private void failAuthentication(byte[] candidate) {
        Secret secret = service.secret();
        if (secret != null && !secret.matches(candidate)) {
            refuseConnection();
        }
    }

    private void refuseConnection() {
        AUTH_FAILURES
                .next(LOG.atWarn())
                .addKeyValue("conn", session().id())
                .addKeyValue("remote", context().channel().remoteAddress())
                .log("authentication failed");
        DflockdEncoder.errorAuth(output());
        flush();
        end();
        setReading(true);
        context().executor().schedule(this::linger, AUTH_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void serve(DflockdRequest request) {
        switch (request) {
            case DflockdRequest.Acquire(
                            var resourceKind,
                            var key,
                            var limit,
                            var wait,
                            var lease,
                            var holdAttributes) -> {
                if (mayCreate()) {
                    submitRequest(
                            new Command.Acquire(
                                    session().id(),
                                    request(),
                                    resourceKind,
                                    key,
                                    limit,
                                    wait,
                                    lease(lease),
                                    service.driver().salt(),
                                    holdAttributes));
                }
            }
            case DflockdRequest.Enqueue(var resourceKind, var key, var limit, var lease) -> {
                if (mayCreate()) {
                    submitRequest(
                            new Command.Enqueue(
                                    session().id(),
                                    request(),
                                    resourceKind,
                                    key,
                                    limit,
                                    lease(lease),
                                    service.driver().salt()));
                }
            }
            case DflockdRequest.Await(var resourceKind, var key, var wait) -> {
                if (mayCreate()) {
                    submitRequest(
                            new Command.Await(session().id(), request(), resourceKind, key, wait));
                }
            }
            case DflockdRequest.Release(var resourceKind, var key, var token) ->
                    submitRequest(
                            new Command.Release(
                                    session().id(), request(), resourceKind, key, token));
            case DflockdRequest.Renew(var resourceKind, var key, var token, var lease) ->
                    submitRequest(
                            new Command.Renew(
                                    session().id(),
                                    request(),
                                    resourceKind,
                                    key,
                                    token,
                                    lease(lease)));
            case DflockdRequest.Data(var key, var operation) -> {
                if (!operation.mayCreate() || mayCreate()) {
                    submitRequest(new Command.Data(session().id(), request(), key, operation));
                }
            }
            case DflockdRequest.Listen(var pattern, var group) -> {
                if (!SignalService.isPattern(pattern)) {
                    DflockdEncoder.error(responseBuffer());
                } else if (mayCreate()) {
                    listen(pattern, group);
                }
            }
            case DflockdRequest.Unlisten(var pattern, var group) -> unlisten(pattern, group);
            case DflockdRequest.Signal(var channel, var payload) -> signal(channel, payload);
            case DflockdRequest.Ping() -> DflockdEncoder.ok(responseBuffer());
            case DflockdRequest.Stats() -> {
                responseBuffer();
                stream(new StatsStream(context(), service, namespace, this::writeChunk));
            }
            case DflockdRequest.Auth(byte[] ignored) -> DflockdEncoder.error(responseBuffer());
            case DflockdRequest.Malformed() -> refuse("malformed request");
            case DflockdRequest.Hello _, DflockdRequest.Cancel _ ->
                    DflockdEncoder.error(responseBuffer()); // not valid in this mode
            case DflockdRequest.Mine(long after) -> {
                List<TrackedRequestView> requests =
                        session().trackedRequests(after, MAX_TRACKED_REQUESTS);
                cost(requests.size());
                TaggedEncoder.trackedRequests(requests, responseBuffer());
            }
            case DflockdRequest.Describe(var key) -> describe(key);
            case DflockdRequest.Bye() -> {
                DflockdEncoder.ok(responseBuffer());
                if (tagged != null) {
                    tagged.end(this);
                }
                finish();
            }
        }
    }

    /** The buffer for the next response; in tagged mode its tag is already written. */
    private ByteBuf responseBuffer() {
        if (tagged != null) {
            TaggedEncoder.tag(tag, output());
        }
        return output();
    }

    private long request() {
        return tagged == null ? nextRequest() : tag;
    }

    private void submitRequest(Command.Keyed command) {
        if (tagged == null) {
            sessionUsed |= command instanceof Command.Locking;
            submit(command);
        } else {
            tagged.submit(command, this);
            deliverEffects();
        }
    }

    // ---- tagged mode

    private void hello(DflockdRequest.Hello hello, DflockdInput input) {
        if (sessionUsed) {
            DflockdEncoder.error(output());
            return;
        }
        if (resuming == null && !mayCreate()) {
            return;
        }
        DflockdRequest.Resume resume = hello.resume();
        TaggedSession old =
                resume == null || resuming != null
                        ? resuming
                        : service.tagged().resume(resume, this);
        if (old != null && !old.drainInFlight(this)) {
            resuming = old;
            defer(input);
            return;
        }
        resuming = null;
        if (old == null && !isGraceGranted(hello)) {
            defer(input);
            return;
        }
        TaggedSession session = old != null ? old : open(hello);
        adopt(session.session());
        signals = null; // of the previous session, which has not listened
        decoder.expectTags();
        TaggedEncoder.welcome(
                session.session().id(),
                session.secret(),
                session.graceNanos(),
                service.defaultLeaseNanos,
                service.readTimeoutNanos,
                old != null,
                output());
        tagged = session;
        deliverEffects(); // effects from the time without a connection
    }

    /** Whether the grace of the session has been granted; requests it first. */
    private boolean isGraceGranted(DflockdRequest.Hello hello) {
        if (grace == null) {
            CompletableFuture<Long> grant = service.graces().grant(hello.graceNanos());
            grace = grant;
            if (!grant.isDone()) {
                CompletableFuture<Void> _ = grant.thenRun(this::wake);
            }
        }
        return grace.isDone();
    }

    private TaggedSession open(DflockdRequest.Hello hello) {
        long granted = grace == null ? 0 : grace.join();
        grace = null;
        String label = hello.label().isEmpty() ? name() : hello.label();
        return service.tagged().open(this, granted, label);
    }

    private void cancel(long target, DflockdInput input) {
        long ownTag = tag;
        boolean answered = tagged == null || tagged.cancel(ownTag, target, this);
        deliverEffects();
        if (answered) {
            return;
        }
        if (isQuiescent()) {
            tag = ownTag;
            DflockdEncoder.ok(responseBuffer());
        } else {
            cancelling = ownTag;
            defer(input);
        }
    }

    /**
     * In tagged mode, requests that read or end the session wait until earlier ones are applied.
     */
    @Override
    protected boolean mustWait(DflockdInput next) {
        if (authDelay == AuthDelay.RUNNING) {
            return true;
        }
        if (resuming != null) {
            return !resuming.drainInFlight(this);
        }
        if (tagged == null) {
            return grace != null && !grace.isDone();
        }
        int inFlight = tagged.inFlight();
        return inFlight > 0 && (inFlight >= MAX_IN_FLIGHT || needsQuiescence(next));
    }

    private static boolean needsQuiescence(DflockdInput next) {
        return switch (next) {
            case DflockdInput.Tagged(_, var request) ->
                    switch (request) {
                        case DflockdRequest.Mine _,
                                DflockdRequest.Describe _,
                                DflockdRequest.Cancel _,
                                DflockdRequest.Stats _,
                                DflockdRequest.Bye _ ->
                                true;
                        default -> false;
                    };
            case DflockdInput.LineTooLong _ -> true;
            case DflockdInput.Request _, DflockdInput.LooksLikeHttp _ -> false;
        };
    }

    @Override
    protected boolean isQuiescent() {
        return tagged == null || tagged.inFlight() == 0;
    }

    private void describe(Key key) {
        Driver driver = service.driver();
        KeyView lock = driver.queries().view(ResourceKind.LOCK, key, MAX_HOLDERS);
        KeyView semaphore = driver.queries().view(ResourceKind.SEMAPHORE, key, MAX_HOLDERS);
        cost(MAX_HOLDERS / MATCH_STEPS_PER_COST);
        TaggedEncoder.keyInfo(session().id(), lock, semaphore, driver::nameOf, responseBuffer());
    }

    /** Another connection has resumed this one's session. Called on any thread. */
    void replaced() {
        context().executor().execute(() -> guarded(this::abort));
    }

    @Override
    protected @Nullable Effect nextEffect() {
        Effect ownTag = super.nextEffect();
        return ownTag == null && tagged != null ? tagged.nextEffect(this) : ownTag;
    }

    @Override
    protected void endSession(long lastResponded, Runnable released) {
        TaggedSession detached = resuming == null ? tagged : resuming;
        if (detached != null) {
            service.tagged().detach(detached, this, context().executor());
        }
        if (tagged == null) {
            super.endSession(lastResponded, released);
        } else {
            released.run();
        }
    }

    @Override
    protected void draining() {
        if (tagged != null && isQuiescent()) { // else the drain event is repeated
            tagged.cancelAll(this);
            deliverEffects();
        }
    }

    /** In tagged mode, each effect carries the number of the request that it responds to. */
    @Override
    protected void unsolicited(Effect effect) {
        if (tagged == null) {
            return;
        }
        tag = effect.request();
        Command.Keyed command = tagged.answered(effect.request());
        switch (effect) {
            case Effect.Granted _ when command instanceof Command.Cancel ->
                    writeCancelled(); // the grant was released before its response
            case Effect.Granted granted ->
                    TaggedEncoder.granted(
                            granted.token(),
                            granted.leaseNanos(),
                            command instanceof Command.Enqueue,
                            responseBuffer());
            case Effect.Renewed renewed ->
                    TaggedEncoder.renewed(renewed.leaseNanos(), responseBuffer());
            case Effect.Expired expired ->
                    TaggedEncoder.lost(expired.request(), "expired", output());
            case Effect.Revoked revoked ->
                    TaggedEncoder.lost(revoked.request(), "released", output());
            case Effect.StatusReport statusReport -> {
                if (command instanceof Command.Decline decline) {
                    declined(decline, statusReport, tagged);
                }
            }
            case Effect.Cancelled cancelled -> {
                if (command != null) { // else the response was written for its grant
                    writeCancelled();
                }
            }
            default -> {
                if (command != null) {
                    respond(command, effect);
                } else if (effect instanceof Effect.TimedOut) {
                    DflockdEncoder.timeout(
                            responseBuffer()); // of a wait that an earlier connection began
                }
            }
        }
    }

    private void declined(
            Command.Decline decline, Effect.StatusReport statusReport, TaggedSession session) {
        if (statusReport.status() == OfferRequestStatus.QUEUED) {
            Command.Keyed _ = session.answered(decline.targetRequest());
            tag = decline.targetRequest();
            writeCancelled();
        }
        if (decline.request() > 0) { // negative: cancelled by the server
            tag = decline.request();
            DflockdEncoder.ok(responseBuffer());
        }
    }

    private void writeCancelled() {
        if (service.draining()) {
            DflockdEncoder.errorDraining(responseBuffer());
        } else {
            TaggedEncoder.cancelled(responseBuffer());
        }
    }

    // ---- requests that create state

    private long lease(long requested) {
        return requested == DflockdRequest.DEFAULT_LEASE ? service.defaultLeaseNanos : requested;
    }

    /**
     * Whether requests that create state are served; if not, writes the response of a draining
     * server.
     */
    private boolean mayCreate() {
        if (!service.draining()) {
            return true;
        }
        DflockdEncoder.errorDraining(responseBuffer());
        if (tagged == null) {
            finish();
        } // else the session continues until it holds nothing
        return false;
    }

    private void writeItems(List<ByteString> items) {
        if (items.size() > RangeStream.STREAM_THRESHOLD) {
            streamItems(items);
            return;
        }
        cost(items.size());
        DflockdEncoder.beginItems(responseBuffer());
        for (int i = 0; i < items.size(); i++) {
            DflockdEncoder.item(items.get(i), i == 0, output());
        }
        DflockdEncoder.endItems(output());
    }

    private void streamItems(List<ByteString> items) {
        if (service.ranges.tryReserve(RangeStream.bytes(items))) {
            responseBuffer();
            stream(new RangeStream(context(), items, this::writeChunk, service.ranges));
        } else {
            DflockdEncoder.error(responseBuffer());
        }
    }

    // ---- signals

    private void listen(Key pattern, ByteString group) {
        sessionUsed = true;
        SignalClient client = signals();
        if (pushWriter == null) {
            pushWriter = new PushWriter(context(), service, connectionOutput(), this);
            client.deliverTo(pushWriter.listener());
        }
        long request = request();
        respondOrAwait(request, client.listen(request, pattern, group));
    }

    private void refuse(String reason) {
        LOG.atDebug()
                .addKeyValue("conn", session().id())
                .addKeyValue("reason", reason)
                .log("request refused");
        DflockdEncoder.error(responseBuffer());
    }

    private void unlisten(Key pattern, ByteString group) {
        if (pushWriter == null) {
            DflockdEncoder.ok(responseBuffer());
            return;
        }
        long request = request();
        Effect result = signals().unlisten(request, pattern, group);
        if (result != null) {
            writePushes(); // earlier signals precede the response
        }
        respondOrAwait(request, result);
    }

    private void signal(Key channel, ByteString payload) {
        long request = request();
        respondOrAwait(request, signals().emit(request, channel, payload));
    }

    /** Registrations end with the connection, which a session in tagged mode may outlive. */
    private SignalClient signals() {
        SignalClient present = signals;
        if (present == null) {
            SignalEmitter emitter = new Emitter();
            present =
                    tagged == null
                            ? session().openSignals(emitter)
                            : service.driver()
                                    .openSignals(
                                            this, new ClientInfo("dflockd", this::name), emitter);
            signals = present;
        }
        return present;
    }

    /** Encodes a signal once for all recipients, and charges it to the work budget. */
    private final class Emitter implements SignalEmitter {
        @Override
        public void examined(int count) {
            cost(count / MATCH_STEPS_PER_COST);
        }

        @Override
        public Signal create(Key channel, ByteString payload, int recipients) {
            PushLine line =
                    new PushLine(
                            context().alloc(), channel, payload, recipients, service.pushBudget);
            cost(recipients + line.length() / SIGNAL_BYTES_PER_COST);
            return line;
        }
    }

    /** Responds to a request for signals, now or when its result comes. */
    private void respondOrAwait(long request, @Nullable Effect result) {
        if (result == null) {
            awaitResult(request);
        } else {
            respondSignal(result);
        }
    }

    private void respondSignal(Effect result) {
        switch (result) {
            case Effect.Changed _ -> DflockdEncoder.ok(responseBuffer());
            case Effect.Counted counted -> DflockdEncoder.number(counted.value(), responseBuffer());
            default -> refuse("signals: " + result);
        }
    }

    /**
     * Responds to a request for signals that took time. Pushed lines are held back while it is in
     * flight.
     */
    @Override
    protected void respond(Effect effect) {
        if (tagged != null) {
            tag = effect.request(); // the responses to other requests may have changed it
        }
        respondSignal(effect);
        writePushes();
    }

    /** Lines are pushed between responses, never within one. */
    @Override
    public PushQueue.Readiness readiness() {
        if (state() == State.STREAMING || isAwaitingResult()) {
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
        if (pushWriter != null && state() != State.CLOSING) {
            pushWriter.writePushes();
        }
    }

    @Override
    public void disconnectSlow() {
        guarded(this::endSlowListener);
    }

    private void endSlowListener() {
        if (state() != State.CLOSING) {
            DISCONNECTS
                    .next(LOG.atWarn())
                    .addKeyValue("conn", session().id())
                    .addKeyValue("remote", context().channel().remoteAddress())
                    .log("slow listener disconnected");
            abort();
        }
    }

    @Override
    protected void flush() {
        if (pushWriter != null) {
            pushWriter.flush();
        } else {
            super.flush();
        }
    }

    // ---- responses

    @Override
    protected void respond(Command.Keyed command, Effect effect) {
        switch (effect) {
            case Effect.Granted granted -> {
                if (command instanceof Command.Enqueue) {
                    DflockdEncoder.acquired(
                            granted.token(), granted.leaseNanos(), responseBuffer());
                } else {
                    DflockdEncoder.granted(granted.token(), granted.leaseNanos(), responseBuffer());
                }
            }
            case Effect.Queued queued -> DflockdEncoder.queued(responseBuffer());
            case Effect.Released released -> DflockdEncoder.ok(responseBuffer());
            case Effect.Renewed renewed ->
                    DflockdEncoder.renewed(renewed.leaseNanos(), responseBuffer());
            case Effect.TimedOut timedOut -> DflockdEncoder.timeout(responseBuffer());
            case Effect.Cancelled cancelled -> DflockdEncoder.error(responseBuffer());
            case Effect.Changed changed -> DflockdEncoder.ok(responseBuffer());
            case Effect.Counted counted -> DflockdEncoder.number(counted.value(), responseBuffer());
            case Effect.Found found -> DflockdEncoder.value(found.value(), responseBuffer());
            case Effect.Absent absent -> DflockdEncoder.nil(responseBuffer());
            case Effect.Items items -> writeItems(items.items());
            case Effect.TryAcquired _,
                    Effect.Inspected _,
                    Effect.Orphaned _,
                    Effect.Offered _,
                    Effect.OfferExpired _,
                    Effect.Expired _,
                    Effect.Revoked _,
                    Effect.ForceReleased _,
                    Effect.StatusReport _ ->
                    throw new IllegalStateException(
                            "unexpected effect for a dflockd request: " + effect);
            case Effect.Refused refused ->
                    DflockdEncoder.refused(refused.reason(), responseBuffer());
        }
    }

    // ---- the read timer

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
            tag = 0;
            DflockdEncoder.error(responseBuffer());
            finish();
        }
    }
}
