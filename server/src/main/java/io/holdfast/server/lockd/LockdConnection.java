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
 * A connection that speaks lockd, however commands and answers are told apart in its stream.
 *
 * @param <I> what is found in the input
 */
abstract class LockdConnection<I> extends LineConnection<I> {
    private static final ByteString SHARED = ByteString.of("shared");

    private static final Logger LOG = LoggerFactory.getLogger(LockdConnection.class);

    private final LockdService service;
    private final LockdAccess access;

    /** What the session has left behind; written by whoever closes it, one at a time. */
    private int orphans;

    private int sharedOrphans;

    /** Whether a command has begun and is not complete. */
    private boolean reading;

    /** When that command began. */
    private long readingSinceNanos;

    private long commandsSeen;

    /** Runs out some time after a command began; there is none if none did. */
    private @Nullable Future<?> readTimer;

    LockdConnection(LockdService service, LockdAccess access) {
        super(service);
        this.service = service;
        this.access = access;
    }

    // ---- how answers lie in the stream

    /** Where the answer to one command goes; {@link #endAnswer} follows. */
    abstract ByteBuf beginAnswer();

    abstract void endAnswer(ByteBuf answer);

    /** What goes before a long answer of this length. */
    abstract void beginLongAnswer(long length, ByteBuf out);

    // ---- commands that are not complete

    /** Whether the decoder has taken a part of a command, and none that is left in the input. */
    abstract boolean isInsideCommand();

    /** How many commands have ended so far. */
    abstract long commandsRead();

    /** A client may be idle as long as it likes, but not inside a command. */
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
            armReadTimer(service.readTimeoutNanos); // the client is not what is waited for
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

    final void writeListing(ByteBuf piece, boolean last, ChannelPromise promise) {
        writePiece(piece, last, promise);
    }

    // ---- life

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

    /** Orphans are counted when they are made: before the connection is counted as closed. */
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

    /** Only a long listing takes memory, so only there must a client read on. */
    @Override
    protected void writeTimedOut() {
        if (state() == State.STREAMING) {
            super.writeTimedOut();
        }
    }

    // ---- commands

    /** A line or message that is no command: counted, and answered with nothing. */
    final void serveInvalid() {
        service.countInvalid();
        if (service.verbose) {
            service.logEvent(name() + " invalid command");
        }
        endAnswer(beginAnswer());
    }

    final void serve(LockdInput.Command command) {
        ByteString argument = command.argument();
        LockdVerb word = command.verb();
        if (word != LockdVerb.Q) {
            service.count(word);
        }
        switch (word) {
            case G -> claim(ResourceKind.LOCK, argument);
            case R -> unclaim(ResourceKind.LOCK, argument);
            case I -> inspect(ResourceKind.LOCK, argument);
            case SG -> claim(ResourceKind.SHARED, argument);
            case SR -> unclaim(ResourceKind.SHARED, argument);
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

    private void claim(ResourceKind resourceKind, ByteString name) {
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

    private void unclaim(ResourceKind resourceKind, ByteString name) {
        submit(
                new Command.ReleaseBySession(
                        session().id(), nextRequest(), resourceKind, key(name)));
    }

    private void inspect(ResourceKind resourceKind, ByteString name) {
        submit(new Command.Inspect(session().id(), nextRequest(), resourceKind, key(name)));
    }

    private void refuse(ResourceKind resourceKind, byte[] name) {
        ByteBuf out = beginAnswer();
        if (resourceKind == ResourceKind.LOCK) {
            LockdEncoder.notAcquired(name, out);
        } else {
            LockdEncoder.sharedNotAcquired(name, out);
        }
        endAnswer(out);
    }

    private void list(ListingStream.Form form, ResourceKind resourceKind, ByteString name) {
        if (access.allowDump()) {
            stream(new ListingStream(this, service, form, resourceKind, name));
        } else {
            disabled();
        }
    }

    private void me() {
        ByteBuf out = beginAnswer();
        LockdEncoder.me(name(), service.registry.nameOf(session().id()), out);
        endAnswer(out);
    }

    private void iam(ByteString name) {
        if (!access.enableRegistry()) {
            disabled();
            return;
        }
        if (name.isEmpty()) {
            service.unregister(session().id());
        } else if (!service.register(session().id(), name(), name)) {
            abort(); // there is no answer for it, and memory must be had again
            return;
        }
        if (service.verbose) {
            service.logEvent(name() + " changed their name to '" + name + "'");
        }
        ByteBuf out = beginAnswer();
        LockdEncoder.ok(out);
        endAnswer(out);
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
        ByteBuf out = beginAnswer();
        service.writeStats(out);
        endAnswer(out);
        service.count(LockdVerb.Q); // the one being answered is not part of its answer
    }

    private void disabled() {
        ByteBuf out = beginAnswer();
        LockdEncoder.disabled(out);
        endAnswer(out);
    }

    // ---- answers

    @Override
    protected void respond(Command.Keyed asked, Effect effect) {
        if (effect instanceof Effect.Refused && asked instanceof Command.Inspect) {
            finish(); // nobody could say, and either answer might be wrong
            return;
        }
        byte[] name = asked.key().bytes();
        boolean mutex =
                asked instanceof Command.Locking locking && locking.kind() == ResourceKind.LOCK;
        ByteBuf out = beginAnswer();
        switch (effect) {
            case Effect.TryAcquired tryAcquired -> {
                if (mutex) {
                    LockdEncoder.acquired(name, tryAcquired.isNew(), out);
                } else {
                    LockdEncoder.sharedAcquired(name, tryAcquired.holders(), out);
                }
            }
            case Effect.Released _ -> {
                if (mutex) {
                    LockdEncoder.released(name, true, out);
                } else {
                    LockdEncoder.sharedReleased(name, true, out);
                }
            }
            case Effect.Inspected inspected -> {
                if (mutex) {
                    LockdEncoder.inspected(name, inspected.holders() > 0, inspected.own(), out);
                } else {
                    LockdEncoder.sharedInspected(name, inspected.holders(), out);
                }
            }
            case Effect.Refused _ -> answerRefused(asked, mutex, out);
            default -> throw new IllegalStateException("no lockd command asks for " + effect);
        }
        endAnswer(out);
        if (service.verbose) {
            logResponse(asked, effect, mutex ? "lock" : "shared lock");
        }
    }

    private static void answerRefused(Command.Keyed asked, boolean mutex, ByteBuf out) {
        byte[] name = asked.key().bytes();
        if (asked instanceof Command.TryAcquire) {
            if (mutex) {
                LockdEncoder.notAcquired(name, out);
            } else {
                LockdEncoder.sharedNotAcquired(name, out);
            }
        } else if (mutex) {
            LockdEncoder.released(name, false, out);
        } else {
            LockdEncoder.sharedReleased(name, false, out);
        }
    }

    private void logResponse(Command.Keyed asked, Effect effect, String what) {
        ByteString lock = ByteString.of(asked.key().bytes());
        if (effect instanceof Effect.TryAcquired tryAcquired && tryAcquired.isNew()) {
            service.logEvent(name() + " obtained " + what + " for " + lock);
        } else if (effect instanceof Effect.Released) {
            service.logEvent(name() + " released " + what + " for " + lock);
        }
    }

    @Override
    protected void respondDraining() {} // nothing waits
}
