package io.holdfast.server.dflockd;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.Secret;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.dflockd.DflockdDecoder;
import io.holdfast.protocol.dflockd.DflockdDecoderResult;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.HandlerEvent;
import io.holdfast.server.connection.ProtocolHandler;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A dflockd connection whose client must send the secret first. Once it has, a {@link
 * DflockdHandler} takes over; any other first request ends the connection.
 */
final class AuthenticationHandler implements ProtocolHandler<DflockdDecoderResult> {
    private static final Logger LOG = LoggerFactory.getLogger(AuthenticationHandler.class);
    private static final LogThrottle FAILURES = new LogThrottle();
    private static final LogThrottle REFUSALS = new LogThrottle();
    private static final byte[] NO_SECRET = {};
    private static final long PAUSE_MILLIS = 100;

    /** The delay of checking the secret after earlier failures from the same address. */
    private enum Delay {
        NONE,
        RUNNING,
        OVER
    }

    private final Connection<DflockdDecoderResult> connection;
    private final DflockdService service;
    private final DflockdDecoder decoder;
    private final Supplier<ProtocolHandler<DflockdDecoderResult>> authenticated;
    private Delay delay = Delay.NONE;

    /**
     * @param authenticated creates the handler of the requests after the secret
     */
    AuthenticationHandler(
            Connection<DflockdDecoderResult> connection,
            DflockdService service,
            DflockdDecoder decoder,
            Supplier<ProtocolHandler<DflockdDecoderResult>> authenticated) {
        this.connection = connection;
        this.service = service;
        this.decoder = decoder;
        this.authenticated = authenticated;
    }

    @Override
    public RequestDecoder<DflockdDecoderResult> decoder() {
        return decoder;
    }

    @Override
    public void serve(DflockdDecoderResult next) {
        switch (next) {
            case DflockdDecoderResult.LooksLikeHttp() -> connection.refuseHttp();
            case DflockdDecoderResult.Request(DflockdRequest.Auth(byte[] candidate)) ->
                    check(candidate, next);
            case DflockdDecoderResult.Request _ -> acceptIf(matches(NO_SECRET));
            case DflockdDecoderResult.LineTooLong() -> refuseUnreadable();
            case DflockdDecoderResult.Tagged _ ->
                    throw new IllegalStateException("a tag before hello");
        }
    }

    private void check(byte[] candidate, DflockdDecoderResult input) {
        if (delay == Delay.NONE && service.authFailures.isSlowed(remoteAddress())) {
            if (!service.authFailures.beginDelay(remoteAddress())) {
                REFUSALS.next(LOG.atWarn())
                        .addKeyValue("remote", connection.context().channel().remoteAddress())
                        .log("connection closed: too many failed authentications from its address");
                connection.abort();
                return;
            }
            beginDelay(remoteAddress());
        }
        if (delay == Delay.RUNNING) {
            connection.defer(input);
            return;
        }
        boolean matches = matches(candidate);
        if (!matches) {
            service.authFailures.failed(remoteAddress());
        }
        acceptIf(matches);
    }

    private void beginDelay(String address) {
        delay = Delay.RUNNING;
        connection
                .context()
                .executor()
                .schedule(() -> endDelay(address), AuthFailures.DELAY_MILLIS, MILLISECONDS);
    }

    /**
     * Also runs after the connection has ended: disconnecting early must not allow another guess.
     */
    private void endDelay(String address) {
        service.authFailures.endDelay(address);
        delay = Delay.OVER;
        connection.mailbox().wake();
    }

    private boolean matches(byte[] candidate) {
        Secret secret = service.secret();
        return secret == null || secret.matches(candidate);
    }

    private void acceptIf(boolean matches) {
        if (matches) {
            connection.use(authenticated.get());
            DflockdEncoder.ok(connection.out());
        } else {
            refuse();
        }
    }

    /** Compares unreadable input too, so that every failure takes the same path and time. */
    private void refuseUnreadable() {
        if (!matches(NO_SECRET)) {
            refuse();
        }
    }

    private void refuse() {
        FAILURES.next(LOG.atWarn())
                .addKeyValue("conn", connection.session().id())
                .addKeyValue("remote", connection.context().channel().remoteAddress())
                .log("authentication failed");
        DflockdEncoder.errorAuth(connection.out());
        connection.finishAfter(PAUSE_MILLIS);
    }

    /** The address of the client, without its port; empty if it has none. */
    private String remoteAddress() {
        return connection.context().channel().remoteAddress() instanceof InetSocketAddress remote
                ? remote.getAddress().getHostAddress()
                : "";
    }

    @Override
    public void effect(Command.@Nullable Keyed command, Effect effect) {}

    @Override
    public void on(HandlerEvent event) {
        switch (event) {
            case END_OF_INPUT -> {
                if (decoder.isInsideRequest()) {
                    refuseUnreadable();
                } else {
                    connection.finish();
                }
            }
            case READ_TIMEOUT -> refuseUnreadable();
            case DRAINING -> connection.finishUnlessHolding();
            case WRITABLE, FINISHING -> {}
        }
    }

    @Override
    public void closed(long lastResponded, Runnable released) {
        connection.session().close(lastResponded, released);
    }
}
