package io.holdfast.http.lock;

import io.holdfast.engine.Refusal;
import io.holdfast.http.web.Problem;

/** The one table of refusals and their codes. */
public final class Refusals {
    private Refusals() {}

    public static Problem problem(Refusal reason) {
        return switch (reason) {
            case NOT_HELD -> new Problem(404, "not_held", "this token holds nothing here");
            case BUSY -> new Problem(409, "busy", "somebody else has it");
            case TOO_MANY_KEYS ->
                    new Problem(503, "max_locks", "there is no room for another lock");
            case TOO_MANY_WAITERS -> new Problem(503, "max_waiters", "the line is full");
            case LIMIT_MISMATCH ->
                    new Problem(409, "limit_mismatch", "the semaphore has another limit");
            case ALREADY_ENQUEUED ->
                    new Problem(409, "already_enqueued", "this session is in line already");
            case NOT_ENQUEUED ->
                    new Problem(
                            409, "not_enqueued", "this session is not in line, or not any more");
            case TOO_MANY_ENTRIES ->
                    new Problem(503, "max_keys", "there is no room for another entry");
            case LIST_FULL -> new Problem(409, "list_full", "the list is as long as it may be");
            case OUT_OF_RANGE ->
                    new Problem(409, "out_of_range", "the counter would leave its range");
            case UNAVAILABLE ->
                    new Problem(
                            503,
                            "unavailable",
                            "the cluster did not decide in time; whether anything changed is"
                                    + " unknown");
        };
    }
}
