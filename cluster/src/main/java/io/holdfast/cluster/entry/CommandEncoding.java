package io.holdfast.cluster.entry;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.DataOperation.End;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

/** Encodes commands: tag, session, request and key, and then the fields of the command. */
final class CommandEncoding {
    private CommandEncoding() {}

    static void write(Command.Keyed command, long base, ByteWriter out) {
        out.octet(tag(command));
        out.number(command.session() - base);
        out.number(command.request());
        out.key(command.key());
        switch (command) {
            case Command.ReadWrite readWrite -> writeReadWrite(readWrite, out);
            case Command.Data data -> writeOperation(data.operation(), out);
            case Command.Acquire c -> {
                kind(c.kind(), out);
                out.number(c.limit());
                out.duration(c.waitNanos());
                out.duration(c.leaseNanos());
                out.fixed(c.salt());
                attributes(c.attributes(), out);
            }
            case Command.Enqueue c -> {
                kind(c.kind(), out);
                out.number(c.limit());
                out.duration(c.leaseNanos());
                out.fixed(c.salt());
                mode(c.mode(), out);
            }
            case Command.Await c -> {
                kind(c.kind(), out);
                out.duration(c.waitNanos());
            }
            case Command.Release c -> {
                kind(c.kind(), out);
                token(c.token(), out);
            }
            case Command.Renew c -> {
                kind(c.kind(), out);
                token(c.token(), out);
                out.duration(c.leaseNanos());
            }
            case Command.TryAcquire c -> {
                kind(c.kind(), out);
                out.fixed(c.salt());
            }
            case Command.ReleaseBySession c -> kind(c.kind(), out);
            case Command.Inspect c -> kind(c.kind(), out);
            case Command.ForceRelease c -> {
                kind(c.kind(), out);
                out.number(c.fence());
            }
            case Command.Cancel c -> kind(c.kind(), out);
        }
    }

    private static void writeReadWrite(Command.ReadWrite command, ByteWriter out) {
        switch (command) {
            case Command.RequestOffer c -> {
                mode(c.mode(), out);
                out.duration(c.waitNanos());
                out.duration(c.confirmNanos());
                out.duration(c.leaseNanos());
                out.fixed(c.salt());
            }
            case Command.OnTrackedRequest c -> out.number(c.targetRequest());
            case Command.Suspend _ -> {}
            case Command.Resume _ -> {}
            case Command.Reassert c -> {
                mode(c.mode(), out);
                out.duration(c.leaseNanos());
                out.fixed(c.salt());
            }
        }
    }

    private static void writeOperation(DataOperation operation, ByteWriter out) {
        switch (operation) {
            case DataOperation.Increment(long delta) -> out.signed(delta);
            case DataOperation.Decrement(long delta) -> out.signed(delta);
            case DataOperation.GetCounter() -> {}
            case DataOperation.SetCounter(long value) -> out.signed(value);
            case DataOperation.SetValue(var value, long ttlNanos) -> {
                out.bytes(value);
                out.duration(ttlNanos);
            }
            case DataOperation.GetValue() -> {}
            case DataOperation.DeleteValue() -> {}
            case DataOperation.Push(var end, var item) -> {
                end(end, out);
                out.bytes(item);
            }
            case DataOperation.Pop(var end) -> end(end, out);
            case DataOperation.Length() -> {}
            case DataOperation.Range(long first, long last) -> {
                out.signed(first);
                out.signed(last);
            }
        }
    }

    private static int tag(Command.Keyed command) {
        return switch (command) {
            case Command.Acquire _ -> LogEntryTags.ACQUIRE;
            case Command.Enqueue _ -> LogEntryTags.ENQUEUE;
            case Command.Await _ -> LogEntryTags.AWAIT;
            case Command.Release _ -> LogEntryTags.RELEASE;
            case Command.Renew _ -> LogEntryTags.RENEW;
            case Command.TryAcquire _ -> LogEntryTags.TRY_ACQUIRE;
            case Command.ReleaseBySession _ -> LogEntryTags.RELEASE_BY_SESSION;
            case Command.Inspect _ -> LogEntryTags.INSPECT;
            case Command.ForceRelease _ -> LogEntryTags.FORCE_RELEASE;
            case Command.Cancel _ -> LogEntryTags.CANCEL;
            case Command.RequestOffer _ -> LogEntryTags.REQUEST_OFFER;
            case Command.Confirm _ -> LogEntryTags.CONFIRM;
            case Command.Decline _ -> LogEntryTags.DECLINE;
            case Command.CancelOrRelease _ -> LogEntryTags.CANCEL_OR_RELEASE;
            case Command.QueryStatus _ -> LogEntryTags.QUERY_STATUS;
            case Command.Suspend _ -> LogEntryTags.SUSPEND;
            case Command.Resume _ -> LogEntryTags.RESUME;
            case Command.Reassert _ -> LogEntryTags.REASSERT;
            case Command.Data data -> tag(data.operation());
        };
    }

