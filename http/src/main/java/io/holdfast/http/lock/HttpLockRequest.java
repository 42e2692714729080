package io.holdfast.http.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.vertx.core.Future;

/**
 * A request that acquires, enqueues, waits, renews or releases.
 *
 * @param creates whether it may create a hold or a waiter
 */
record HttpLockRequest(
        HttpExchange exchange,
        boolean creates,
        CommandFactory commandFactory,
        Responder responder) {
    /** Creates the command for the engine. */
    @FunctionalInterface
    interface CommandFactory {
        Command.Locking create(long session, long request);
    }

    /**
     * Writes the response for an effect; the future completes when it is written, or fails if it
     * cannot be.
     */
    @FunctionalInterface
    interface Responder {
        Future<Void> respond(HttpExchange httpExchange, Effect effect) throws HttpProblem;
    }

    Future<Void> respond(Effect effect) {
        try {
            if (effect instanceof Effect.Refused refused) {
                throw RefusalProblems.problem(refused.reason());
            }
            return responder.respond(exchange, effect);
        } catch (HttpProblem httpProblem) {
            return exchange.fail(httpProblem);
        }
    }
}
