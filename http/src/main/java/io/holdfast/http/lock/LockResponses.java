package io.holdfast.http.lock;

import io.holdfast.engine.Effect;
import io.holdfast.engine.Token;
import io.holdfast.http.web.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.HexFormat;

/** Builds the responses of lock requests, and parses tokens. */
final class LockResponses {
    private static final long NANOS = 1_000_000_000L;
    private static final int TOKEN_LENGTH = 32;

    private LockResponses() {}

    /** The response to an acquire or a wait. */
    static Future<Void> acquired(HttpExchange httpExchange, Effect effect) {
        return effect instanceof Effect.Granted granted
                ? httpExchange.ok(granted("ok", granted))
                : httpExchange.ok(new JsonObject().put("status", "timeout"));
    }

    /** The response to an enqueue. */
    static Future<Void> enqueued(HttpExchange httpExchange, Effect effect) {
        return effect instanceof Effect.Granted granted
                ? httpExchange.ok(granted("acquired", granted))
                : httpExchange.ok(new JsonObject().put("status", "queued"));
    }

    static Future<Void> released(HttpExchange httpExchange, Effect effect) {
        return httpExchange.noContent();
    }

    static Future<Void> renewed(HttpExchange httpExchange, Effect effect) {
        long nanos = effect instanceof Effect.Renewed renewed ? renewed.leaseNanos() : 0;
        return httpExchange.ok(new JsonObject().put("remaining_s", nanos / NANOS));
    }

    private static JsonObject granted(String status, Effect.Granted granted) {
        Token token = granted.token();
        HexFormat hex = HexFormat.of();
        return new JsonObject()
                .put("status", status)
                .put("token", hex.toHexDigits(token.fence()) + hex.toHexDigits(token.salt()))
                .put("fence", Long.toUnsignedString(token.fence()))
                .put("lease_ttl_s", granted.leaseNanos() / NANOS);
    }

    /** Parses a token; null if it is malformed and so cannot be the token of a hold. */
    static @Nullable Token token(String text) {
        if (text.length() != TOKEN_LENGTH || !isLowerHex(text)) {
            return null;
        }
        return new Token(
                HexFormat.fromHexDigitsToLong(text, 0, TOKEN_LENGTH / 2),
                HexFormat.fromHexDigitsToLong(text, TOKEN_LENGTH / 2, TOKEN_LENGTH));
    }

    private static boolean isLowerHex(String text) {
        return text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }
}
