package io.holdfast.http.inspect;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.SessionView;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.immediate.SharedImmediateSession;
import io.holdfast.http.lock.RefusalProblems;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonBody;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

/**
 * Operator actions: force-release of a key, and closing of a connection. All of them are audited.
 */
final class AdminRoutes {
    private static final int MAX_REASON = 200;

    private final SharedImmediateSession session;
    private final OperatorAudit operatorAudit;

    AdminRoutes(SharedImmediateSession session, OperatorAudit operatorAudit) {
        this.session = session;
        this.operatorAudit = operatorAudit;
    }

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(
                HttpMethod.POST,
                "/v1/admin/keys/{key}/release",
                RoutePermission.ADMIN,
                this::release);
        apiRouter.add(
                HttpMethod.DELETE,
                "/v1/admin/connections/{number}",
                RoutePermission.ADMIN,
                this::kick);
        apiRouter.add(
                HttpMethod.GET,
                "/v1/admin/audit",
                RoutePermission.ADMIN,
                httpExchange ->
                        httpExchange.ok(new JsonObject().put("audit", operatorAudit.records())));
    }

    private void release(HttpExchange httpExchange) throws HttpProblem {
        Namespace namespace = QueryParameters.namespace(httpExchange);
        Key key = httpExchange.anyKey(namespace == null ? httpExchange.namespace() : namespace);
        JsonBody body = httpExchange.optionalBody();
        String kind = body.optionalText("kind");
        ResourceKind resourceKind = kind == null ? ResourceKind.LOCK : QueryParameters.kind(kind);
        long fence = fence(body);
        String reason = reason(body);
        body.end();
        session.execute(
                (id, request) -> new Command.ForceRelease(id, request, resourceKind, key, fence),
                effect ->
                        httpExchange.resume(
                                () -> released(httpExchange, resourceKind, key, reason, effect)));
    }

    private void released(
            HttpExchange httpExchange,
            ResourceKind resourceKind,
            Key key,
            @Nullable String reason,
            @Nullable Effect effect)
            throws HttpProblem {
        if (effect == null) {
            throw HttpProblem.draining();
        }
        if (effect instanceof Effect.Refused refused && refused.reason() == Refusal.UNAVAILABLE) {
            throw RefusalProblems.problem(refused.reason());
        }
        if (!(effect instanceof Effect.ForceReleased forceReleased)) {
            throw new HttpProblem(404, "not_held", "the key is not held, or not with this fence");
        }
        operatorAudit.released(
                httpExchange.address(),
                new OperatorAudit.Released(resourceKind, key, forceReleased.lost()),
                forceReleased.fence(),
                httpExchange.backend().monitor()::peerOf,
                reason);
        httpExchange.ok(
                new JsonObject()
                        .put("released", forceReleased.lost().size())
                        .put("fence", Long.toString(forceReleased.fence())));
    }

    private void kick(HttpExchange httpExchange) throws HttpProblem {
        long number = ConnectionRoutes.number(httpExchange);
        JsonBody body = httpExchange.optionalBody();
        String reason = reason(body);
        body.end();
        Driver driver = httpExchange.backend().driver();
        ClientInfo clientInfo = httpExchange.backend().monitor().peerOf(number);
        if (!driver.kick(number)) {
            throw notKicked(driver.session(number));
        }
        operatorAudit.kicked(httpExchange.address(), number, clientInfo, reason);
        httpExchange.noContent();
    }

    private static HttpProblem notKicked(@Nullable SessionView view) {
        if (view == null) {
            return ConnectionRoutes.noConnection();
        }
        String reason =
                view.node() == null
                        ? "this session is internal to the server"
                        : "this connection belongs to node " + view.node() + ": kick it there";
        return new HttpProblem(409, "not_kickable", reason);
    }

    /** The fence in the body; 0 if there is none. */
    private static long fence(JsonBody body) throws HttpProblem {
        String text = body.optionalText("fence");
        if (text == null) {
            return 0;
        }
        try {
            long fence = Long.parseLong(text);
            if (fence > 0) {
                return fence;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw HttpProblem.badRequest("fence must be a number above 0, as text");
    }

    private static @Nullable String reason(JsonBody body) throws HttpProblem {
        String reason = body.optionalText("reason");
        if (reason != null
                && (reason.length() > MAX_REASON
                        || reason.chars().anyMatch(Character::isISOControl))) {
            throw HttpProblem.badRequest(
                    "reason must have at most 200 characters, and no line break");
        }
        return reason;
    }
}
