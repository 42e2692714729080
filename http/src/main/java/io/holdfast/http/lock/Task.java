package io.holdfast.http.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Problem;
import io.vertx.core.Future;

/**
 * A request that touches locks.
 *
 * @param creates whether it may begin a hold or a wait
 */
record Task(Exchange exchange, boolean creates, Question question, Answer answer) {
    /** What the engine is asked. */
    @FunctionalInterface
    interface Question {
        Command.Locking ask(long session, long request);
    }

    /** How what the engine answered is told; the future says whether it could be. */
    @FunctionalInterface
    interface Answer {
        Future<Void> tell(Exchange exchange, Effect effect) throws Problem;
    }

    Future<Void> tell(Effect effect) {
        try {
            if (effect instanceof Effect.Refused refused) {
                throw Refusals.problem(refused.reason());
            }
            return answer.tell(exchange, effect);
        } catch (Problem problem) {
            return exchange.fail(problem);
        }
    }
}
