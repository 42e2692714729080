package io.holdfast.server.socketlock;

import io.holdfast.client.socketlock.primary.HoldRecord;
import io.holdfast.client.socketlock.primary.PrimaryLock;
import io.holdfast.client.socketlock.primary.ProcessIdentity;
import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.protocol.socketlock.SocketlockRequest;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.InputBudget;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What all connections of one listener share, from the moment when it becomes the primary of its
 * path until it no longer is.
 */
public final class SocketlockService extends ConnectionService {
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOCK_ID_DIGITS = 12;

    final Key key;
    final long waitNanos;
    final long confirmNanos;
    private final Duration maxTtl;
    private final PrimaryLock primaryLock;
    private final LongSupplier fences;

    /** The seat may have been lost, or what it waits for may be there. */
    private final Runnable checkPrimaryLock;

    private final @Nullable Consumer<String> events;

    /** Whether anybody wants to know what happens. */
    final boolean verbose;

    private final String clientPrefix;
    private final AtomicLong clients = new AtomicLong();
    private final AtomicLong lastOfferNanos = new AtomicLong(System.nanoTime());
    private volatile boolean over;

    /**
     * @param kept over the whole server
     * @param fences gives out what no hold has had
     * @param look called when the seat should be looked after soon; must be quick
     * @param events takes a line for each thing that happens
     */
    public SocketlockService(
            Driver driver,
            ServerMonitor serverMonitor,
            Key key,
            SocketlockTimeouts socketlockTimeouts,
            InputBudget kept,
            DrainState drainState,
            PrimaryLock primaryLock,
            LongSupplier fences,
            Runnable look,
            @Nullable Consumer<String> events) {
        super(
                "socketlock",
                driver,
                serverMonitor,
                kept,
                drainState,
                Duration.ZERO); // a client that does not read just waits
        this.key = key;
        this.waitNanos = nanos(socketlockTimeouts.request());
        this.confirmNanos = nanos(socketlockTimeouts.confirm());
        this.maxTtl = socketlockTimeouts.maxTtl();
        this.primaryLock = primaryLock;
        this.fences = fences;
        this.checkPrimaryLock = look;
        this.events = events;
        this.verbose = events != null;
        this.clientPrefix = "c" + HexFormat.of().toHexDigits(driver.salt()) + "-";
    }

    Driver driver() {
        return driver;
    }

    /** How many connections there are. */
    public int open() {
        return connections();
    }

    void logEvent(SocketlockEventLine event) {
        if (events != null) {
            events.accept(event.toString());
        }
    }

    /** An id for a client that has none. */
    ByteString newClient() {
        return ByteString.of(clientPrefix + clients.incrementAndGet());
    }

    /** An id for a lock that has none. */
    ByteString newLock() {
        return ByteString.of("l" + HexFormat.of().toHexDigits(driver.salt(), LOCK_ID_DIGITS));
    }

    /** Counts bytes that a connection keeps; false if all together keep too much. */
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

    // ---- the seat

    long epoch() {
        return primaryLock.epoch();
    }

    /** Nothing may be told to clients any more but that it is over. */
    public void end() {
        over = true;
    }

    /** Whether an offer may be sent: the first after a pause only if the path still is ours. */
    boolean mayOffer() {
        long now = System.nanoTime();
        boolean paused = now - lastOfferNanos.getAndSet(now) >= IDLE_NANOS;
        if (paused && !over && !primaryLock.isOurs()) {
            over = true;
            checkPrimaryLock.run();
        }
        return !over;
    }

    /** Lists a hold before its holder is told of it; null if it must not be told. */
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

    /** Finds a hold that the primary before has given; null if there is none to be had. */
    @Nullable HoldRecord inherit(SocketlockRequest.Reassert asked, ProcessIdentity process) {
        return primaryLock
                .grace()
                .reassert(
                        asked.mode() == ReadWriteMode.WRITE,
                        text(asked.client()),
                        text(asked.lock()),
                        asked.epoch(),
                        process,
                        fences.getAsLong());
    }

    /** What {@link #inherit} found is booked, or erased because it cannot be. */
    void inherited() {
        primaryLock.grace().booked();
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
