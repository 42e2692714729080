package io.holdfast.cli.watch;

import io.holdfast.console.json.JsonValue;
import io.holdfast.console.options.TrustedCertificates;
import io.holdfast.driver.FailureText;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import javax.net.ssl.SSLException;

/** Sends GET requests to a server's HTTP API. */
final class HttpReader implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long MAX_BYTES = 64L << 20;

    private final URI base;
    private final Optional<Supplier<String>> token;
    private final HttpClient client;

    /**
     * @param base URL of the server, without a slash at its end
     * @param token the auth token, read at each request
     * @param trusted file with the certificates to trust; if empty, those that the JVM trusts
     */
    HttpReader(URI base, Optional<Supplier<String>> token, Optional<Path> trusted) {
        this.base = base;
        this.token = token;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(TIMEOUT);
        trusted.ifPresent(
                file -> builder.sslContext(TrustedCertificates.context(Optional.of(file))));
        this.client = builder.build();
    }

    /** Returns the URL of the server. */
    String url() {
        return base.toString();
    }

    /** Returns the JSON object at this path, which must be URL-encoded. */
    JsonValue.ObjectValue get(String path, Map<String, String> query)
            throws ReadException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path + encoded(query)))
                        .timeout(TIMEOUT)
                        .header("Accept", "application/json");
        try {
            token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret.get()));
        } catch (IllegalArgumentException e) { // its message may contain the token
            throw new ReadException(
                    "the token contains characters that cannot be sent in an HTTP header",
                    new IOException());
        }
        return fields(send(request.build()));
    }

    private HttpResponse<String> send(HttpRequest request)
            throws ReadException, InterruptedException {
        try {
            return client.send(
                    request,
                    BodyHandlers.limiting(
                            BodyHandlers.ofString(StandardCharsets.UTF_8), MAX_BYTES));
        } catch (HttpTimeoutException e) {
            throw new ReadException(
                    "no response from " + base + " within " + TIMEOUT.toSeconds() + " s", e);
        } catch (SSLException e) {
            String advice =
                    FailureText.isUntrusted(e) ? " (set the authority to trust with --tls-ca)" : "";
            throw new ReadException(
                    "TLS handshake failed with " + base + ": " + FailureText.of(e) + advice, e);
        } catch (ConnectException e) {
            throw new ReadException("cannot connect to " + base + ": " + FailureText.of(e), e);
        } catch (IOException e) {
            throw new ReadException("no response from " + base + ": " + reason(e), e);
        }
    }

    /** Replaces the messages of the JDK's client for servers that use another protocol. */
    private static String reason(IOException e) {
        String text = String.valueOf(e.getMessage());
        boolean closed =
                e instanceof EOFException
                        || text.contains("received no bytes")
                        || text.contains("EOF")
                        || text.contains("reset");
        if (closed) {
            return "the server closed the connection; check that --http is the HTTP address of a"
                    + " Holdfast server, with https:// if it uses TLS";
        }
        return e instanceof ProtocolException || text.contains("status line")
                ? "it does not use HTTP; --http must be the HTTP address of the server"
                : FailureText.of(e);
    }

    private JsonValue.ObjectValue fields(HttpResponse<String> response) throws ReadException {
        JsonValue body;
        try {
            body = JsonValue.parse(response.body());
        } catch (IllegalArgumentException e) {
            throw new ReadException(
                    base
                            + " did not return Holdfast JSON (is this the HTTP address of a"
                            + " Holdfast server?)",
                    e);
        }
        if (!(body instanceof JsonValue.ObjectValue objectValue)) {
            throw new ReadException(
                    base
                            + " did not return Holdfast JSON (is this the HTTP address of a"
                            + " Holdfast server?)",
                    new IOException("no object"));
        }
        if (response.statusCode() == 200) {
            return objectValue;
        }
        throw refusal(response.statusCode(), objectValue);
    }

    private ReadException refusal(int status, JsonValue.ObjectValue body) {
        String code = body.text("error");
        String text =
                switch (status) {
                    case 401 ->
                            base
                                    + (token.isPresent()
                                            ? " does not accept the token (set it with"
                                                    + " --token-file)"
                                            : " requires a token: set it with --token-file");
                    case 404 -> base + ": not found: " + code;
                    case 429 -> base + " rejected the request: rate limit exceeded";
                    default ->
                            base
                                    + " rejected the request: "
                                    + (code.isEmpty() ? "status " + status : code)
                                    + (body.text("detail").isEmpty()
                                            ? ""
                                            : ", " + body.text("detail"));
                };
        return new ReadException(text, status, code);
    }

    private static String encoded(Map<String, String> query) {
        List<String> pairs = new ArrayList<>();
        query.forEach((name, value) -> pairs.add(name + "=" + encoded(value)));
        return pairs.isEmpty() ? "" : "?" + String.join("&", pairs);
    }

    /** Percent-encodes everything but unreserved characters, as RFC 3986 has it. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
