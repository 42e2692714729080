package io.holdfast.cluster.entry;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.DataOperation.End;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Mode;
import io.holdfast.engine.Token;

/** Commands as bytes: what it is, session, request and key, and then what only this one says. */
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
                out.span(c.waitNanos());
                out.span(c.leaseNanos());
                out.fixed(c.salt());
                terms(c.terms(), out);
            }
            case Command.Enqueue c -> {
                kind(c.kind(), out);
                out.number(c.limit());
                out.span(c.leaseNanos());
                out.fixed(c.salt());
                mode(c.mode(), out);
            }
            case Command.Await c -> {
                kind(c.kind(), out);
                out.span(c.waitNanos());
            }
            case Command.Release c -> {
                kind(c.kind(), out);
                token(c.token(), out);
            }
            case Command.Renew c -> {
                kind(c.kind(), out);
                token(c.token(), out);
                out.span(c.leaseNanos());
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
                out.span(c.waitNanos());
                out.span(c.confirmNanos());
                out.span(c.leaseNanos());
                out.fixed(c.salt());
            }
            case Command.OnTrackedRequest c -> out.number(c.targetRequest());
            case Command.Suspend _ -> {}
            case Command.Resume _ -> {}
            case Command.Reassert c -> {
                mode(c.mode(), out);
                out.span(c.leaseNanos());
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
                out.span(ttlNanos);
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
            case Command.Acquire _ -> Tags.ACQUIRE;
            case Command.Enqueue _ -> Tags.ENQUEUE;
            case Command.Await _ -> Tags.AWAIT;
            case Command.Release _ -> Tags.RELEASE;
            case Command.Renew _ -> Tags.RENEW;
            case Command.TryAcquire _ -> Tags.TRY_ACQUIRE;
            case Command.ReleaseBySession _ -> Tags.RELEASE_BY_SESSION;
            case Command.Inspect _ -> Tags.INSPECT;
            case Command.ForceRelease _ -> Tags.FORCE_RELEASE;
            case Command.Cancel _ -> Tags.CANCEL;
            case Command.RequestOffer _ -> Tags.REQUEST_OFFER;
            case Command.Confirm _ -> Tags.CONFIRM;
            case Command.Decline _ -> Tags.DECLINE;
            case Command.CancelOrRelease _ -> Tags.CANCEL_OR_RELEASE;
            case Command.QueryStatus _ -> Tags.QUERY_STATUS;
            case Command.Suspend _ -> Tags.SUSPEND;
            case Command.Resume _ -> Tags.RESUME;
            case Command.Reassert _ -> Tags.REASSERT;
            case Command.Data data -> tag(data.operation());
        };
    }

    private static int tag(DataOperation operation) {
        return switch (operation) {
            case DataOperation.Increment _ -> Tags.INCREMENT;
            case DataOperation.Decrement _ -> Tags.DECREMENT;
            case DataOperation.GetCounter _ -> Tags.GET_COUNTER;
            case DataOperation.SetCounter _ -> Tags.SET_COUNTER;
            case DataOperation.SetValue _ -> Tags.SET_VALUE;
            case DataOperation.GetValue _ -> Tags.GET_VALUE;
            case DataOperation.DeleteValue _ -> Tags.DELETE_VALUE;
            case DataOperation.Push _ -> Tags.PUSH;
            case DataOperation.Pop _ -> Tags.POP;
            case DataOperation.Length _ -> Tags.LENGTH;
            case DataOperation.Range _ -> Tags.RANGE;
        };
    }

    /** Reads what follows the tag and the session. */
    static Command.Keyed read(int tag, long session, ByteReader in) throws EncodingException {
        long request = in.number();
        Key key = in.key();
        return switch (tag) {
            case Tags.ACQUIRE ->
                    new Command.Acquire(
                            session,
                            request,
                            kind(in),
                            key,
                            in.number(),
                            in.span(),
                            in.span(),
                            in.fixed(),
                            terms(in));
            case Tags.ENQUEUE ->
                    new Command.Enqueue(
                            session,
                            request,
                            kind(in),
                            key,
                            in.number(),
                            in.span(),
                            in.fixed(),
                            mode(in));
            case Tags.AWAIT -> new Command.Await(session, request, kind(in), key, in.span());
            case Tags.RELEASE -> new Command.Release(session, request, kind(in), key, token(in));
            case Tags.RENEW ->
                    new Command.Renew(session, request, kind(in), key, token(in), in.span());
            case Tags.TRY_ACQUIRE ->
                    new Command.TryAcquire(session, request, kind(in), key, in.fixed());
            case Tags.RELEASE_BY_SESSION ->
                    new Command.ReleaseBySession(session, request, kind(in), key);
            case Tags.INSPECT -> new Command.Inspect(session, request, kind(in), key);
            case Tags.FORCE_RELEASE ->
                    new Command.ForceRelease(session, request, kind(in), key, in.number());
            case Tags.CANCEL -> new Command.Cancel(session, request, kind(in), key);
            case Tags.REQUEST_OFFER ->
                    new Command.RequestOffer(
                            session,
                            request,
                            key,
                            mode(in),
                            in.span(),
                            in.span(),
                            in.span(),
                            in.fixed());
            case Tags.CONFIRM -> new Command.Confirm(session, request, key, in.number());
            case Tags.DECLINE -> new Command.Decline(session, request, key, in.number());
            case Tags.CANCEL_OR_RELEASE ->
                    new Command.CancelOrRelease(session, request, key, in.number());
            case Tags.QUERY_STATUS -> new Command.QueryStatus(session, request, key, in.number());
            case Tags.SUSPEND -> new Command.Suspend(session, request, key);
            case Tags.RESUME -> new Command.Resume(session, request, key);
            case Tags.REASSERT ->
                    new Command.Reassert(session, request, key, mode(in), in.span(), in.fixed());
            default -> new Command.Data(session, request, key, readOperation(tag, in));
        };
    }

    private static DataOperation readOperation(int tag, ByteReader in) throws EncodingException {
        return switch (tag) {
            case Tags.INCREMENT -> new DataOperation.Increment(in.signed());
            case Tags.DECREMENT -> new DataOperation.Decrement(in.signed());
            case Tags.GET_COUNTER -> new DataOperation.GetCounter();
            case Tags.SET_COUNTER -> new DataOperation.SetCounter(in.signed());
            case Tags.SET_VALUE -> new DataOperation.SetValue(in.byteString(), in.span());
            case Tags.GET_VALUE -> new DataOperation.GetValue();
            case Tags.DELETE_VALUE -> new DataOperation.DeleteValue();
            case Tags.PUSH -> new DataOperation.Push(end(in), in.byteString());
            case Tags.POP -> new DataOperation.Pop(end(in));
            case Tags.LENGTH -> new DataOperation.Length();
            case Tags.RANGE -> new DataOperation.Range(in.signed(), in.signed());
            default -> throw in.wrong("no known item but %d".formatted(tag));
        };
    }

    private static void kind(Kind kind, ByteWriter out) {
        out.octet(
                switch (kind) {
                    case LOCK -> Tags.LOCK;
                    case SEMAPHORE -> Tags.SEMAPHORE;
                    case SHARED -> Tags.SHARED;
                });
    }

    private static Kind kind(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case Tags.LOCK -> Kind.LOCK;
            case Tags.SEMAPHORE -> Kind.SEMAPHORE;
            case Tags.SHARED -> Kind.SHARED;
            default -> throw in.wrong("no known kind but %d".formatted(tag));
        };
    }

    private static void mode(Mode mode, ByteWriter out) {
        out.octet(
                switch (mode) {
                    case READ -> Tags.READ;
                    case WRITE -> Tags.WRITE;
                });
    }

    private static Mode mode(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case Tags.READ -> Mode.READ;
            case Tags.WRITE -> Mode.WRITE;
            default -> throw in.wrong("no known mode but %d".formatted(tag));
        };
    }

    private static void end(End end, ByteWriter out) {
        out.octet(
                switch (end) {
                    case FRONT -> Tags.FRONT;
                    case BACK -> Tags.BACK;
                });
    }

    private static End end(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case Tags.FRONT -> End.FRONT;
            case Tags.BACK -> End.BACK;
            default -> throw in.wrong("no known end of a list but %d".formatted(tag));
        };
    }

    private static void terms(HoldAttributes holdAttributes, ByteWriter out) {
        int write =
                switch (holdAttributes.mode()) {
                    case READ -> 0;
                    case WRITE -> Tags.TERMS_WRITE;
                };
        int bound = holdAttributes.bound() ? Tags.TERMS_BOUND : 0;
        int tracked = holdAttributes.tracked() ? Tags.TERMS_TRACKED : 0;
        out.octet(write | bound | tracked);
    }

    private static HoldAttributes terms(ByteReader in) throws EncodingException {
        int bits = in.octet();
        if (bits == (Tags.TERMS_WRITE | Tags.TERMS_BOUND)) {
            return HoldAttributes.PLAIN;
        }
        if ((bits & ~(Tags.TERMS_WRITE | Tags.TERMS_BOUND | Tags.TERMS_TRACKED)) != 0) {
            throw in.wrong("no known terms but %d".formatted(bits));
        }
        return new HoldAttributes(
                (bits & Tags.TERMS_WRITE) != 0 ? Mode.WRITE : Mode.READ,
                (bits & Tags.TERMS_BOUND) != 0,
                (bits & Tags.TERMS_TRACKED) != 0);
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
