package io.holdfast.socketlock;

import io.holdfast.socketlock.LockTable.Request;
import io.holdfast.socketlock.LockTable.Session;
import io.holdfast.socketlock.LockTable.State;
import io.holdfast.socketlock.internal.primary.HoldRecord;
import io.holdfast.socketlock.internal.primary.ProcessIdentity;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The primary's side of the protocol for one connection: executes lines and sends the responses.
 * The caller advances the table before and after each line.
 */
final class PrimaryProtocolHandler implements LockTable.Sink {
    private static final String HELLO = "HELLO";
    private static final String INVALID_TTL = "invalid ttl";
    private static final String INVALID_LOCK_ID = "invalid lock id";
    private static final String OFFER_REJECTED = "offer rejected";

    /** Who chooses the id of a client; determined by its first greeting. */
    private enum IdSource {
        CLIENT,
        SERVER
    }

    private final PrimaryContext context;
    private final LockTable table;
    private final LockEventDispatcher events;
    private final Consumer<String> out;
    private final Session session = new Session(this);
    private final Map<Request, HoldRecord> records = new HashMap<>();
    private ProcessIdentity process = ProcessIdentity.UNKNOWN;
    private @Nullable IdSource idSource;
    private String id = "";

    /**
     * @param out receives each line for the client, without its line end
     */
    PrimaryProtocolHandler(PrimaryContext context, Consumer<String> out) {
        this.context = context;
        this.table = context.table();
        this.events = context.events();
        this.out = out;
    }

    /**
     * Executes a line.
     *
     * @return false if the client requested the end of the connection
     */
    boolean line(List<String> fields, long nowNanos) {
        if (fields.size() == 1 && fields.get(0).equals(HELLO)) {
            greeted(IdSource.SERVER, idSource == null ? context.newClientId() : id);
            out.accept("CONNECTED " + id);
            return true;
        }
        if (fields.size() < 2) {
            return true;
        }
        String verb = fields.get(1);
        if (idSource == null && verb.equals(HELLO)) {
            greeted(IdSource.CLIENT, fields.get(0));
            out.accept(id + " CONNECTED");
            return true;
        }
        if (idSource == null || !fields.get(0).equals(id)) {
            return true;
        }
        if (verb.equals("EOL")) {
            return false;
        }
        execute(verb, fields.subList(2, fields.size()), nowNanos);
        return true;
    }

    private void greeted(IdSource requested, String name) {
        if (idSource == null) {
            idSource = requested;
            id = name;
        }
        events.add(LockEvent.Type.HELLO, id);
        events.add(LockEvent.Type.CLIENT_CONNECTED, id);
        events.add(LockEvent.Type.CONNECTED, id);
    }

    private void execute(String verb, List<String> arguments, long nowNanos) {
        switch (verb) {
            case HELLO -> {
                greeted(IdSource.CLIENT, id);
                out.accept(idSource == IdSource.CLIENT ? id + " CONNECTED" : "CONNECTED " + id);
            }
            case "PING" -> {
                events.add(LockEvent.Type.PING, id);
                reply("PONG");
                events.add(LockEvent.Type.PONG, id);
            }
            case "REQREAD" -> request(LockMode.READ, arguments, nowNanos);
            case "REQWRITE" -> request(LockMode.WRITE, arguments, nowNanos);
            case "CONFIRM", "REJECT", "RELEASE", "STATUS" -> {
                if (!arguments.isEmpty()) {
                    executeOnRequest(verb, String.join(" ", arguments), nowNanos);
                }
            }
            default -> extension(verb, arguments, nowNanos);
        }
    }

    // ---- requests