    private static int tag(DataOperation operation) {
        return switch (operation) {
            case DataOperation.Increment _ -> LogEntryTags.INCREMENT;
            case DataOperation.Decrement _ -> LogEntryTags.DECREMENT;
            case DataOperation.GetCounter _ -> LogEntryTags.GET_COUNTER;
            case DataOperation.SetCounter _ -> LogEntryTags.SET_COUNTER;
            case DataOperation.SetValue _ -> LogEntryTags.SET_VALUE;
            case DataOperation.GetValue _ -> LogEntryTags.GET_VALUE;
            case DataOperation.DeleteValue _ -> LogEntryTags.DELETE_VALUE;
            case DataOperation.Push _ -> LogEntryTags.PUSH;
            case DataOperation.Pop _ -> LogEntryTags.POP;
            case DataOperation.Length _ -> LogEntryTags.LENGTH;
            case DataOperation.Range _ -> LogEntryTags.RANGE;
        };
    }

    /** Reads what follows the tag and the session. */
    static Command.Keyed read(int tag, long session, ByteReader in) throws EncodingException {
        long request = in.number();
        Key key = in.key();
        return switch (tag) {
            case LogEntryTags.ACQUIRE ->
                    new Command.Acquire(
                            session,
                            request,
                            kind(in),
                            key,
                            in.number(),
                            in.duration(),
                            in.duration(),
                            in.fixed(),
                            attributes(in));
            case LogEntryTags.ENQUEUE ->
                    new Command.Enqueue(
                            session,
                            request,
                            kind(in),
                            key,
                            in.number(),
                            in.duration(),
                            in.fixed(),
                            mode(in));
            case LogEntryTags.AWAIT ->
                    new Command.Await(session, request, kind(in), key, in.duration());
            case LogEntryTags.RELEASE ->
                    new Command.Release(session, request, kind(in), key, token(in));
            case LogEntryTags.RENEW ->
                    new Command.Renew(session, request, kind(in), key, token(in), in.duration());
            case LogEntryTags.TRY_ACQUIRE ->
                    new Command.TryAcquire(session, request, kind(in), key, in.fixed());
            case LogEntryTags.RELEASE_BY_SESSION ->
                    new Command.ReleaseBySession(session, request, kind(in), key);
            case LogEntryTags.INSPECT -> new Command.Inspect(session, request, kind(in), key);
            case LogEntryTags.FORCE_RELEASE ->
                    new Command.ForceRelease(session, request, kind(in), key, in.number());
            case LogEntryTags.CANCEL -> new Command.Cancel(session, request, kind(in), key);
            case LogEntryTags.REQUEST_OFFER ->
                    new Command.RequestOffer(
                            session,
                            request,
                            key,
                            mode(in),
                            in.duration(),
                            in.duration(),
                            in.duration(),
                            in.fixed());
            case LogEntryTags.CONFIRM -> new Command.Confirm(session, request, key, in.number());
            case LogEntryTags.DECLINE -> new Command.Decline(session, request, key, in.number());
            case LogEntryTags.CANCEL_OR_RELEASE ->
                    new Command.CancelOrRelease(session, request, key, in.number());
            case LogEntryTags.QUERY_STATUS ->
                    new Command.QueryStatus(session, request, key, in.number());
            case LogEntryTags.SUSPEND -> new Command.Suspend(session, request, key);
            case LogEntryTags.RESUME -> new Command.Resume(session, request, key);
            case LogEntryTags.REASSERT ->
                    new Command.Reassert(
                            session, request, key, mode(in), in.duration(), in.fixed());
            default -> new Command.Data(session, request, key, readOperation(tag, in));
        };
    }

