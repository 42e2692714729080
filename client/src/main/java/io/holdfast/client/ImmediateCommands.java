package io.holdfast.client;

import io.holdfast.client.internal.service.LockService;

import java.util.Optional;

/**
 * Commands that do not wait at the server: sends the request, waits for the response and parses it.
 */
final class ImmediateCommands {
    private final ClientCore core;

    ImmediateCommands(ClientCore core) {
        this.core = core;
    }

    /** Returns the text after {@code ok}; empty for {@code nil}. */
    Optional<String> send(String command, String key, String argument) {
        return send(core.serviceOf(key), command, key, argument);
    }

    Optional<String> send(LockService service, String command, String key, String argument) {
        var what = command + " " + key;
        core.ensureOpen(what);
        var valueOrFailure =
                ClientCore.await(
                        service.command(command, key, argument), core.responseTimeoutNanos());
        if (valueOrFailure == null) {
            throw new OutcomeUnknownException(
                    what + " at " + service.address() + ": no response within the timeout", null);
        }
        var line = valueOrFailure.value();
        if (line == null) {
            var failure = valueOrFailure.failure();
            throw ClientExceptions.of(
                    failure == null ? new IllegalStateException("no response") : failure,
                    what,
                    service.address());
        }
        return read(line, what, service.address());
    }

    long number(String command, String key, String argument) {
        var text = send(command, key, argument).orElse("");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new OutcomeUnknownException(
                    command + " " + key + ": the response is not a number", null);
        }
    }

    static Optional<String> read(String line, String what, String address) {
        if (line.equals("nil")) {
            return Optional.empty();
        }
        if (line.equals("ok")) {
            return Optional.of("");
        }
        if (line.startsWith("ok ")) {
            return Optional.of(line.substring(3));
        }
        if (line.startsWith("error")) {
            throw ClientExceptions.refused(what, address, line);
        }
        throw new OutcomeUnknownException(what + " at " + address + ": unexpected response", null);
    }
}