    private void request(LockMode mode, List<String> arguments, long nowNanos) {
        boolean chooseId =
                idSource == IdSource.CLIENT
                        && (arguments.isEmpty() || PrimarySyntax.isInteger(arguments.get(0)));
        if (arguments.isEmpty() && !chooseId) {
            fail(INVALID_TTL, "", mode, Duration.ZERO);
            return;
        }
        String lockId = chooseId ? freshLockId() : arguments.get(0);
        int position = chooseId ? 0 : 1;
        Duration ttl = Duration.ZERO;
        if (arguments.size() > position) {
            OptionalLong seconds = PrimarySyntax.seconds(arguments.get(position));
            if (seconds.isEmpty()) {
                fail(INVALID_TTL, "", mode, Duration.ZERO);
                return;
            }
            ttl = Duration.ofSeconds(seconds.getAsLong());
        }
        Duration max = context.config().maxTtl();
        if (!max.isZero() && ttl.compareTo(max) > 0) {
            fail("timeout too long", chooseId ? "" : lockId, mode, ttl);
            return;
        }
        switch (table.enqueue(session, lockId, mode, nanos(ttl), nowNanos)) {
            case QUEUED -> events.add(LockEvent.Type.LOCK_REQUESTED, id, lockId, mode, ttl, "");
            case IN_USE -> fail(INVALID_LOCK_ID, lockId, mode, Duration.ZERO);
            case TOO_MANY -> fail("too many requests", lockId, mode, Duration.ZERO);
        }
    }

    private String freshLockId() {
        String lockId = PrimaryContext.newLockId();
        while (session.find(lockId) != null) {
            lockId = PrimaryContext.newLockId();
        }
        return lockId;
    }

    private static long nanos(Duration ttl) {
        return Math.min(TimeUnit.NANOSECONDS.convert(ttl), LockTable.MAX_NANOS);
    }

    // ---- commands executeOnRequest a request

    private void executeOnRequest(String verb, String lockId, long nowNanos) {
        Request request = session.find(lockId);
        if (verb.equals("STATUS")) {
            status(request, lockId);
        } else if (request == null) {
            fail(INVALID_LOCK_ID, lockId, null, Duration.ZERO);
        } else if (verb.equals("CONFIRM")) {
            confirm(request, nowNanos);
        } else if (verb.equals("REJECT")) {
            reject(request);
        } else {
            release(request);
        }
    }

    private void status(@Nullable Request request, String lockId) {
        boolean held = request != null && table.reportStatus(request);
        reply((held ? "LOCKOK " : "LOCKTIMEOUT ") + lockId);
        events.add(
                held ? LockEvent.Type.STATUS_OK : LockEvent.Type.STATUS_TIMEOUT, id, lockId, null);
    }

    private void confirm(Request request, long nowNanos) {
        if (request.state() != State.OFFERED || !ensureListed(request)) {
            return;
        }
        table.confirm(request, nowNanos);
        events.add(LockEvent.Type.LOCK_CONFIRMED, id, request.lockId(), request.mode());
    }

    private void reject(Request request) {
        State previous = request.state();
        table.reject(request);
        events.add(
                LockEvent.Type.LOCK_REJECTED,
                id,
                request.lockId(),
                request.mode(),
                Duration.ZERO,
                OFFER_REJECTED);
        if (previous == State.OFFERED) {
            unlist(request);
            fail(OFFER_REJECTED, request.lockId(), request.mode(), Duration.ZERO);
        }
    }

    private void release(Request request) {
        table.release(request);
        unlist(request);
        if (request.state() != State.EXPIRED) { // expired() has sent the event
            events.add(LockEvent.Type.LOCK_RELEASED, id, request.lockId(), request.mode());
        }
    }

    // ---- extensions, which only Holdfast's clients send

    private void extension(String verb, List<String> arguments, long nowNanos) {
        switch (verb) {
            case "EPOCH" -> {
                if (arguments.isEmpty()) {
                    reply("EPOCH " + context.epoch());
                }
            }
            case "PROCESS" -> {
                if (arguments.size() == 1) {
                    process = ProcessIdentity.parse(arguments.get(0));
                }
            }
            case "REASSERT" -> reassert(arguments, nowNanos);
            case "SETTLED" -> {
                if (arguments.isEmpty()) {
                    context.reassertionsDone(id, process);
                    context.endGrace(nowNanos);
                }
            }
            case "TOKEN" -> {
                if (arguments.size() == 1) {
                    token(arguments.get(0));
                }
            }
            default -> {} // unknown verbs are ignored
        }
    }

