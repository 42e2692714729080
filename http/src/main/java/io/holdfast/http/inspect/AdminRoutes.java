package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Peer;
import io.holdfast.driver.SessionView;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Refusal;
import io.holdfast.http.lock.Refusals;
import io.holdfast.http.prompt.PromptSession;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Fields;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

/** What an operator may do by force. All of it is written down. */
final class AdminRoutes {
    private static final int LONGEST_REASON = 200;

    private final PromptSession session;
    private final Audit audit;

    AdminRoutes(PromptSession session, Audit audit) {
        this.session = session;
        this.audit = audit;
    }

    void addTo(Api api) {
        api.add(HttpMethod.POST, "/v1/admin/keys/{key}/release", Need.ADMIN, this::release);
        api.add(HttpMethod.DELETE, "/v1/admin/connections/{number}", Need.ADMIN, this::kick);
        api.add(
                HttpMethod.GET,
                "/v1/admin/audit",
                Need.ADMIN,
                exchange -> exchange.ok(new JsonObject().put("audit", audit.records())));
    }

    private void release(Exchange exchange) throws Problem {
        Namespace namespace = Queries.namespace(exchange);
        Key key = exchange.anyKey(namespace == null ? exchange.namespace() : namespace);
        Fields body = exchange.optionalBody();
        String word = body.optionalText("kind");
        Kind kind = word == null ? Kind.MUTEX : Queries.kind(word);
        long fence = fence(body);
        String reason = reason(body);
        body.end();
        session.ask(
                (id, request) -> new Command.Evict(id, request, kind, key, fence),
                effect -> exchange.goOn(() -> released(exchange, kind, key, reason, effect)));
    }

    private void released(
            Exchange exchange, Kind kind, Key key, @Nullable String reason, @Nullable Effect effect)
            throws Problem {
        if (effect == null) {
            throw Problem.draining();
        }
        if (effect instanceof Effect.Refused refused && refused.reason() == Refusal.UNAVAILABLE) {
            throw Refusals.problem(refused.reason());
        }
        if (!(effect instanceof Effect.Evicted evicted)) {
            throw new Problem(404, "not_held", "nobody holds this, or not with this fence");
        }
        audit.released(
                exchange.address(),
                new Audit.Released(kind, key, evicted.lost()),
                evicted.fence(),
                exchange.backend().observatory()::peerOf,
                reason);
        exchange.ok(
                new JsonObject()
                        .put("released", evicted.lost().size())
                        .put("fence", Long.toString(evicted.fence())));
    }

    private void kick(Exchange exchange) throws Problem {
        long number = ConnectionRoutes.number(exchange);
        Fields body = exchange.optionalBody();
        String reason = reason(body);
        body.end();
        Driver driver = exchange.backend().driver();
        Peer peer = exchange.backend().observatory().peerOf(number);
        if (!driver.kick(number)) {
            throw notKicked(driver.session(number));
        }
        audit.kicked(exchange.address(), number, peer, reason);
        exchange.noContent();
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
    private static long fence(Fields body) throws Problem {
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

    private static @Nullable String reason(Fields body) throws Problem {
        String reason = body.optionalText("reason");
        if (reason != null
                && (reason.length() > LONGEST_REASON
                        || reason.chars().anyMatch(Character::isISOControl))) {
            throw Problem.badRequest("reason may have 200 characters at most, in one line");
        }
        return reason;
    }
}
