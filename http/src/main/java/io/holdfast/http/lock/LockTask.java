package io.holdfast.http.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.vertx.core.Future;

/**
 * A request that touches locks.
 *
 * @param creates whether it may begin a hold or a wait
 */
record LockTask(HttpExchange exchange, boolean creates, CommandFactory question, Responder answer) {
    /** What the engine is asked. */
    @FunctionalInterface
    interface CommandFactory {
        Command.Locking create(long session, long request);
    }

    /** How what the engine answered is told; the future says whether it could be. */
    @FunctionalInterface
    interface Responder {
        Future<Void> respond(HttpExchange httpExchange, Effect effect) throws HttpProblem;
    }

    Future<Void> respond(Effect effect) {
        try {
            if (effect instanceof Effect.Refused refused) {
                throw RefusalProblems.problem(refused.reason());
            }
            return answer.respond(exchange, effect);
        } catch (HttpProblem httpProblem) {
            return exchange.fail(httpProblem);
        }
    }
}
