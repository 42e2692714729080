package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.protocol.lockd.LockdDecoderResult;
import io.holdfast.protocol.lockd.LockdEncoder;
import io.holdfast.protocol.lockd.LockdVerb;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.HandlerEvent;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands of one lockd connection, whatever its framing. Confined to the event loop. */
final class LockdCommands {
    private static final Logger LOG = LoggerFactory.getLogger(LockdCommands.class);
    private static final ByteString SHARED = ByteString.of("shared");

    private final Connection<?> connection;
    private final LockdService service;
    private final LockdOptions options;
    private final LockdFraming framing;

    /** Holds that outlive the session; written by one thread at a time, the one that closes it. */
    private int orphans;

    private int sharedOrphans;

    /** The connection is open. */
    LockdCommands(
            Connection<?> connection,
            LockdService service,
            LockdOptions options,
            LockdFraming framing) {
        this.connection = connection;
        this.service = service;
        this.options = options;
        this.framing = framing;
        if (service.verbose) {
            service.logEvent(connection.name() + " connected");
        }
    }

    // ---- the end

    /** What all framings do in the same way. */
    void on(HandlerEvent event) {
        switch (event) {
            case END_OF_INPUT -> connection.finish();
            case DRAINING -> connection.finishUnlessHolding();
            case READ_TIMEOUT -> {
                LOG.atDebug()
                        .addKeyValue("conn", connection.session().id())
                        .log("connection closed: no complete input within --read-timeout");
                connection.finish();
            }
            case WRITABLE, FINISHING -> {}
        }
    }

    void closed(long lastResponded, Runnable released) {
        connection
                .session()
                .close(
                        lastResponded,
                        () -> {
                            released();
                            released.run();
                        });
    }

    private void released() {
        for (Effect last = connection.pollEffect(); last != null; last = connection.pollEffect()) {
            countOrphans(last); // before the connection is counted as closed
        }
        service.unregister(connection.session().id());
        if (service.verbose) {
            logOrphans();
            service.logEvent(connection.name() + " disconnected");
        }
    }

    private void countOrphans(Effect effect) {
        if (effect instanceof Effect.Orphaned orphaned) {
            service.countOrphans(orphaned);
            orphans += orphaned.locks();
            sharedOrphans += orphaned.shared();
        }
    }

    private void logOrphans() {
        if (orphans > 0) {
            service.logEvent(connection.name() + " orphaned locks: " + orphans);
        }
        if (sharedOrphans > 0) {
            service.logEvent(connection.name() + " orphaned shared locks: " + sharedOrphans);
        }
    }

    // ---- commands

    /** Handles an invalid line or message: it is counted, and the response is empty. */
    void serveInvalid() {
        service.countInvalid();
        if (service.verbose) {
            service.logEvent(connection.name() + " invalid command");
        }
        framing.end(framing.begin());
    }

    void serve(LockdDecoderResult.Command command) {
        ByteString argument = command.argument();
        LockdVerb verb = command.verb();
        if (verb != LockdVerb.Q) {
            service.count(verb);
        }
        switch (verb) {
            case G -> tryAcquire(ResourceKind.LOCK, argument);
            case R -> release(ResourceKind.LOCK, argument);
            case I -> inspect(ResourceKind.LOCK, argument);
            case SG -> tryAcquire(ResourceKind.SHARED, argument);
            case SR -> release(ResourceKind.SHARED, argument);
            case SI -> inspect(ResourceKind.SHARED, argument);
            case D -> list(ListingStream.Form.LINES, ResourceKind.LOCK, argument);
            case SD -> list(ListingStream.Form.LINES, ResourceKind.SHARED, argument);
            case DUMP ->
                    list(
                            ListingStream.Form.MAP,
                            argument.equals(SHARED) ? ResourceKind.SHARED : ResourceKind.LOCK,
                            ByteString.EMPTY);
            case ME -> me();
            case IAM -> iam(argument);
            case WHO -> who(argument);
            case Q -> stats();
        }
    }

    private Key key(ByteString name) {
        return Key.of(service.namespace, name.bytes());
    }

    private void tryAcquire(ResourceKind resourceKind, ByteString name) {
        if (service.draining()
                && !service.driver()
                        .queries()
                        .isHolding(connection.session().id(), resourceKind, key(name))) {
            refuse(resourceKind, name.bytes());
            return;
        }
        connection.submit(
                new Command.TryAcquire(
                        connection.session().id(),
                        connection.nextRequest(),
                        resourceKind,
                        key(name),
                        service.driver().salt()));
    }

    private void release(ResourceKind resourceKind, ByteString name) {
        connection.submit(
                new Command.ReleaseBySession(
                        connection.session().id(),
                        connection.nextRequest(),
                        resourceKind,
                        key(name)));
    }

    private void inspect(ResourceKind resourceKind, ByteString name) {
        connection.submit(
                new Command.Inspect(
                        connection.session().id(),
                        connection.nextRequest(),
                        resourceKind,
                        key(name)));
    }

