package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.protocol.lockd.LockdEncoder;
import io.holdfast.protocol.lockd.LockdInput;
import io.holdfast.protocol.lockd.LockdVerb;
import io.holdfast.server.connection.LineConnection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A connection of the lockd protocol, whatever its framing of commands and responses.
 *
 * @param <I> what is decoded from the input
 */
abstract class LockdConnection<I> extends LineConnection<I> {
    private static final ByteString SHARED = ByteString.of("shared");

    private static final Logger LOG = LoggerFactory.getLogger(LockdConnection.class);

    private final LockdService service;
    private final LockdAccess access;

    /** Holds that outlive the session; written by one thread at a time, the one that closes it. */
    private int orphans;

    private int sharedOrphans;

    /** Whether an incomplete command has been received. */
    private boolean reading;

    /** Start of the read timeout of that command. */
    private long readingSinceNanos;

    private long commandsSeen;

    /** Set while the read timeout of a command is pending. */
    private @Nullable Future<?> readTimer;

    LockdConnection(LockdService service, LockdAccess access) {
        super(service);
        this.service = service;
        this.access = access;
    }

    // ---- framing of responses

    /** The buffer for the response to one command; {@link #endResponse} follows. */
    abstract ByteBuf beginResponse();

    abstract void endResponse(ByteBuf response);

    /** Writes the header of a streamed response of this length in bytes. */
    abstract void beginLongResponse(long length, ByteBuf out);

    // ---- commands that are not complete

    /** Whether the decoder has consumed a part of an incomplete command. */
    abstract boolean isInsideCommand();

    /** The number of commands completed so far. */
    abstract long commandsRead();

    /** The read timeout applies within a command only: a client may be idle between commands. */
    @Override
    protected final void idle() {
        boolean began = !reading || commandsRead() != commandsSeen;
        reading = hasInput() || isInsideCommand();
        if (reading && began) {
            commandsSeen = commandsRead();
            readingSinceNanos = now();
            if (readTimer == null) {
                armReadTimer(service.readTimeoutNanos);
            }
        }
    }

    @Override
    protected final void resumed() {
        readingSinceNanos = now();
    }

    private long now() {
        return context().executor().ticker().nanoTime();
    }

    private void armReadTimer(long nanos) {
        readTimer =
                context()
                        .executor()
                        .schedule(() -> guarded(this::checkRead), nanos, TimeUnit.NANOSECONDS);
    }

    private void checkRead() {
        readTimer = null;
        if (state() == State.CLOSING || !reading) {
            return;
        }
        long left = service.readTimeoutNanos - (now() - readingSinceNanos);
        if (!isReading()) {
            armReadTimer(service.readTimeoutNanos); // not waiting for the client
        } else if (left > 0) {
            armReadTimer(left);
        } else {
            LOG.atDebug().addKeyValue("conn", session().id()).log("read timeout");
            finish();
        }
    }

    @Override
    protected void ended() {
        if (readTimer != null) {
            readTimer.cancel(false);
            readTimer = null;
        }
    }

    final ChannelHandlerContext channelContext() {
        return context();
    }

    final void writeListing(ByteBuf chunk, boolean last, ChannelPromise promise) {
        writeChunk(chunk, last, promise);
    }

    // ---- lifecycle

    @Override
    protected void opened() {
        if (service.verbose) {
            service.logEvent(name() + " connected");
        }
    }

    @Override
    protected void released() {
        service.unregister(session().id());
        if (service.verbose) {
            logOrphans();
            service.logEvent(name() + " disconnected");
        }
    }

    /** Counts orphans when the effect arrives: before the connection is counted as closed. */
    @Override
    public void add(Effect effect) {
        if (effect instanceof Effect.Orphaned orphaned) {
            service.countOrphans(orphaned);
            orphans += orphaned.locks();
            sharedOrphans += orphaned.shared();
        } else {
            super.add(effect);
        }
    }

    private void logOrphans() {
        if (orphans > 0) {
            service.logEvent(name() + " orphaned locks: " + orphans);
        }
        if (sharedOrphans > 0) {
            service.logEvent(name() + " orphaned shared locks: " + sharedOrphans);
        }
    }

    /** Only a long listing takes memory, so the write timeout applies to listings only. */
    @Override
    protected void writeTimedOut() {
        if (state() == State.STREAMING) {
            super.writeTimedOut();
        }
    }

