package io.holdfast.driver;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

/**
 * Describes the reason of a failure for users and logs, without names of Java classes. The text is
 * meant to follow a colon.
 */
public final class FailureText {
    private static final String OWN_PACKAGE = "io.holdfast.";
    private static final String IN_USE = "Address already in use";
    private static final String NOT_SIGNED = "no trusted authority has signed its certificate";

    /** A failed system call in a message of Netty, with the error number. */
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("^[a-zA-Z_]+\\(\\.\\.\\) failed(?: with error\\(-?[0-9]+\\))?:? *");

    /** The class name of a cause, in the message of the exception that wraps it. */
    private static final Pattern CLASS_NAME =
            Pattern.compile(
                    "(?:[a-z][a-zA-Z0-9_]*\\.)+[A-Z][a-zA-Z0-9_$]*(?:Exception|Error)(?:: *|$)");

    /** The reason that the JDK puts in parentheses after a file name. */
    private static final Pattern IN_PARENTHESES = Pattern.compile("\\(([^()]+)\\)$");

    private static final Pattern ALERT = Pattern.compile("fatal alert: *([a-z_]+)");

    /** Limits the length of a chain of causes, which may be cyclic. */
    private static final int MAX_CAUSES = 20;

    private FailureText() {}

    /** The reason, without the file that it is about. */
    public static String of(Throwable failure) {
        Throwable cause = unwrapped(failure);
        return switch (cause) {
            case FileSystemException e -> file(e);
            case FileNotFoundException e -> {
                Matcher reason = IN_PARENTHESES.matcher(text(e));
                yield reason.find() ? plain(reason.group(1)) : message(e, "no such file");
            }
            case CharacterCodingException _ -> "it is not text in UTF-8";
            case SSLException e -> tls(e);
            case UnknownHostException _ -> "unknown host";
            case UnresolvedAddressException _ -> "unknown host";
            case SocketTimeoutException _ -> "no response in time";
            case TimeoutException _ -> "no response in time";
            case ConnectException e -> connect(e);
            case EOFException e -> message(e, "the connection was closed");
            case ClosedChannelException _ -> "the connection was closed";
            case IOException e -> message(e, "the input or output failed");
            case GeneralSecurityException e -> security(e);
            case OutOfMemoryError e -> memory(e);
            default ->
                    cause.getClass().getName().startsWith(OWN_PACKAGE)
                            ? message(cause, "it failed")
                            : internal(cause);
        };
    }