    private void refuse(ResourceKind resourceKind, byte[] name) {
        ByteBuf out = framing.begin();
        if (resourceKind == ResourceKind.LOCK) {
            LockdEncoder.notAcquired(name, out);
        } else {
            LockdEncoder.sharedNotAcquired(name, out);
        }
        framing.end(out);
    }

    private void list(ListingStream.Form form, ResourceKind resourceKind, ByteString name) {
        if (options.allowDump()) {
            connection.stream(
                    new ListingStream(connection, framing, service, form, resourceKind, name));
        } else {
            disabled();
        }
    }

    private void me() {
        ByteBuf out = framing.begin();
        LockdEncoder.me(connection.name(), service.registry.nameOf(connection.session().id()), out);
        framing.end(out);
    }

    private void iam(ByteString name) {
        if (!options.enableRegistry()) {
            disabled();
            return;
        }
        if (name.isEmpty()) {
            service.unregister(connection.session().id());
        } else if (!service.register(connection.session().id(), connection.name(), name)) {
            connection.abort(); // the protocol has no response for it, and memory must be freed
            return;
        }
        if (service.verbose) {
            service.logEvent(connection.name() + " changed their name to '" + name + "'");
        }
        ByteBuf out = framing.begin();
        LockdEncoder.ok(out);
        framing.end(out);
    }

    private void who(ByteString name) {
        if (options.enableRegistry() && options.allowDump()) {
            connection.stream(
                    new ListingStream(
                            connection,
                            framing,
                            service,
                            ListingStream.Form.WHO,
                            ResourceKind.LOCK,
                            name));
        } else {
            disabled();
        }
    }

    private void stats() {
        ByteBuf out = framing.begin();
        service.writeStats(out);
        framing.end(out);
        service.count(LockdVerb.Q); // after the response, which does not count it
    }

    private void disabled() {
        ByteBuf out = framing.begin();
        LockdEncoder.disabled(out);
        framing.end(out);
    }

    // ---- responses

    void effect(Command.@Nullable Keyed command, Effect effect) {
        if (command == null) {
            countOrphans(effect);
            return;
        }
        if (effect instanceof Effect.Refused && command instanceof Command.Inspect) {
            connection.finish(); // the state is unknown, and either response might be wrong
            return;
        }
        byte[] name = command.key().bytes();
        boolean isLock =
                command instanceof Command.Locking locking && locking.kind() == ResourceKind.LOCK;
        ByteBuf out = framing.begin();
        switch (effect) {
            case Effect.TryAcquired tryAcquired -> {
                if (isLock) {
                    LockdEncoder.acquired(name, tryAcquired.isNew(), out);
                } else {
                    LockdEncoder.sharedAcquired(name, tryAcquired.holders(), out);
                }
            }
            case Effect.Released _ -> {
                if (isLock) {
                    LockdEncoder.released(name, true, out);
                } else {
                    LockdEncoder.sharedReleased(name, true, out);
                }
            }
            case Effect.Inspected inspected -> {
                if (isLock) {
                    LockdEncoder.inspected(name, inspected.holders() > 0, inspected.own(), out);
                } else {
                    LockdEncoder.sharedInspected(name, inspected.holders(), out);
                }
            }
            case Effect.Refused _ -> respondRefused(command, isLock, out);
            default ->
                    throw new IllegalStateException(
                            "unexpected effect for a lockd command: " + effect);
        }
        framing.end(out);
        if (service.verbose) {
            logResponse(command, effect, isLock ? "lock" : "shared lock");
        }
    }

    private static void respondRefused(Command.Keyed command, boolean isLock, ByteBuf out) {
        byte[] name = command.key().bytes();
        switch (command) {
            case Command.TryAcquire _ -> {
                if (isLock) {
                    LockdEncoder.notAcquired(name, out);
                } else {
                    LockdEncoder.sharedNotAcquired(name, out);
                }
            }
            case Command.ReleaseBySession _ -> {
                if (isLock) {
                    LockdEncoder.released(name, false, out);
                } else {
                    LockdEncoder.sharedReleased(name, false, out);
                }
            }
            case Command.Inspect _,
                    Command.AcquireRequest _,
                    Command.Await _,
                    Command.Release _,
                    Command.Renew _,
                    Command.ForceRelease _,
                    Command.Cancel _,
                    Command.ReadWrite _,
                    Command.Data _ ->
                    throw new IllegalStateException("no response to a refused " + command);
        }
    }

    private void logResponse(Command.Keyed command, Effect effect, String what) {
        ByteString lock = ByteString.of(command.key().bytes());
        if (effect instanceof Effect.TryAcquired tryAcquired && tryAcquired.isNew()) {
            service.logEvent(connection.name() + " obtained " + what + " for " + lock);
        } else if (effect instanceof Effect.Released) {
            service.logEvent(connection.name() + " released " + what + " for " + lock);
        }
    }
}
