package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;

/** One request and its outcome: a response, or none. */
interface PlainRequest {
    /** The three lines of the request. */
    String request();

    /** The timeout of the response. */
    long timeoutNanos();

    /** Called just before the request is written. */
    default void sending(long nowNanos) {}

    /** Called with the response, on the connection, which is idle again. */
    void onResponse(PlainConnection plainConnection, String line);

    /**
     * Called when the connection ended without a response; the server may have received the
     * request.
     */
    void lost(ServiceException why);

    static String lines(String command, String key, String argument) {
        return command + "\n" + key + "\n" + argument + "\n";
    }
}
