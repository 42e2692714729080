package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.LockTable.Request;
import io.holdfast.client.socketlock.LockTable.Session;
import io.holdfast.client.socketlock.LockTable.State;
import io.holdfast.client.socketlock.primary.HoldRecord;
import io.holdfast.client.socketlock.primary.ProcessIdentity;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The primary's side of one conversation: what a line means and what is answered. The caller
 * settles the table before and after each line.
 */
final class PrimaryProtocolHandler implements LockTable.Sink {
    private static final String HELLO = "HELLO";
    private static final String INVALID_TTL = "invalid ttl";
    private static final String INVALID_LOCK_ID = "invalid lock id";
    private static final String OFFER_REJECTED = "offer rejected";

    /** How a client may greet; the first greeting decides. */
    private enum Dialect {
        /** The client brings its id. */
        NAMED,
        /** The server makes it. */
        ASSIGNED
    }

    private final PrimaryContext desk;
    private final LockTable table;
    private final LockEventDispatcher events;
    private final Consumer<String> out;
    private final Session session = new Session(this);
    private final Map<Request, HoldRecord> records = new HashMap<>();
    private ProcessIdentity process = ProcessIdentity.UNKNOWN;
    private @Nullable Dialect dialect;
    private String id = "";

    /**
     * @param out takes each line for the client, without its end
     */
    PrimaryProtocolHandler(PrimaryContext desk, Consumer<String> out) {
        this.desk = desk;
        this.table = desk.table();
        this.events = desk.events();
        this.out = out;
    }

    /**
     * Executes a line.
     *
     * @return false if the client wants the connection to end
     */
    boolean line(List<String> fields, long nowNanos) {
        if (fields.size() == 1 && fields.get(0).equals(HELLO)) {
            greeted(Dialect.ASSIGNED, dialect == null ? desk.newClientId() : id);
            out.accept("CONNECTED " + id);
            return true;
        }
        if (fields.size() < 2) {
            return true;
        }
        String verb = fields.get(1);
        if (dialect == null && verb.equals(HELLO)) {
            greeted(Dialect.NAMED, fields.get(0));
            out.accept(id + " CONNECTED");
            return true;
        }
        if (dialect == null || !fields.get(0).equals(id)) {
            return true;
        }
        if (verb.equals("EOL")) {
            return false;
        }
        execute(verb, fields.subList(2, fields.size()), nowNanos);
        return true;
    }

    private void greeted(Dialect wanted, String name) {
        if (dialect == null) {
            dialect = wanted;
            id = name;
        }
        events.add(LockEvent.Type.HELLO, id);
        events.add(LockEvent.Type.CLIENT_CONNECTED, id);
        events.add(LockEvent.Type.CONNECTED, id);
    }

    private void execute(String verb, List<String> arguments, long nowNanos) {
        switch (verb) {
            case HELLO -> {
                greeted(Dialect.NAMED, id);
                out.accept(dialect == Dialect.NAMED ? id + " CONNECTED" : "CONNECTED " + id);
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
                    about(verb, String.join(" ", arguments), nowNanos);
                }
            }
            default -> extension(verb, arguments, nowNanos);
        }
    }

    // ---- requests

    private void request(LockMode mode, List<String> arguments, long nowNanos) {
        boolean chooseId =
                dialect == Dialect.NAMED
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
        Duration most = desk.config().maxTtl();
        if (!most.isZero() && ttl.compareTo(most) > 0) {
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

    // ---- commands about a request

    private void about(String verb, String lockId, long nowNanos) {
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
        if (request.state() != State.OFFERED || !isListed(request)) {
            return;
        }
        table.confirm(request, nowNanos);
        events.add(LockEvent.Type.LOCK_CONFIRMED, id, request.lockId(), request.mode());
    }

    private void reject(Request request) {
        State was = request.state();
        table.reject(request);
        events.add(
                LockEvent.Type.LOCK_REJECTED,
                id,
                request.lockId(),
                request.mode(),
                Duration.ZERO,
                OFFER_REJECTED);
        if (was == State.OFFERED) {
            unlist(request);
            fail(OFFER_REJECTED, request.lockId(), request.mode(), Duration.ZERO);
        }
    }

    private void release(Request request) {
        table.release(request);
        unlist(request);
        if (request.state() != State.EXPIRED) { // that was told when it happened
            events.add(LockEvent.Type.LOCK_RELEASED, id, request.lockId(), request.mode());
        }
    }

    // ---- what only our own clients send

    private void extension(String verb, List<String> arguments, long nowNanos) {
        switch (verb) {
            case "EPOCH" -> {
                if (arguments.isEmpty()) {
                    reply("EPOCH " + desk.epoch());
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
                    desk.reassertionsDone(id, process);
                    desk.endGrace(nowNanos);
                }
            }
            case "TOKEN" -> {
                if (arguments.size() == 1) {
                    token(arguments.get(0));
                }
            }
            default -> {} // of no meaning here
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
        if (!table.isSuspended() || desk.isLost()) {
            return;
        }
        HoldRecord hold = desk.inherited(mode, id, lockId, epoch, process);
        if (hold == null) {
            return;
        }
        if (table.canReassert(session, lockId, mode)) {
            Request request = table.reassert(session, lockId, mode, nanos(left), nowNanos);
            records.put(request, hold);
        } else {
            desk.erase(hold);
        }
        desk.booked();
        desk.endGrace(nowNanos);
    }

    private void token(String lockId) {
        Request request = session.find(lockId);
        reply(
                request != null && request.state() == State.HELD
                        ? "TOKEN " + lockId + " " + request.fence()
                        : "LOCKTIMEOUT " + lockId);
    }

    // ---- what the table did

    @Override
    public void offered(Request request, long nowNanos) {
        // Our own clients hold when STATUS says so, all others as soon as they confirm.
        if (desk.mayOffer(nowNanos) && (process.isKnown() || isListed(request))) {
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

    /** The connection has ended, and with it everything of this conversation. */
    void close() {
        table.close(session).forEach(this::unlist);
        if (dialect != null) {
            events.add(LockEvent.Type.CLIENT_DISCONNECTED, id);
        }
    }

    // ---- the parts of all of these

    /** Lists a hold that is about to begin; false if nobody may have it. */
    private boolean isListed(Request request) {
        if (records.containsKey(request)) {
            return true;
        }
        HoldRecord hold = desk.record(request, id, process);
        if (hold == null) {
            return false;
        }
        records.put(request, hold);
        return true;
    }

    private void unlist(Request request) {
        HoldRecord hold = records.remove(request);
        if (hold != null) {
            desk.erase(hold);
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
