package io.holdfast.server.lockd;

import io.holdfast.driver.Driver;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.protocol.lockd.LockdEncoder;
import io.holdfast.protocol.lockd.LockdVerb;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.ProtocolTraits;
import io.holdfast.server.connection.ServerContext;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** State and settings shared by all lockd connections of one namespace, on any listener. */
public final class LockdService extends ConnectionService {
    final Namespace namespace;
    final ConnectionNameRegistry registry = new ConnectionNameRegistry();
    final ListingBudget listings;
    private final LockdCounters counters = new LockdCounters();
    private final @Nullable Consumer<String> events;

    /** Whether events are logged. */
    final boolean verbose;

    /**
     * @param listings shared by the whole server
     */
    LockdService(ServerContext server, Namespace namespace, ListingBudget listings) {
        super(
                new ProtocolTraits(
                        LockdProtocol.NAME,
                        false,
                        server.readTimeout(),
                        false,
                        server.writeTimeout(),
                        true),
                server);
        this.namespace = namespace;
        this.listings = listings;
        this.events = server.events();
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

    void count(LockdVerb verb) {
        counters.command(verb);
    }

    void countInvalid() {
        counters.invalid();
    }

    void countOrphans(Effect.Orphaned orphaned) {
        counters.orphaned(orphaned);
    }

    /** Adds to the bytes of input that connections keep; false if that exceeds the limit. */
    boolean keepInput(long bytes) {
        return inputBudget.reserve(bytes);
    }

    /** Stores the name of a connection; false if that exceeds the limit of kept input. */
    boolean register(long session, String connection, ByteString name) {
        boolean withinLimit = inputBudget.reserve((long) name.length() - registeredBytes(session));
        registry.register(session, connection, name);
        return withinLimit;
    }

    void unregister(long session) {
        inputBudget.reserve(-registeredBytes(session));
        registry.remove(session);
    }

    private long registeredBytes(long session) {
        ByteString name = registry.nameOf(session);
        return name == null ? 0 : name.length();
    }

    /** Writes the response to {@code q}, sorted by name. */
    void writeStats(ByteBuf out) {
        for (LockdVerb verb : LockdVerb.values()) {
            long count = counters.commands(verb);
            if (count > 0 || verb.isAlwaysCounted()) {
                LockdEncoder.counter("command_" + verb.text(), count, out);
            }
        }
        HeldCounts locks = driver.queries().countHeld(namespace, ResourceKind.LOCK);
        HeldCounts shared = driver.queries().countHeld(namespace, ResourceKind.SHARED);
        LockdEncoder.counter("connections", connections(), out);
        LockdEncoder.counter("invalid_commands", counters.invalidCommands(), out);
        LockdEncoder.counter("locks", locks.keys(), out);
        LockdEncoder.counter("orphans", counters.orphans(), out);
        LockdEncoder.counter("shared_locks", shared.keys(), out);
        LockdEncoder.counter("shared_orphans", counters.sharedOrphans(), out);
    }
}
