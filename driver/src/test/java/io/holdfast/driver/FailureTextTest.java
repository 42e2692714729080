package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

@DisplayName("The text of a failure")
class FailureTextTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new NoSuchFileException("/x"), "no such file or directory"),
                Arguments.of(new AccessDeniedException("/x"), "permission denied"),
                Arguments.of(
                        new FileSystemException("/x", null, "No space left on device"),
                        "no space left on device"),
                Arguments.of(
                        new FileSystemException("/x"), "the file system refused the operation"),
                Arguments.of(
                        new FileNotFoundException("/x (No such file or directory)"),
                        "no such file or directory"),
                Arguments.of(new MalformedInputException(1), "it is not text in UTF-8"),
                Arguments.of(
                        new IOException("bind(..) failed with error(-98): Address already in use"),
                        "the address is already in use"),
                Arguments.of(
                        new BindException("Cannot assign requested address"),
                        "this machine has no such address"),
                Arguments.of(
                        new IOException("bind(..) failed with error(-13): Permission denied"),
                        "permission denied"),
                Arguments.of(
                        new ConnectException("Connection refused: /127.0.0.1:1"),
                        "connection refused"),
                Arguments.of(new ConnectException(), "connection refused"),
                Arguments.of(new ConnectException("Connection timed out"), "no response in time"),
                Arguments.of(new ConnectException("No route to host"), "no route to host"),
                Arguments.of(new SocketTimeoutException("Read timed out"), "no response in time"),
                Arguments.of(new TimeoutException(), "no response in time"),
                Arguments.of(new UnknownHostException("nowhere"), "unknown host"),
                Arguments.of(new SocketException("Connection reset"), "connection reset"),
                Arguments.of(new EOFException(), "the connection was closed"),
                Arguments.of(new ClosedChannelException(), "the connection was closed"),
                Arguments.of(new IOException(), "the input or output failed"),
                Arguments.of(
                        new IOException("java.lang.IllegalStateException: it has ended\n  at x"),
                        "it has ended"),
                Arguments.of(
                        new UncheckedIOException(new NoSuchFileException("/x")),
                        "no such file or directory"),
                Arguments.of(
                        new CompletionException(new IOException("DNS is away")), "DNS is away"),
                Arguments.of(
                        new SSLHandshakeException("Received fatal alert: bad_certificate"),
                        "it ended the TLS handshake: bad certificate"),
                Arguments.of(
                        new SSLException("Unsupported or unrecognized SSL message"),
                        "it does not speak TLS"),
                Arguments.of(
                        new SSLException("Unrecognized SSL message, plaintext connection?"),
                        "it does not speak TLS"),
                Arguments.of(
                        new SSLHandshakeException("Remote host terminated the handshake"),
                        "it closed the connection during the TLS handshake"),
                Arguments.of(
                        handshake(new CertificateException("No name matching b found")),
                        "its certificate is for another host"),
                Arguments.of(
                        handshake(new CertPathBuilderException("unable to find valid path")),
                        "no trusted authority has signed its certificate"),
                Arguments.of(
                        handshake(
                                new CertPathValidatorException(
                                        "validity check failed",
                                        new CertificateExpiredException("NotAfter: ..."))),
                        "its certificate has expired"),
                Arguments.of(
                        new CertificateExpiredException("NotAfter: Tue Jul 7"), "it has expired"),
                Arguments.of(
                        new GeneralSecurityException("no certificate in it"),
                        "no certificate in it"),
                Arguments.of(
                        new OutOfMemoryError("Java heap space"),
                        "not enough memory; allow it more with HOLDFAST_JAVA_OPTS=-Xmx1g"),
                Arguments.of(
                        new OutOfMemoryError("Cannot reserve 8 bytes of direct buffer memory"),
                        "no buffers are left outside of the heap (docs/operations.md#memory)"),
                Arguments.of(
                        new OutOfMemoryError("unable to create native thread: possibly out of"),
                        "the system allows no more threads"));
    }

    private static SSLHandshakeException handshake(Exception cause) {
        var handshake = new SSLHandshakeException(cause.toString());
        handshake.initCause(cause);
        return handshake;
    }

    @ParameterizedTest
    @MethodSource("failures")
    void the_failure_text_has_no_java_names(Throwable failure, String words) {
        assertThat(FailureText.of(failure)).isEqualTo(words);
    }

    @Test
    void the_failure_text_ends_at_a_cycle_of_causes() {
        var one = new SSLException("one");
        one.initCause(new IOException("other", one));
        assertThat(FailureText.of(one)).isEqualTo("TLS failed: one");
        assertThat(FailureText.isUntrusted(one)).isFalse();
        assertThat(FailureText.ofListening(one, 80)).isEqualTo("TLS failed: one");
        assertThat(FailureText.of(new CompletionException(one))).isEqualTo("TLS failed: one");
    }

    @Test
    void the_failure_text_names_a_file_that_was_not_named_before() {
        Path named = Path.of("/data");
        assertThat(FailureText.of(new NoSuchFileException("/data"), named))
                .isEqualTo("no such file or directory");
        assertThat(FailureText.of(new NoSuchFileException("/data/lock"), named))
                .isEqualTo("no such file or directory: /data/lock");
        assertThat(FailureText.of(new IOException("No space left on device"), named))
                .isEqualTo("no space left on device");
    }

    @Test
    void the_failure_text_of_an_internal_error_has_its_code_location() {
        assertThat(FailureText.of(new IllegalStateException("no such state")))
                .matches(
                        "internal error in FailureTextTest\\.java line \\d+: no such state;"
                                + " please report it");
        assertThat(FailureText.of(new NullPointerException()))
                .matches("internal error in FailureTextTest\\.java line \\d+; please report it");
    }

    @Test
    void the_failure_text_names_a_port_that_is_in_use() {
        assertThat(
                        FailureText.ofListening(
                                new IOException("no", new BindException("Address already in use")),
                                6388))
                .isEqualTo("port 6388 is already in use");
        assertThat(FailureText.ofListening(new BindException("Permission denied"), 80))
                .isEqualTo("permission denied");
    }

    @Test
    void an_untrusted_certificate_is_distinguished_from_one_of_another_host() {
        assertThat(
                        FailureText.isUntrusted(
                                new IOException(handshake(new CertPathBuilderException("none")))))
                .isTrue();
        assertThat(
                        FailureText.isUntrusted(
                                handshake(new CertificateException("No name matching b found"))))
                .isFalse();
    }
}