    // ---- commands

    /** Handles an invalid line or message: it is counted, and the response is empty. */
    final void serveInvalid() {
        service.countInvalid();
        if (service.verbose) {
            service.logEvent(name() + " invalid command");
        }
        endResponse(beginResponse());
    }

    final void serve(LockdInput.Command command) {
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
                && !service.driver().isHolding(session().id(), resourceKind, key(name))) {
            refuse(resourceKind, name.bytes());
            return;
        }
        submit(
                new Command.TryAcquire(
                        session().id(),
                        nextRequest(),
                        resourceKind,
                        key(name),
                        service.driver().salt()));
    }

    private void release(ResourceKind resourceKind, ByteString name) {
        submit(
                new Command.ReleaseBySession(
                        session().id(), nextRequest(), resourceKind, key(name)));
    }

    private void inspect(ResourceKind resourceKind, ByteString name) {
        submit(new Command.Inspect(session().id(), nextRequest(), resourceKind, key(name)));
    }

    private void refuse(ResourceKind resourceKind, byte[] name) {
        ByteBuf out = beginResponse();
        if (resourceKind == ResourceKind.LOCK) {
            LockdEncoder.notAcquired(name, out);
        } else {
            LockdEncoder.sharedNotAcquired(name, out);
        }
        endResponse(out);
    }

    private void list(ListingStream.Form form, ResourceKind resourceKind, ByteString name) {
        if (access.allowDump()) {
            stream(new ListingStream(this, service, form, resourceKind, name));
        } else {
            disabled();
        }
    }

    private void me() {
        ByteBuf out = beginResponse();
        LockdEncoder.me(name(), service.registry.nameOf(session().id()), out);
        endResponse(out);
    }

    private void iam(ByteString name) {
        if (!access.enableRegistry()) {
            disabled();
            return;
        }
        if (name.isEmpty()) {
            service.unregister(session().id());
        } else if (!service.register(session().id(), name(), name)) {
            abort(); // the protocol has no response for it, and memory must be freed
            return;
        }
        if (service.verbose) {
            service.logEvent(name() + " changed their name to '" + name + "'");
        }
        ByteBuf out = beginResponse();
        LockdEncoder.ok(out);
        endResponse(out);
    }

    private void who(ByteString name) {
        if (access.enableRegistry() && access.allowDump()) {
            stream(
                    new ListingStream(
                            this, service, ListingStream.Form.WHO, ResourceKind.LOCK, name));
        } else {
            disabled();
        }
    }

    private void stats() {
        ByteBuf out = beginResponse();
        service.writeStats(out);
        endResponse(out);
        service.count(LockdVerb.Q); // after the response, which does not count it
    }

    private void disabled() {
        ByteBuf out = beginResponse();
        LockdEncoder.disabled(out);
        endResponse(out);
    }

    // ---- responses

    @Override
    protected void respond(Command.Keyed command, Effect effect) {
        if (effect instanceof Effect.Refused && command instanceof Command.Inspect) {
            finish(); // the state is unknown, and either response might be wrong
            return;
        }
        byte[] name = command.key().bytes();
        boolean isLock =
                command instanceof Command.Locking locking && locking.kind() == ResourceKind.LOCK;
        ByteBuf out = beginResponse();
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
        endResponse(out);
        if (service.verbose) {
            logResponse(command, effect, isLock ? "lock" : "shared lock");
        }
    }

    private static void respondRefused(Command.Keyed command, boolean isLock, ByteBuf out) {
        byte[] name = command.key().bytes();
        if (command instanceof Command.TryAcquire) {
            if (isLock) {
                LockdEncoder.notAcquired(name, out);
            } else {
                LockdEncoder.sharedNotAcquired(name, out);
            }
        } else if (isLock) {
            LockdEncoder.released(name, false, out);
        } else {
            LockdEncoder.sharedReleased(name, false, out);
        }
    }

    private void logResponse(Command.Keyed command, Effect effect, String what) {
        ByteString lock = ByteString.of(command.key().bytes());
        if (effect instanceof Effect.TryAcquired tryAcquired && tryAcquired.isNew()) {
            service.logEvent(name() + " obtained " + what + " for " + lock);
        } else if (effect instanceof Effect.Released) {
            service.logEvent(name() + " released " + what + " for " + lock);
        }
    }

    @Override
    protected void respondDraining() {} // no lockd command blocks
}