    private void reassert(List<String> arguments, long nowNanos) {
        if (arguments.size() != 3 && arguments.size() != 4) {
            return;
        }
        String lockId = arguments.get(0);
        String mode = arguments.get(1);
        OptionalLong epoch = PrimarySyntax.number(arguments.get(2));
        OptionalLong left =
                arguments.size() == 4
                        ? PrimarySyntax.seconds(arguments.get(3))
                        : OptionalLong.of(0); // none
        boolean isMode = mode.equals(LockMode.READ.name()) || mode.equals(LockMode.WRITE.name());
        if (isMode && epoch.isPresent() && left.isPresent() && session.find(lockId) == null) {
            reassert(
                    lockId,
                    LockMode.valueOf(mode),
                    epoch.getAsLong(),
                    Duration.ofSeconds(left.getAsLong()),
                    nowNanos);
        }
    }

    private void reassert(String lockId, LockMode mode, long epoch, Duration left, long nowNanos) {
        if (!table.isSuspended() || context.isLost()) {
            return;
        }
        HoldRecord hold = context.inherited(mode, id, lockId, epoch, process);
        if (hold == null) {
            return;
        }
        if (table.canReassert(session, lockId, mode)) {
            Request request = table.reassert(session, lockId, mode, nanos(left), nowNanos);
            records.put(request, hold);
        } else {
            context.erase(hold);
        }
        context.reassertionHandled();
        context.endGrace(nowNanos);
    }

    private void token(String lockId) {
        Request request = session.find(lockId);
        reply(
                request != null && request.state() == State.HELD
                        ? "TOKEN " + lockId + " " + request.fence()
                        : "LOCKTIMEOUT " + lockId);
    }

    // ---- notifications of the table

    @Override
    public void offered(Request request, long nowNanos) {
        // Holdfast's clients hold after a positive STATUS, all others as soon as they confirm:
        // their holds must be listed before the offer.
        if (context.mayOffer(nowNanos) && (process.isKnown() || ensureListed(request))) {
            reply(
                    (request.mode() == LockMode.READ ? "READLOCK " : "WRITELOCK ")
                            + request.lockId());
            events.add(LockEvent.Type.LOCK_OFFERED, id, request.lockId(), request.mode());
        }
    }

    @Override
    public void failed(Request request) {
        unlist(request);
        String limit = request.state() == State.QUEUED ? "lock" : "confirm";
        fail("timeout waiting for " + limit, request.lockId(), request.mode(), Duration.ZERO);
    }

    @Override
    public void expired(Request request) {
        unlist(request);
        events.add(LockEvent.Type.LOCK_RELEASED, id, request.lockId(), request.mode());
    }

    /** Called at the end of the connection: removes its requests and holds. */
    void close() {
        table.close(session).forEach(this::unlist);
        if (idSource != null) {
            events.add(LockEvent.Type.CLIENT_DISCONNECTED, id);
        }
    }

    // ---- helpers

    /**
     * Lists a hold that is executeOnRequest to begin, if it is not listed yet; false if it must not
     * be granted.
     */
    private boolean ensureListed(Request request) {
        if (records.containsKey(request)) {
            return true;
        }
        HoldRecord hold = context.record(request, id, process);
        if (hold == null) {
            return false;
        }
        records.put(request, hold);
        return true;
    }

    private void unlist(Request request) {
        HoldRecord hold = records.remove(request);
        if (hold != null) {
            context.erase(hold);
        }
    }

    private void fail(String reason, String lockId, @Nullable LockMode mode, Duration ttl) {
        reply("REQFAIL " + reason);
        events.add(LockEvent.Type.REQUEST_FAILED, id, lockId, mode, ttl, reason);
    }

    private void reply(String text) {
        out.accept(id + " " + text);
    }
}
