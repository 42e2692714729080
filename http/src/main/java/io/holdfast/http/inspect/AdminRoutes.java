package io.holdfast.http.inspect;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.SessionView;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Refusal;
import io.holdfast.http.immediate.ImmediateSession;
import io.holdfast.http.lock.Refusals;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.JsonBody;
import io.holdfast.http.web.Permission;
import io.holdfast.http.web.Problem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

/** What an operator may do by force. All of it is written down. */
final class AdminRoutes {
    private static final int MAX_REASON = 200;

    private final ImmediateSession session;
    private final Audit audit;

    AdminRoutes(ImmediateSession session, Audit audit) {
        this.session = session;
        this.audit = audit;
    }

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(
                HttpMethod.POST, "/v1/admin/keys/{key}/release", Permission.ADMIN, this::release);
        apiRouter.add(
                HttpMethod.DELETE, "/v1/admin/connections/{number}", Permission.ADMIN, this::kick);
        apiRouter.add(
                HttpMethod.GET,
                "/v1/admin/audit",
                Permission.ADMIN,
                httpExchange -> httpExchange.ok(new JsonObject().put("audit", audit.records())));
    }

    private void release(HttpExchange httpExchange) throws Problem {
        Namespace namespace = QueryParameters.namespace(httpExchange);
        Key key = httpExchange.anyKey(namespace == null ? httpExchange.namespace() : namespace);
        JsonBody body = httpExchange.optionalBody();
        String word = body.optionalText("kind");
        Kind kind = word == null ? Kind.LOCK : QueryParameters.kind(word);
        long fence = fence(body);
        String reason = reason(body);
        body.end();
        session.execute(
                (id, request) -> new Command.ForceRelease(id, request, kind, key, fence),
                effect ->
                        httpExchange.resume(
                                () -> released(httpExchange, kind, key, reason, effect)));
    }

    private void released(
            HttpExchange httpExchange,
            Kind kind,
            Key key,
            @Nullable String reason,
            @Nullable Effect effect)
            throws Problem {
        if (effect == null) {
            throw Problem.draining();
        }
        if (effect instanceof Effect.Refused refused && refused.reason() == Refusal.UNAVAILABLE) {
            throw Refusals.problem(refused.reason());
        }
        if (!(effect instanceof Effect.ForceReleased forceReleased)) {
            throw new Problem(404, "not_held", "nobody holds this, or not with this fence");
        }
        audit.released(
                httpExchange.address(),
                new Audit.Released(kind, key, forceReleased.lost()),
                forceReleased.fence(),
                httpExchange.backend().observatory()::peerOf,
                reason);
        httpExchange.ok(
                new JsonObject()
                        .put("released", forceReleased.lost().size())
                        .put("fence", Long.toString(forceReleased.fence())));
    }

    private void kick(HttpExchange httpExchange) throws Problem {
        long number = ConnectionRoutes.number(httpExchange);
        JsonBody body = httpExchange.optionalBody();
        String reason = reason(body);
        body.end();
        Driver driver = httpExchange.backend().driver();
        ClientInfo clientInfo = httpExchange.backend().observatory().peerOf(number);
        if (!driver.kick(number)) {
            throw notKicked(driver.session(number));
        }
        audit.kicked(httpExchange.address(), number, clientInfo, reason);
        httpExchange.noContent();
    }

    private static Problem notKicked(@Nullable SessionView view) {
        if (view == null) {
            return ConnectionRoutes.noConnection();
        }
        String reason =
                view.node() == null
                        ? "the server cannot do without this session"
                        : "this connection is with node " + view.node() + ": kick it there";
        return new Problem(409, "not_kickable", reason);
    }

    /** 0 if there is none. */
    private static long fence(JsonBody body) throws Problem {
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
            // told below
        }
        throw Problem.badRequest("fence must be a number above 0, as text");
    }

    private static @Nullable String reason(JsonBody body) throws Problem {
        String reason = body.optionalText("reason");
        if (reason != null
                && (reason.length() > MAX_REASON
                        || reason.chars().anyMatch(Character::isISOControl))) {
            throw Problem.badRequest("reason may have 200 characters at most, in one line");
        }
        return reason;
    }
}