    private static Throwable unwrapped(Throwable failure) {
        return causes(failure)
                .filter(cause -> !isWrapper(cause) || cause.getCause() == null)
                .findFirst()
                .orElse(failure);
    }

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof CompletionException
                || failure instanceof ExecutionException
                || failure instanceof UncheckedIOException;
    }

    /** The JVM and Netty throw this error not only when the heap is full. */
    private static String memory(OutOfMemoryError e) {
        if (text(e).contains("direct")) {
            return "no buffers are left outside of the heap (docs/operations.md#memory)";
        }
        return text(e).contains("thread")
                ? "the system allows no more threads"
                : "not enough memory; allow it more with HOLDFAST_JAVA_OPTS=-Xmx1g";
    }

    /** The reason, prefixed with the file that it is about if there is one. */
    public static String withFile(Throwable failure) {
        return failure instanceof FileSystemException e && e.getFile() != null
                ? e.getFile() + ": " + of(failure)
                : of(failure);
    }

    /**
     * The reason, followed by the file that it is about if that is not {@code named}.
     *
     * @param named the file or directory that the surrounding message names already
     */
    public static String of(Throwable failure, Path named) {
        return failure instanceof FileSystemException e
                        && e.getFile() != null
                        && !e.getFile().equals(named.toString())
                ? of(failure) + ": " + e.getFile()
                : of(failure);
    }

    /** The reason why a port cannot be listened on. */
    public static String ofListening(Throwable failure, int port) {
        if (causes(failure).anyMatch(cause -> text(cause).contains(IN_USE))) {
            return "port " + port + " is already in use";
        }
        return of(failure);
    }

    /** Whether the certificate of the other side is not signed by a trusted authority. */
    public static boolean isUntrusted(Throwable failure) {
        return causes(failure)
                .anyMatch(cause -> cause instanceof SSLException e && tls(e).equals(NOT_SIGNED));
    }

    private static String file(FileSystemException e) {
        return switch (e) {
            case FileSystemException _ when e.getReason() != null -> plain(e.getReason());
            case NoSuchFileException _ -> "no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case FileAlreadyExistsException _ -> "a file of that name exists already";
            case NotDirectoryException _ -> "it is not a directory";
            case DirectoryNotEmptyException _ -> "the directory is not empty";
            case FileSystemLoopException _ -> "its symbolic links lead in a circle";
            default -> "the file system refused the operation";
        };
    }

    private static String connect(ConnectException e) {
        if (text(e).contains("timed out")) {
            return "no response in time";
        }
        if (has(e, UnresolvedAddressException.class) || has(e, UnknownHostException.class)) {
            return "unknown host";
        }
        return e.getMessage() == null || e.getMessage().contains("refused")
                ? "connection refused"
                : message(e, "");
    }

    private static String tls(SSLException e) {
        if (has(e, CertificateExpiredException.class)) {
            return "its certificate has expired";
        }
        if (has(e, CertificateNotYetValidException.class)) {
            return "its certificate is not valid yet";
        }
        if (has(e, CertPathBuilderException.class) || has(e, CertPathValidatorException.class)) {
            return NOT_SIGNED;
        }
        String text = text(e);
        Matcher alert = ALERT.matcher(text);
        if (alert.find()) {
            return "it ended the TLS handshake: " + alert.group(1).replace('_', ' ');
        }
        if (text.contains("No subject alternative") || text.contains("No name matching")) {
            return "its certificate is for another host";
        }
        if (text.toLowerCase(Locale.ROOT).contains("unrecognized ssl message")
                || text.contains("not an SSL/TLS record")) {
            return "it does not speak TLS";
        }
        return text.contains("terminated the handshake") || text.contains("shut down incorrectly")
                ? "it closed the connection during the TLS handshake"
                : "TLS failed: " + message(e, "for an unknown reason");
    }

    private static String security(GeneralSecurityException e) {
        if (has(e, CertificateExpiredException.class)) {
            return "it has expired";
        }
        if (has(e, CertificateNotYetValidException.class)) {
            return "it is not valid yet";
        }
        return message(e, "it cannot be used");
    }

    private static String message(Throwable failure, String otherwise) {
        String text = text(failure);
        text = CLASS_NAME.matcher(text).replaceAll("");
        text = SYSTEM_CALL.matcher(text).replaceFirst("");
        text = text.lines().findFirst().orElse("").strip();
        return text.isEmpty() ? otherwise : plain(text);
    }

    /** Turns a message of the operating system into a part of a sentence. */
    private static String plain(String text) {
        if (text.startsWith(IN_USE)) {
            return "the address is already in use";
        }
        if (text.startsWith("Cannot assign requested address")) {
            return "this machine has no such address";
        }
        boolean isWord =
                text.length() > 1
                        && Character.isUpperCase(text.charAt(0))
                        && Character.isLowerCase(text.charAt(1));
        return isWord ? Character.toLowerCase(text.charAt(0)) + text.substring(1) : text;
    }

    /** An unexpected failure; the code location helps to fix it. */
    private static String internal(Throwable failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        String place =
                Stream.of(trace)
                        .filter(frame -> frame.getClassName().startsWith(OWN_PACKAGE))
                        .findFirst()
                        .or(() -> Stream.of(trace).findFirst())
                        .map(
                                frame ->
                                        " in "
                                                + Objects.requireNonNullElse(
                                                        frame.getFileName(), "unknown code")
                                                + " line "
                                                + frame.getLineNumber())
                        .orElse("");
        String text = message(failure, "");
        return "internal error"
                + place
                + (text.isEmpty() ? "" : ": " + text)
                + "; please report it";
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> cause) {
        return causes(failure).anyMatch(cause::isInstance);
    }

    /** The failure and its causes, outermost first. */
    private static Stream<Throwable> causes(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        Throwable next = failure;
        for (; next != null && causes.size() < MAX_CAUSES; next = next.getCause()) {
            causes.add(next);
        }
        return causes.stream();
    }

    private static String text(Throwable failure) {
        return Objects.requireNonNullElse(failure.getMessage(), "");
    }
}
