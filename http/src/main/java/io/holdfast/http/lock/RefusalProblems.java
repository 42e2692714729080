package io.holdfast.http.lock;

import io.holdfast.engine.Refusal;
import io.holdfast.http.web.HttpProblem;

/** The one table of refusals and their codes. */
public final class RefusalProblems {
    private RefusalProblems() {}

    public static HttpProblem problem(Refusal reason) {
        return switch (reason) {
            case NOT_HELD -> new HttpProblem(404, "not_held", "this token holds nothing here");
            case BUSY -> new HttpProblem(409, "busy", "somebody else has it");
            case TOO_MANY_KEYS ->
                    new HttpProblem(503, "max_locks", "there is no room for another lock");
            case TOO_MANY_WAITERS -> new HttpProblem(503, "max_waiters", "the line is full");
            case LIMIT_MISMATCH ->
                    new HttpProblem(409, "limit_mismatch", "the semaphore has another limit");
            case ALREADY_ENQUEUED ->
                    new HttpProblem(409, "already_enqueued", "this session is in line already");
            case NOT_ENQUEUED ->
                    new HttpProblem(
                            409, "not_enqueued", "this session is not in line, or not any more");
            case TOO_MANY_ENTRIES ->
                    new HttpProblem(503, "max_keys", "there is no room for another entry");
            case LIST_FULL -> new HttpProblem(409, "list_full", "the list is as long as it may be");
            case OUT_OF_RANGE ->
                    new HttpProblem(409, "out_of_range", "the counter would leave its range");
            case UNAVAILABLE ->
                    new HttpProblem(
                            503,
                            "unavailable",
                            "the cluster did not decide in time; whether anything changed is"
                                    + " unknown");
        };
    }
}
