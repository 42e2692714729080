package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;

import java.util.function.Consumer;

/** A command with an immediate response that is never sent again after the connection was lost. */
final class UnrepeatedRequest extends TaggedRequest {
    private final String command;
    private final String key;
    private final String argument;
    private final ReplyHandler onResponse;
    private final Consumer<ServiceException> onFailure;

    UnrepeatedRequest(
            String command,
            String key,
            String argument,
            ReplyHandler onResponse,
            Consumer<ServiceException> onFailure) {
        this.command = command;
        this.key = key;
        this.argument = argument;
        this.onResponse = onResponse;
        this.onFailure = onFailure;
    }

    /** Handles the response. */
    interface ReplyHandler {
        void accept(String response) throws BadLineException;
    }

    @Override
    String command() {
        return command;
    }

    @Override
    String key() {
        return key;
    }

    @Override
    String argument(long now) {
        return argument;
    }

    @Override
    void onResponse(String response) throws BadLineException {
        onResponse.accept(response);
    }

    @Override
    boolean survivesDisconnect(ServiceException why) {
        onFailure.accept(why);
        return false;
    }

    @Override
    long offlineTimeoutNanos(long now, long connectTimeoutNanos) {
        return connectTimeoutNanos;
    }

    @Override
    boolean survivesTimeout(ServiceException why) {
        onFailure.accept(why);
        return false;
    }

    @Override
    boolean survivesSessionLoss() {
        return true;
    }

    @Override
    boolean shouldResend(ResumedState resumedState) {
        return false; // never resent: it ended with the connection
    }

    @Override
    void closed(ServiceException why) {
        onFailure.accept(why);
    }
}
