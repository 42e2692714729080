package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;

/** One request and what becomes of it: an answer, or none. */
interface PlainExchange {
    /** The three lines. */
    String request();

    /** How long the answer may take. */
    long limitNanos();

    /** It is about to be written. */
    default void leaving(long nowNanos) {}

    /** The answer, on a connection that is free again. */
    void answered(PlainConnection plainConnection, String line);

    /** It may have arrived, and no answer will come. */
    void lost(ServiceException why);

    static String lines(String command, String key, String argument) {
        return command + "\n" + key + "\n" + argument + "\n";
    }
}
