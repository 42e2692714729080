package io.holdfast.http.lock;

import io.holdfast.engine.Refusal;
import io.holdfast.http.web.HttpProblem;

/** Maps every refusal of the engine to an HTTP status and a problem code. */
public final class RefusalProblems {
    private RefusalProblems() {}

    public static HttpProblem problem(Refusal reason) {
        return switch (reason) {
            case NOT_HELD ->
                    new HttpProblem(404, "not_held", "this token holds nothing on this key");
            case BUSY -> new HttpProblem(409, "busy", "another session holds it");
            case TOO_MANY_KEYS ->
                    new HttpProblem(503, "max_locks", "the maximum number of locks is reached");
            case TOO_MANY_WAITERS ->
                    new HttpProblem(503, "max_waiters", "the maximum number of waiters is reached");
            case LIMIT_MISMATCH ->
                    new HttpProblem(409, "limit_mismatch", "the semaphore has another limit");
            case ALREADY_ENQUEUED ->
                    new HttpProblem(
                            409, "already_enqueued", "this session is queued for this key already");
            case NOT_ENQUEUED ->
                    new HttpProblem(409, "not_enqueued", "this session is not queued for this key");
            case TOO_MANY_ENTRIES ->
                    new HttpProblem(
                            503,
                            "max_keys",
                            "the maximum number of counters, values and lists is reached");
            case LIST_FULL -> new HttpProblem(409, "list_full", "the list has its maximum length");
            case OUT_OF_RANGE ->
                    new HttpProblem(
                            409, "out_of_range", "the counter would leave the range of 64 bits");
            case UNAVAILABLE ->
                    new HttpProblem(
                            503,
                            "unavailable",
                            "the cluster did not commit the request in time; whether anything"
                                    + " changed is unknown");
        };
    }
}
