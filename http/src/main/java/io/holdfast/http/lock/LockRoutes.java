package io.holdfast.http.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonBody;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

/**
 * The routes of sessions and of what they acquire: locks, semaphores, read/write locks and shared
 * locks; and of leases, which need no session.
 */
public final class LockRoutes {
    private static final HoldAttributes UNBOUND_READ =
            new HoldAttributes(ReadWriteMode.READ, false, false);
    private static final HoldAttributes UNBOUND =
            new HoldAttributes(ReadWriteMode.WRITE, false, false);
    private static final HoldAttributes READ = new HoldAttributes(ReadWriteMode.READ, true, false);

    private final HttpSessions sessions;
    private final long idleSeconds;

    /**
     * @param idleSeconds the idle timeout in seconds, as reported to clients
     */
    public LockRoutes(HttpSessions sessions, long idleSeconds) {
        this.sessions = sessions;
        this.idleSeconds = idleSeconds;
    }

    public void addTo(ApiRouter apiRouter) {
        post(apiRouter, "/v1/sessions", this::openSession);
        apiRouter.add(
                HttpMethod.DELETE, "/v1/sessions/{id}", RoutePermission.USE, this::endSession);
        post(apiRouter, "/v1/sessions/{id}/ping", this::ping);

        addLocks(apiRouter, "/v1/locks/{key}", Family.LOCK);
        addLocks(apiRouter, "/v1/semaphores/{key}", Family.SEMAPHORE);
        addLocks(apiRouter, "/v1/rwlocks/{key}", Family.READ_WRITE);

        post(apiRouter, "/v1/shared/{key}", this::tryAcquireShared);
        post(apiRouter, "/v1/shared/{key}/release", this::releaseShared);

        post(apiRouter, "/v1/leases/{key}", this::acquireLease);
        post(apiRouter, "/v1/leases/{key}/release", this::releaseLease);
        post(apiRouter, "/v1/leases/{key}/renew", this::renewLease);
    }

    private static void post(
            ApiRouter apiRouter, String template, io.holdfast.http.web.RouteHandler routeHandler) {
        apiRouter.add(HttpMethod.POST, template, RoutePermission.USE, routeHandler);
    }

    private void addLocks(ApiRouter apiRouter, String template, Family family) {
        post(apiRouter, template, httpExchange -> acquire(httpExchange, family));
        post(apiRouter, template + "/release", httpExchange -> release(httpExchange, family));
        post(apiRouter, template + "/renew", httpExchange -> renew(httpExchange, family));
        post(apiRouter, template + "/enqueue", httpExchange -> enqueue(httpExchange, family));
        post(apiRouter, template + "/wait", httpExchange -> await(httpExchange, family));
    }

    /** The kinds of resource whose routes have the same verbs. */
    private enum Family {
        LOCK(ResourceKind.LOCK),
        SEMAPHORE(ResourceKind.SEMAPHORE),
        READ_WRITE(ResourceKind.LOCK);

        final ResourceKind kind;

        Family(ResourceKind resourceKind) {
            this.kind = resourceKind;
        }

        Key key(HttpExchange httpExchange) throws HttpProblem {
            return this == READ_WRITE ? httpExchange.key() : httpExchange.plainKey();
        }

        long limit(JsonBody jsonBody) throws HttpProblem {
            return this == SEMAPHORE ? LockRoutes.limit(jsonBody) : 1;
        }

        ReadWriteMode mode(JsonBody jsonBody) throws HttpProblem {
            return this == READ_WRITE
                    ? jsonBody.enumValue("mode", ReadWriteMode.class, null)
                    : ReadWriteMode.WRITE;
        }
    }

    // ---- sessions

    private void openSession(HttpExchange httpExchange) throws HttpProblem {
        HttpSessions.Created created = sessions.create(httpExchange);
        httpExchange
                .ok(
                        new JsonObject()
                                .put("session_id", created.id())
                                .put("idle_timeout_s", idleSeconds))
                .onFailure(_ -> created.session().end(() -> {})); // the client does not know the id
    }

    private void endSession(HttpExchange httpExchange) throws HttpProblem {
        sessions.inPath(httpExchange).end(httpExchange::noContent);
    }