    private static DataOperation readOperation(int tag, ByteReader in) throws EncodingException {
        return switch (tag) {
            case LogEntryTags.INCREMENT -> new DataOperation.Increment(in.signed());
            case LogEntryTags.DECREMENT -> new DataOperation.Decrement(in.signed());
            case LogEntryTags.GET_COUNTER -> new DataOperation.GetCounter();
            case LogEntryTags.SET_COUNTER -> new DataOperation.SetCounter(in.signed());
            case LogEntryTags.SET_VALUE ->
                    new DataOperation.SetValue(in.byteString(), in.duration());
            case LogEntryTags.GET_VALUE -> new DataOperation.GetValue();
            case LogEntryTags.DELETE_VALUE -> new DataOperation.DeleteValue();
            case LogEntryTags.PUSH -> new DataOperation.Push(end(in), in.byteString());
            case LogEntryTags.POP -> new DataOperation.Pop(end(in));
            case LogEntryTags.LENGTH -> new DataOperation.Length();
            case LogEntryTags.RANGE -> new DataOperation.Range(in.signed(), in.signed());
            default -> throw in.wrong("unknown item tag %d".formatted(tag));
        };
    }

    private static void kind(ResourceKind resourceKind, ByteWriter out) {
        out.octet(
                switch (resourceKind) {
                    case LOCK -> LogEntryTags.LOCK;
                    case SEMAPHORE -> LogEntryTags.SEMAPHORE;
                    case SHARED -> LogEntryTags.SHARED;
                });
    }

    private static ResourceKind kind(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case LogEntryTags.LOCK -> ResourceKind.LOCK;
            case LogEntryTags.SEMAPHORE -> ResourceKind.SEMAPHORE;
            case LogEntryTags.SHARED -> ResourceKind.SHARED;
            default -> throw in.wrong("unknown kind %d".formatted(tag));
        };
    }

    private static void mode(ReadWriteMode readWriteMode, ByteWriter out) {
        out.octet(
                switch (readWriteMode) {
                    case READ -> LogEntryTags.READ;
                    case WRITE -> LogEntryTags.WRITE;
                });
    }

    private static ReadWriteMode mode(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case LogEntryTags.READ -> ReadWriteMode.READ;
            case LogEntryTags.WRITE -> ReadWriteMode.WRITE;
            default -> throw in.wrong("unknown mode %d".formatted(tag));
        };
    }

    private static void end(End end, ByteWriter out) {
        out.octet(
                switch (end) {
                    case FRONT -> LogEntryTags.FRONT;
                    case BACK -> LogEntryTags.BACK;
                });
    }

    private static End end(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case LogEntryTags.FRONT -> End.FRONT;
            case LogEntryTags.BACK -> End.BACK;
            default -> throw in.wrong("unknown end of a list %d".formatted(tag));
        };
    }

    private static void attributes(HoldAttributes holdAttributes, ByteWriter out) {
        int write =
                switch (holdAttributes.mode()) {
                    case READ -> 0;
                    case WRITE -> LogEntryTags.ATTRIBUTES_WRITE;
                };
        int bound = holdAttributes.bound() ? LogEntryTags.ATTRIBUTES_BOUND : 0;
        int tracked = holdAttributes.tracked() ? LogEntryTags.ATTRIBUTES_TRACKED : 0;
        out.octet(write | bound | tracked);
    }

    private static HoldAttributes attributes(ByteReader in) throws EncodingException {
        int bits = in.octet();
        if (bits == (LogEntryTags.ATTRIBUTES_WRITE | LogEntryTags.ATTRIBUTES_BOUND)) {
            return HoldAttributes.PLAIN;
        }
        if ((bits
                        & ~(LogEntryTags.ATTRIBUTES_WRITE
                                | LogEntryTags.ATTRIBUTES_BOUND
                                | LogEntryTags.ATTRIBUTES_TRACKED))
                != 0) {
            throw in.wrong("unknown hold attributes %d".formatted(bits));
        }
        return new HoldAttributes(
                (bits & LogEntryTags.ATTRIBUTES_WRITE) != 0
                        ? ReadWriteMode.WRITE
                        : ReadWriteMode.READ,
                (bits & LogEntryTags.ATTRIBUTES_BOUND) != 0,
                (bits & LogEntryTags.ATTRIBUTES_TRACKED) != 0);
    }

    private static void token(Token token, ByteWriter out) {
        out.fixed(token.fence());
        out.fixed(token.salt());
    }

    private static Token token(ByteReader in) throws EncodingException {
        long fence = in.fixed();
        return new Token(fence, in.fixed());
    }
}
