package io.holdfast.client.internal.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.SSLException;

/** Describes connection failures for users, without names of Java classes. */
final class ConnectionFailureText {
    private static final Pattern ALERT = Pattern.compile("fatal alert: *([a-z_]+)");

    private ConnectionFailureText() {}

    /** The reason of a failure, to be appended to a message after a colon. */
    static String reason(Throwable failure) {
        if (failure instanceof SocketTimeoutException) {
            return "no response in time";
        }
        if (failure instanceof UnknownHostException) {
            return "unknown host";
        }
        if (failure instanceof SSLException) {
            return tls(failure);
        }
        String message = failure.getMessage();
        if (message != null) {
            return message;
        }
        if (failure instanceof EOFException || failure instanceof ClosedChannelException) {
            return "the connection was closed";
        }
        return failure instanceof IOException ? "the connection failed" : "internal error";
    }

    private static String tls(Throwable failure) {
        if (has(failure, CertificateExpiredException.class)) {
            return "its certificate has expired";
        }
        if (has(failure, CertificateNotYetValidException.class)) {
            return "its certificate is not valid yet";
        }
        if (has(failure, CertPathBuilderException.class)
                || has(failure, CertPathValidatorException.class)) {
            return "no trusted authority has signed its certificate";
        }
        String text = String.valueOf(failure.getMessage());
        Matcher alert = ALERT.matcher(text);
        if (alert.find()) {
            return "it ended the TLS handshake: " + alert.group(1).replace('_', ' ');
        }
        if (text.contains("No subject alternative") || text.contains("No name matching")) {
            return "its certificate is for another host";
        }
        if (text.toLowerCase(Locale.ROOT).contains("unrecognized ssl message")) {
            return "it does not speak TLS";
        }
        return text.contains("terminated the handshake") || text.contains("shut down incorrectly")
                ? "it closed the connection during the TLS handshake"
                : "TLS failed: " + text;
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
