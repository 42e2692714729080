package io.holdfast.http.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Mode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.Terms;
import io.holdfast.engine.Token;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Fields;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

/**
 * Sessions, and everything they take: locks, semaphores, read/write locks and shared locks; and
 * holds that need no session.
 */
public final class LockRoutes {
    private static final Terms UNBOUND_READ = new Terms(Mode.READ, false, false);
    private static final Terms UNBOUND = new Terms(Mode.WRITE, false, false);
    private static final Terms READ = new Terms(Mode.READ, true, false);

    private final HttpSessions sessions;
    private final long idleSeconds;

    /**
     * Routes that use these sessions.
     *
     * @param idleSeconds what clients are told
     */
    public LockRoutes(HttpSessions sessions, long idleSeconds) {
        this.sessions = sessions;
        this.idleSeconds = idleSeconds;
    }

    public void addTo(Api api) {
        post(api, "/v1/sessions", this::openSession);
        api.add(HttpMethod.DELETE, "/v1/sessions/{id}", Need.USE, this::endSession);
        post(api, "/v1/sessions/{id}/ping", this::ping);

        addLocks(api, "/v1/locks/{key}", Family.LOCK);
        addLocks(api, "/v1/semaphores/{key}", Family.SEMAPHORE);
        addLocks(api, "/v1/rwlocks/{key}", Family.READ_WRITE);

        post(api, "/v1/shared/{key}", this::claim);
        post(api, "/v1/shared/{key}/release", this::unclaim);

        post(api, "/v1/leases/{key}", this::lease);
        post(api, "/v1/leases/{key}/release", this::releaseLease);
        post(api, "/v1/leases/{key}/renew", this::renewLease);
    }

    private static void post(Api api, String template, io.holdfast.http.web.Handler handler) {
        api.add(HttpMethod.POST, template, Need.USE, handler);
    }

    private void addLocks(Api api, String template, Family family) {
        post(api, template, exchange -> acquire(exchange, family));
        post(api, template + "/release", exchange -> release(exchange, family));
        post(api, template + "/renew", exchange -> renew(exchange, family));
        post(api, template + "/enqueue", exchange -> enqueue(exchange, family));
        post(api, template + "/wait", exchange -> await(exchange, family));
    }

    /** The families of routes that have the same verbs. */
    private enum Family {
        LOCK(Kind.MUTEX),
        SEMAPHORE(Kind.SEMAPHORE),
        READ_WRITE(Kind.MUTEX);

        final Kind kind;

        Family(Kind kind) {
            this.kind = kind;
        }

        Key key(Exchange exchange) throws Problem {
            return this == READ_WRITE ? exchange.key() : exchange.plainKey();
        }

        long limit(Fields fields) throws Problem {
            return this == SEMAPHORE ? LockRoutes.limit(fields) : 1;
        }

        Mode mode(Fields fields) throws Problem {
            return this == READ_WRITE ? fields.word("mode", Mode.class, null) : Mode.WRITE;
        }
    }

    // ---- sessions

    private void openSession(Exchange exchange) throws Problem {
        HttpSessions.Created created = sessions.create(exchange);
        exchange.ok(
                        new JsonObject()
                                .put("session_id", created.id())
                                .put("idle_timeout_s", idleSeconds))
                .onFailure(_ -> created.session().end(() -> {})); // nobody knows its id
    }

    private void endSession(Exchange exchange) throws Problem {
        sessions.inPath(exchange).end(exchange::noContent);
    }

    private void ping(Exchange exchange) throws Problem {
        HttpSession _ = sessions.inPath(exchange);
        exchange.noContent();
    }

    // ---- locks and semaphores

    private void acquire(Exchange exchange, Family family) throws Problem {
        Key key = family.key(exchange);
        Fields fields = exchange.body();
        long limit = family.limit(fields);
        Mode mode = family.mode(fields);
        long wait = fields.seconds("acquire_timeout_s");
        long lease = lease(exchange, fields);
        fields.end();
        Terms terms = mode == Mode.READ ? READ : Terms.PLAIN;
        submit(
                exchange,
                true,
                (session, request) ->
                        new Command.Acquire(
                                session,
                                request,
                                family.kind,
                                key,
                                limit,
                                wait,
                                lease,
                                salt(exchange),
                                terms),
                Grants::acquired);
    }

    private void enqueue(Exchange exchange, Family family) throws Problem {
        Key key = family.key(exchange);
        Fields fields = family == Family.LOCK ? exchange.optionalBody() : exchange.body();
        long limit = family.limit(fields);
        Mode mode = family.mode(fields);
        long lease = lease(exchange, fields);
        fields.end();
        submit(
                exchange,
                true,
                (session, request) ->
                        new Command.Enqueue(
                                session,
                                request,
                                family.kind,
                                key,
                                limit,
                                lease,
                                salt(exchange),
                                mode),
                Grants::enqueued);
    }

    private void await(Exchange exchange, Family family) throws Problem {
        Key key = family.key(exchange);
        Fields fields = exchange.body();
        long wait = fields.seconds("timeout_s");
        fields.end();
        submit(
                exchange,
                true,
                (session, request) -> new Command.Await(session, request, family.kind, key, wait),
                Grants::acquired);
    }

