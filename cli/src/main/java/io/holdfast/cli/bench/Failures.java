package io.holdfast.cli.bench;

import io.netty.channel.ConnectTimeoutException;

import java.net.ConnectException;
import java.net.UnknownHostException;

import javax.net.ssl.SSLException;

/** Turns what the network layer throws into words for the user. */
final class Failures {
    private Failures() {}

    static String describe(Throwable cause) {
        return switch (cause) {
            case ConnectTimeoutException _ -> "connection timed out";
            case ConnectException refused when mentions(refused, "refused") -> "connection refused";
            case UnknownHostException _ -> "unknown host";
            case SSLException tls -> "TLS: " + message(tls);
            default -> message(cause);
        };
    }

    private static boolean mentions(Throwable cause, String word) {
        return message(cause).contains(word);
    }

    private static String message(Throwable cause) {
        var message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