    private void ping(HttpExchange httpExchange) throws HttpProblem {
        HttpSession _ = sessions.inPath(httpExchange);
        httpExchange.noContent();
    }

    // ---- locks and semaphores

    private void acquire(HttpExchange httpExchange, Family family) throws HttpProblem {
        Key key = family.key(httpExchange);
        JsonBody jsonBody = httpExchange.body();
        long limit = family.limit(jsonBody);
        ReadWriteMode readWriteMode = family.mode(jsonBody);
        long wait = jsonBody.seconds("acquire_timeout_s");
        long lease = lease(httpExchange, jsonBody);
        jsonBody.end();
        HoldAttributes holdAttributes =
                readWriteMode == ReadWriteMode.READ ? READ : HoldAttributes.PLAIN;
        submit(
                httpExchange,
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
                                salt(httpExchange),
                                holdAttributes),
                LockResponses::acquired);
    }

    private void enqueue(HttpExchange httpExchange, Family family) throws HttpProblem {
        Key key = family.key(httpExchange);
        JsonBody jsonBody =
                family == Family.LOCK ? httpExchange.optionalBody() : httpExchange.body();
        long limit = family.limit(jsonBody);
        ReadWriteMode readWriteMode = family.mode(jsonBody);
        long lease = lease(httpExchange, jsonBody);
        jsonBody.end();
        submit(
                httpExchange,
                true,
                (session, request) ->
                        new Command.Enqueue(
                                session,
                                request,
                                family.kind,
                                key,
                                limit,
                                lease,
                                salt(httpExchange),
                                readWriteMode),
                LockResponses::enqueued);
    }

    private void await(HttpExchange httpExchange, Family family) throws HttpProblem {
        Key key = family.key(httpExchange);
        JsonBody jsonBody = httpExchange.body();
        long wait = jsonBody.seconds("timeout_s");
        jsonBody.end();
        submit(
                httpExchange,
                true,
                (session, request) -> new Command.Await(session, request, family.kind, key, wait),
                LockResponses::acquired);
    }

    private void release(HttpExchange httpExchange, Family family) throws HttpProblem {
        Key key = family.key(httpExchange);
        JsonBody jsonBody = httpExchange.body();
        String text = jsonBody.token("token");
        jsonBody.end();
        HttpSession session = sessions.inHeader(httpExchange);
        session.submit(releasing(httpExchange, family.kind, key, token(text)));
    }

    private void renew(HttpExchange httpExchange, Family family) throws HttpProblem {
        Key key = family.key(httpExchange);
        JsonBody jsonBody = httpExchange.body();
        String text = jsonBody.token("token");
        long lease = lease(httpExchange, jsonBody);
        jsonBody.end();
        HttpSession session = sessions.inHeader(httpExchange);
        session.submit(renewing(httpExchange, family.kind, key, token(text), lease));
    }

    private static HttpLockRequest releasing(
            HttpExchange httpExchange, ResourceKind resourceKind, Key key, Token token) {
        return new HttpLockRequest(
                httpExchange,
                false,
                (session, request) ->
                        new Command.Release(session, request, resourceKind, key, token),
                LockResponses::released);
    }

    private static HttpLockRequest renewing(
            HttpExchange httpExchange,
            ResourceKind resourceKind,
            Key key,
            Token token,
            long leaseNanos) {
        return new HttpLockRequest(
                httpExchange,
                false,
                (session, request) ->
                        new Command.Renew(session, request, resourceKind, key, token, leaseNanos),
                LockResponses::renewed);
    }

    private void submit(
            HttpExchange httpExchange,
            boolean creates,
            HttpLockRequest.CommandFactory commandFactory,
            HttpLockRequest.Responder responder)
            throws HttpProblem {
        sessions.inHeader(httpExchange)
                .submit(new HttpLockRequest(httpExchange, creates, commandFactory, responder));
    }

    // ---- shared locks

    private void tryAcquireShared(HttpExchange httpExchange) throws HttpProblem {
        Key key = httpExchange.key();
        httpExchange.optionalBody().end();
        submit(
                httpExchange,
                true,
                (session, request) ->
                        new Command.TryAcquire(
                                session, request, ResourceKind.SHARED, key, salt(httpExchange)),
                (exchange, effect) -> {
                    int holders =
                            effect instanceof Effect.TryAcquired tryAcquired
                                    ? tryAcquired.holders()
                                    : 0;
                    return exchange.ok(
                            new JsonObject().put("status", "ok").put("holders", holders));
                });
    }

    private void releaseShared(HttpExchange httpExchange) throws HttpProblem {
        Key key = httpExchange.key();
        httpExchange.optionalBody().end();
        submit(
                httpExchange,
                false,
                (session, request) ->
                        new Command.ReleaseBySession(session, request, ResourceKind.SHARED, key),
                LockResponses::released);
    }

    // ---- without a session

    private void acquireLease(HttpExchange httpExchange) throws HttpProblem {
        Key key = httpExchange.key();
        JsonBody jsonBody = httpExchange.body();
        boolean isSemaphore = jsonBody.has("limit");
        long limit = isSemaphore ? limit(jsonBody) : 1;
        ReadWriteMode readWriteMode =
                jsonBody.enumValue("mode", ReadWriteMode.class, ReadWriteMode.WRITE);
        long wait = jsonBody.seconds("acquire_timeout_s");
        long lease = lease(httpExchange, jsonBody);
        jsonBody.end();
        if (isSemaphore && readWriteMode == ReadWriteMode.READ) {
            throw HttpProblem.badRequest("a semaphore has no mode");
        }
        ResourceKind resourceKind = isSemaphore ? ResourceKind.SEMAPHORE : ResourceKind.LOCK;
        HoldAttributes holdAttributes =
                readWriteMode == ReadWriteMode.READ ? UNBOUND_READ : UNBOUND;
        sessions.once(
                httpExchange,
                new HttpLockRequest(
                        httpExchange,
                        true,
                        (session, request) ->
                                new Command.Acquire(
                                        session,
                                        request,
                                        resourceKind,
                                        key,
                                        limit,
                                        wait,
                                        lease,
                                        salt(httpExchange),
                                        holdAttributes),
                        LockResponses::acquired));
    }

    private void releaseLease(HttpExchange httpExchange) throws HttpProblem {
        Key key = httpExchange.key();
        JsonBody jsonBody = httpExchange.body();
        String text = jsonBody.token("token");
        ResourceKind resourceKind = leaseKind(jsonBody);
        jsonBody.end();
        sessions.once(httpExchange, releasing(httpExchange, resourceKind, key, token(text)));
    }

    private void renewLease(HttpExchange httpExchange) throws HttpProblem {
        Key key = httpExchange.key();
        JsonBody jsonBody = httpExchange.body();
        String text = jsonBody.token("token");
        ResourceKind resourceKind = leaseKind(jsonBody);
        long lease = lease(httpExchange, jsonBody);
        jsonBody.end();
        sessions.once(httpExchange, renewing(httpExchange, resourceKind, key, token(text), lease));
    }

    /** The kinds of resource that a lease can be for; the names are those of the API. */
    private enum LeaseKind {
        LOCK,
        SEMAPHORE
    }

    private static ResourceKind leaseKind(JsonBody jsonBody) throws HttpProblem {
        boolean isSemaphore = jsonBody.has("limit");
        if (isSemaphore) {
            long _ = limit(jsonBody);
        }
        LeaseKind defaultKind = isSemaphore ? LeaseKind.SEMAPHORE : LeaseKind.LOCK;
        return switch (jsonBody.enumValue("kind", LeaseKind.class, defaultKind)) {
            case LOCK -> ResourceKind.LOCK;
            case SEMAPHORE -> ResourceKind.SEMAPHORE;
        };
    }

    // ---- fields

    private static long limit(JsonBody jsonBody) throws HttpProblem {
        return jsonBody.integer("limit", 0, 1, Long.MAX_VALUE);
    }

    private static long lease(HttpExchange httpExchange, JsonBody jsonBody) throws HttpProblem {
        long requested = jsonBody.seconds("lease_ttl_s");
        return requested == 0 ? httpExchange.backend().defaultLease().toNanos() : requested;
    }

    private static Token token(String text) throws HttpProblem {
        Token token = LockResponses.token(text);
        if (token == null) {
            throw RefusalProblems.problem(Refusal.NOT_HELD);
        }
        return token;
    }

    private static long salt(HttpExchange httpExchange) {
        return httpExchange.backend().driver().salt();
    }
}
