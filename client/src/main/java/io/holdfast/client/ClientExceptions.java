package io.holdfast.client;

import io.holdfast.client.internal.service.ServiceException;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Maps failures of a service to the public exceptions. The only place that does. */
final class ClientExceptions {
    private ClientExceptions() {}

    /**
     * @param what the operation with its key, such as {@code lock deploy}
     */
    static LockException of(Throwable failure, String what, String address) {
        var cause = bare(failure);
        if (cause instanceof LockException known) {
            return known;
        }
        if (!(cause instanceof ServiceException service)) {
            return new OutcomeUnknownException(message(what, address, "internal error"), cause);
        }
        return switch (service.kind()) {
            case REFUSED -> refused(what, address, service.response());
            case OUTCOME_UNKNOWN ->
                    new OutcomeUnknownException(
                            message(what, address, "no response: " + service.getMessage()),
                            service);
            case UNREACHABLE ->
                    new ServerUnreachableException(what + ": " + service.getMessage(), service);
            case UNSUPPORTED -> new UnsupportedByServerException(unsupported(what, address), null);
            case AUTHENTICATION ->
                    new AuthenticationException(what + ": " + service.getMessage(), service);
            case CLOSED -> closed(what);
        };
    }

    static LockException refused(String what, String address, String response) {
        String text =
                response.equals("error")
                        ? "the server responded with error: it could not execute the request, or"
                                + " its cluster has no majority"
                        : "the server refused: " + response;
        return new RefusedException(message(what, address, text), response);
    }

    static LockException timedOut(String what, String address) {
        return new AcquireTimeoutException(
                message(what, address, "not acquired within the timeout"), null);
    }

    static LockException closed(String what) {
        return new ClientClosedException(what + ": the client is closed", null);
    }

    static String unsupported(String what, String address) {
        return message(what, address, "not supported by this server, which is a plain dflockd");
    }

    private static String message(String what, String address, String text) {
        return what + " at " + address + ": " + text;
    }

    private static Throwable bare(Throwable failure) {
        @Nullable Throwable cause = failure.getCause();
        return (failure instanceof CompletionException || failure instanceof ExecutionException)
                        && cause != null
                ? bare(cause)
                : failure;
    }
}
