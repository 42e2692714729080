package io.holdfast.server.lockd;

import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.HeldCounts;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.protocol.lockd.LockdEncoder;
import io.holdfast.protocol.lockd.LockdVerb;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.InputBudget;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Consumer;

/** What all lockd connections of one namespace share, whichever listener they came through. */
public final class LockdService extends ConnectionService {
    final Namespace namespace;
    final ConnectionNameRegistry registry = new ConnectionNameRegistry();
    final ListingBudget listings;
    final long readTimeoutNanos;
    private final LockdCounters counters = new LockdCounters();
    private final @Nullable Consumer<String> events;

    /** Whether anybody wants to know what happens. */
    final boolean verbose;

    /**
     * @param kept over the whole server
     * @param listings over the whole server
     * @param readTimeout how long a client may take for a command that it has begun
     * @param listingTimeout how long a client may take to read on in a long listing; zero is no
     *     limit
     * @param events takes a line for each thing that happens
     */
    public LockdService(
            Driver driver,
            ServerMonitor serverMonitor,
            Namespace namespace,
            InputBudget kept,
            DrainState drainState,
            ListingBudget listings,
            Duration readTimeout,
            Duration listingTimeout,
            @Nullable Consumer<String> events) {
        super("lockd", driver, serverMonitor, kept, drainState, listingTimeout);
        this.namespace = namespace;
        this.listings = listings;
        this.readTimeoutNanos = nanos(readTimeout);
        this.events = events;
        this.verbose = events != null;
    }

    Driver driver() {
        return driver;
    }

    boolean draining() {
        return isDraining();
    }

    void logEvent(String event) {
        if (events != null) {
            events.accept(event);
        }
    }

    void count(LockdVerb word) {
        counters.command(word);
    }

    void countInvalid() {
        counters.invalid();
    }

    void countOrphans(Effect.Orphaned orphaned) {
        counters.orphaned(orphaned);
    }

    /** Counts input that a connection keeps; false if all together keep too much. */
    boolean keepInput(long bytes) {
        return inputBudget.reserve(bytes);
    }

    /** Keeps the name of a connection; false if all together keep too much. */
    boolean register(long session, String connection, ByteString name) {
        boolean room = inputBudget.reserve((long) name.length() - registeredBytes(session));
        registry.register(session, connection, name);
        return room;
    }

    void unregister(long session) {
        inputBudget.reserve(-registeredBytes(session));
        registry.remove(session);
    }

    private long registeredBytes(long session) {
        ByteString name = registry.nameOf(session);
        return name == null ? 0 : name.length();
    }

    /** Writes the answer to {@code q}, sorted by name. */
    void writeStats(ByteBuf out) {
        for (LockdVerb word : LockdVerb.values()) {
            long count = counters.commands(word);
            if (count > 0 || word.isAlwaysCounted()) {
                LockdEncoder.counter("command_" + word.text(), count, out);
            }
        }
        HeldCounts mutexes = driver.countHeld(namespace, ResourceKind.LOCK);
        HeldCounts shared = driver.countHeld(namespace, ResourceKind.SHARED);
        LockdEncoder.counter("connections", connections(), out);
        LockdEncoder.counter("invalid_commands", counters.invalidCommands(), out);
        LockdEncoder.counter("locks", mutexes.keys(), out);
        LockdEncoder.counter("orphans", counters.orphans(), out);
        LockdEncoder.counter("shared_locks", shared.keys(), out);
        LockdEncoder.counter("shared_orphans", counters.sharedOrphans(), out);
    }
}