    private void release(Exchange exchange, Family family) throws Problem {
        Key key = family.key(exchange);
        Fields fields = exchange.body();
        String text = fields.token("token");
        fields.end();
        HttpSession session = sessions.inHeader(exchange);
        session.submit(releasing(exchange, family.kind, key, token(text)));
    }

    private void renew(Exchange exchange, Family family) throws Problem {
        Key key = family.key(exchange);
        Fields fields = exchange.body();
        String text = fields.token("token");
        long lease = lease(exchange, fields);
        fields.end();
        HttpSession session = sessions.inHeader(exchange);
        session.submit(renewing(exchange, family.kind, key, token(text), lease));
    }

    private static Task releasing(Exchange exchange, Kind kind, Key key, Token token) {
        return new Task(
                exchange,
                false,
                (session, request) -> new Command.Release(session, request, kind, key, token),
                Grants::released);
    }

    private static Task renewing(
            Exchange exchange, Kind kind, Key key, Token token, long leaseNanos) {
        return new Task(
                exchange,
                false,
                (session, request) ->
                        new Command.Renew(session, request, kind, key, token, leaseNanos),
                Grants::renewed);
    }

    private void submit(
            Exchange exchange, boolean creates, Task.Question question, Task.Answer answer)
            throws Problem {
        sessions.inHeader(exchange).submit(new Task(exchange, creates, question, answer));
    }

    // ---- shared locks

    private void claim(Exchange exchange) throws Problem {
        Key key = exchange.key();
        exchange.optionalBody().end();
        submit(
                exchange,
                true,
                (session, request) ->
                        new Command.Claim(session, request, Kind.SHARED, key, salt(exchange)),
                (told, effect) -> {
                    int holders = effect instanceof Effect.Claimed claimed ? claimed.holders() : 0;
                    return told.ok(new JsonObject().put("status", "ok").put("holders", holders));
                });
    }

    private void unclaim(Exchange exchange) throws Problem {
        Key key = exchange.key();
        exchange.optionalBody().end();
        submit(
                exchange,
                false,
                (session, request) -> new Command.Unclaim(session, request, Kind.SHARED, key),
                Grants::released);
    }

    // ---- without a session

    private void lease(Exchange exchange) throws Problem {
        Key key = exchange.key();
        Fields fields = exchange.body();
        boolean many = fields.has("limit");
        long limit = many ? limit(fields) : 1;
        Mode mode = fields.word("mode", Mode.class, Mode.WRITE);
        long wait = fields.seconds("acquire_timeout_s");
        long lease = lease(exchange, fields);
        fields.end();
        if (many && mode == Mode.READ) {
            throw Problem.badRequest("a semaphore has no mode");
        }
        Kind kind = many ? Kind.SEMAPHORE : Kind.MUTEX;
        Terms terms = mode == Mode.READ ? UNBOUND_READ : UNBOUND;
        sessions.once(
                exchange,
                new Task(
                        exchange,
                        true,
                        (session, request) ->
                                new Command.Acquire(
                                        session,
                                        request,
                                        kind,
                                        key,
                                        limit,
                                        wait,
                                        lease,
                                        salt(exchange),
                                        terms),
                        Grants::acquired));
    }

    private void releaseLease(Exchange exchange) throws Problem {
        Key key = exchange.key();
        Fields fields = exchange.body();
        String text = fields.token("token");
        Kind kind = leaseKind(fields);
        fields.end();
        sessions.once(exchange, releasing(exchange, kind, key, token(text)));
    }

    private void renewLease(Exchange exchange) throws Problem {
        Key key = exchange.key();
        Fields fields = exchange.body();
        String text = fields.token("token");
        Kind kind = leaseKind(fields);
        long lease = lease(exchange, fields);
        fields.end();
        sessions.once(exchange, renewing(exchange, kind, key, token(text), lease));
    }

    /** What a lease may be of, in the words of requests. */
    private enum LeaseKind {
        LOCK,
        SEMAPHORE
    }

    private static Kind leaseKind(Fields fields) throws Problem {
        boolean many = fields.has("limit");
        if (many) {
            long _ = limit(fields);
        }
        LeaseKind otherwise = many ? LeaseKind.SEMAPHORE : LeaseKind.LOCK;
        return switch (fields.word("kind", LeaseKind.class, otherwise)) {
            case LOCK -> Kind.MUTEX;
            case SEMAPHORE -> Kind.SEMAPHORE;
        };
    }

    // ---- fields

    private static long limit(Fields fields) throws Problem {
        return fields.integer("limit", 0, 1, Long.MAX_VALUE);
    }

    private static long lease(Exchange exchange, Fields fields) throws Problem {
        long asked = fields.seconds("lease_ttl_s");
        return asked == 0 ? exchange.backend().defaultLease().toNanos() : asked;
    }

    private static Token token(String text) throws Problem {
        Token token = Grants.token(text);
        if (token == null) {
            throw Refusals.problem(Refusal.NOT_HELD);
        }
        return token;
    }

    private static long salt(Exchange exchange) {
        return exchange.backend().driver().salt();
    }
}
