package io.holdfast.server.socketlock;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Fences;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.protocol.socketlock.SocketlockRequest;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.ProtocolTraits;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.socketlock.internal.primary.HoldRecord;
import io.holdfast.socketlock.internal.primary.PrimaryLock;
import io.holdfast.socketlock.internal.primary.ProcessIdentity;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * State and settings shared by all connections of one listener while it is the primary of its path.
 */
public final class SocketlockService extends ConnectionService {
    private static final Logger LOG = LoggerFactory.getLogger(SocketlockService.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOCK_ID_DIGITS = 12;

    final Key key;
    final long waitNanos;
    final long confirmNanos;
    private final Duration maxTtl;
    private final PrimaryLock primaryLock;
    private final Fences fences;

    /** Requests a check of the primary lock and of the end of its grace period. */
    private final Runnable checkPrimaryLock;

    private final @Nullable Consumer<String> events;

    /** Whether events are logged. */
    final boolean verbose;

    private final String clientPrefix;
    private final AtomicLong clients = new AtomicLong();
    private final AtomicLong lastOfferNanos = new AtomicLong(System.nanoTime());
    private volatile boolean over;

    /**
     * @param checkPrimaryLock called when the primary lock should be checked soon; must not block
     */
    SocketlockService(
            ServerContext server,
            Key key,
            SocketlockTimeouts socketlockTimeouts,
            PrimaryLock primaryLock,
            Runnable checkPrimaryLock) {
        super(
                new ProtocolTraits(
                        SocketlockProtocol.NAME, true, Duration.ZERO, false, Duration.ZERO, false),
                server);
        this.key = key;
        this.waitNanos = nanos(socketlockTimeouts.request());
        this.confirmNanos = nanos(socketlockTimeouts.confirm());
        this.maxTtl = socketlockTimeouts.maxTtl();
        this.primaryLock = primaryLock;
        this.fences = server.fences();
        this.checkPrimaryLock = checkPrimaryLock;
        this.events =
                server.events() == null && LOG.isDebugEnabled() ? LOG::debug : server.events();
        this.verbose = events != null;
        this.clientPrefix = "c" + HexFormat.of().toHexDigits(driver.salt()) + "-";
    }

    Driver driver() {
        return driver;
    }

    /** The number of open connections. */
    public int open() {
        return connections();
    }

    void logEvent(SocketlockLogLine event) {
        if (events != null) {
            events.accept(event.toString());
        }
    }

    /** A new id for a client. */
    ByteString newClient() {
        return ByteString.of(clientPrefix + clients.incrementAndGet());
    }

    /** A new id for a lock. */
    ByteString newLock() {
        return ByteString.of("l" + HexFormat.of().toHexDigits(driver.salt(), LOCK_ID_DIGITS));
    }

    /** Adds to the bytes that connections keep; false if that exceeds the limit. */
    boolean reserveInput(long bytes) {
        return inputBudget.reserve(bytes);
    }

    boolean isTooLong(long seconds) {
        return maxTtl.isPositive() && Duration.ofSeconds(seconds).compareTo(maxTtl) > 0;
    }

    static long leaseNanos(long seconds) {
        return seconds == SocketlockRequest.NO_SECONDS
                ? Command.FOREVER
                : nanos(Duration.ofSeconds(seconds));
    }

    // ---- the primary lock

    long epoch() {
        return primaryLock.epoch();
    }

    /** Ends the service: from now on no lock is offered. */
    public void end() {
        over = true;
    }

    /**
     * Whether an offer may be sent. After a pause this checks first that this is still the primary.
     */
    boolean mayOffer() {
        long now = System.nanoTime();
        boolean paused = now - lastOfferNanos.getAndSet(now) >= IDLE_NANOS;
        if (paused && !over && !primaryLock.isOurs()) {
            over = true;
            checkPrimaryLock.run();
        }
        return !over;
    }

    /**
     * Records a hold in the primary lock's file before it is sent to its holder; null if it must
     * not be sent.
     */
    @Nullable HoldRecord record(
            ReadWriteMode readWriteMode,
            ByteString client,
            ByteString lock,
            ProcessIdentity process,
            long fence) {
        HoldRecord hold =
                primaryLock.record(
                        readWriteMode == ReadWriteMode.WRITE,
                        text(client),
                        text(lock),
                        process,
                        fence);
        if (hold == null) {
            over = true;
            checkPrimaryLock.run();
        }
        return hold;
    }

    void erase(HoldRecord hold) {
        primaryLock.erase(hold);
    }

    /** Finds a hold of the previous primary that is re-asserted; null if there is none. */
    @Nullable HoldRecord inherit(SocketlockRequest.Reassert reassert, ProcessIdentity process) {
        return primaryLock
                .grace()
                .reassert(
                        reassert.mode() == ReadWriteMode.WRITE,
                        text(reassert.client()),
                        text(reassert.lock()),
                        reassert.epoch(),
                        process,
                        fences.next());
    }

    /**
     * The hold that {@link #inherit} returned has been re-asserted in the engine, or erased because
     * it could not.
     */
    void inherited() {
        primaryLock.grace().reassertionHandled();
        checkPrimaryLock.run();
    }

    void reassertionsDone(ByteString client, ProcessIdentity process) {
        primaryLock.grace().reassertionsDone(text(client), process);
        checkPrimaryLock.run();
    }

    /** Each byte as a character, so that different ids stay different. */
    private static String text(ByteString id) {
        return new String(id.bytes(), StandardCharsets.ISO_8859_1);
    }
}
