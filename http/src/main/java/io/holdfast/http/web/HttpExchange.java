package io.holdfast.http.web;

import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/**
 * A request and its response. Belongs to the event loop; {@link HttpContext#runOnEventLoop} runs
 * tasks there. A response after the client has disconnected, or a second response, is ignored.
 */
public final class HttpExchange {
    /** A client that takes longer to read a response, or reads more slowly, is disconnected. */
    private static final long WRITE_TIMEOUT_MILLIS = 30_000;

    private static final int MIN_BYTES_PER_MILLI = 64;

    private static final Logger LOG = LoggerFactory.getLogger(HttpExchange.class);
    private static final LogThrottle FAILURES = new LogThrottle();
    private static final String JSON = "application/json";
    private static final String PROBLEM_JSON = "application/problem+json";
    private static final Buffer NO_BODY = Buffer.buffer();
    private static final Pattern SLASH = Pattern.compile("/");

    private final HttpContext httpContext;
    private final HttpConnections httpConnections;
    private final HttpServerRequest request;
    private final Namespace namespace;
    private final List<Runnable> onGone = new ArrayList<>();
    private AccessRole accessRole = AccessRole.OPEN;
    private @Nullable Route route;
    private Buffer body = NO_BODY;
    private @Nullable QueryString queryString;
    private volatile boolean gone;

    HttpExchange(
            HttpContext httpContext,
            HttpConnections httpConnections,
            HttpServerRequest request,
            Namespace namespace) {
        this.httpContext = httpContext;
        this.httpConnections = httpConnections;
        this.request = request;
        this.namespace = namespace;
    }

    /** The usage of the connection, counted over all its requests. */
    public ClientUsage usage() {
        return httpConnections.usage(request.connection());
    }

    void matched(Route found, AccessRole by) {
        route = found;
        accessRole = by;
    }

    void body(Buffer read) {
        body = read;
    }

    /** Frees the memory of the body, which has been read: the request may wait for long. */
    void forgetBody() {
        body = NO_BODY;
    }

    /** Called when the client has disconnected. */
    void gone() {
        if (!gone) {
            gone = true;
            onGone.forEach(Runnable::run);
        }
    }

    public HttpContext web() {
        return httpContext;
    }

    public FrontEndServices backend() {
        return httpContext.backend();
    }

    /** The namespace of the address to which the request was sent. */
    public Namespace namespace() {
        return namespace;
    }

    /** The authenticated role of the client. */
    public AccessRole role() {
        return accessRole;
    }

    public boolean isAdmin() {
        return httpContext.access().isAdmin(accessRole);
    }

    /** The address of the client, without its port. */
    public String address() {
        return addressOf(request);
    }

    static String addressOf(HttpServerRequest request) {
        String host = request.remoteAddress().hostAddress();
        return host == null ? "" : host;
    }

    /** The address and port of the client: the name of its session. */
    public String peerName() {
        String host = address();
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return shown + ":" + request.remoteAddress().port();
    }

    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    // ---- request

    /** A named segment of the path, decoded. */
    public String segment(String name) throws HttpProblem {
        return new String(bytesOf("{" + name + "}"), StandardCharsets.UTF_8);
    }

    /**
     * The key: the query parameter {@code key}, or else the segment of the path that is a
     * placeholder in the template. It may have any bytes but line breaks: no other protocol could
     * name such a key, and a listing would show it in two lines.
     */
    public Key key() throws HttpProblem {
        Key key = anyKey(namespace);
        if (!JsonBody.isOneLine(key.bytes())) {
            throw HttpProblem.badRequest("a key must not contain a line break");
        }
        return key;
    }

    /** The key with any bytes, to refer to a key that exists already. */
    public Key anyKey(Namespace in) throws HttpProblem {
        byte[] requested = query().bytes("key");
        return Key.of(in, requested == null ? bytesOf("{") : requested);
    }

    /**
     * The key or channel of a route that requires 1 to 256 bytes without blanks and line breaks.
     */
    public Key plainKey() throws HttpProblem {
        byte[] bytes = bytesOf("{");
        if (!JsonBody.isPlain(bytes)) {
            throw HttpProblem.badRequest(
                    "a key must be 1-256 bytes without blanks and line breaks");
        }
        return Key.of(namespace, bytes);
    }

    private byte[] bytesOf(String start) throws HttpProblem {
        if (route == null) {
            throw new IllegalStateException("no route");
        }
        List<String> names = route.segments();
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).startsWith(start)) {
                byte[] bytes = PercentEncoding.decode(segments().get(i), false);
                if (bytes == null) {
                    throw HttpProblem.badRequest("the path is not well encoded");
                }
                return bytes;
            }
        }
        throw new IllegalStateException(route.template() + " has no " + start);
    }

    /** The segments of the path, not decoded. */
    List<String> segments() {
        String path = request.path();
        return path == null || path.isEmpty()
                ? List.of("")
                : List.of(SLASH.split(path.substring(1), -1));
    }

    /** Refuses request targets that different programs may interpret differently. */
    void checkTarget() throws HttpProblem {
        checkBytes(request.uri());
        String path = request.path();
        if (path == null || !path.startsWith("/")) {
            throw HttpProblem.badRequest("the path does not begin with a slash");
        }
        if (path.equals("/")) {
            return;
        }
        for (String segment : segments()) {
            byte[] bytes = PercentEncoding.decode(segment, false);
            if (bytes == null) {
                throw HttpProblem.badRequest("the path is not well encoded");
            }
            boolean dots = bytes.length <= 2 && isDots(bytes);
            if (dots) {
                throw HttpProblem.badRequest(
                        "a segment of the path is empty or dots; such a key goes as the query"
                                + " parameter key, with - in its place");
            }
        }
    }

    /**
     * Refuses bytes that RFC 3986 allows nowhere in a target. Some programs would take them for
     * other bytes or for the end of the key, and others not.
     */
    private static void checkBytes(String target) throws HttpProblem {
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == '#') {
                throw HttpProblem.badRequest(
                        "the path or query has the byte 0x%02x, which must be percent-encoded"
                                .formatted((int) c));
            }
        }
    }

    private static boolean isDots(byte[] bytes) {
        for (byte c : bytes) {
            if (c != '.') {
                return false;
            }
        }
        return true;
    }

    private QueryString query() throws HttpProblem {
        QueryString known = queryString;
        if (known == null) {
            known = QueryString.of(request.query());
            queryString = known;
        }
        return known;
    }

    /** A query parameter as text; null if it is missing. */
    public @Nullable String query(String name) throws HttpProblem {
        byte[] bytes = query().bytes(name);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** A query parameter as bytes; null if it is missing. */
    public byte @Nullable [] queryBytes(String name) throws HttpProblem {
        return query().bytes(name);
    }

    public int queryInt(String name, int defaultValue, int min, int max) throws HttpProblem {
        String text = query(name);
        if (text == null) {
            return defaultValue;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw HttpProblem.badRequest("%s must be a number, %d-%d".formatted(name, min, max));
    }

    /** The fields of the body, which is required. */
    public JsonBody body() throws HttpProblem {
        return JsonBody.read(body);
    }

    /** The fields of the body; no fields if it is empty. */
    public JsonBody optionalBody() throws HttpProblem {
        return body.length() == 0 ? JsonBody.none() : body();
    }

    // ---- response

    /**
     * Responds with status 200. The future completes when the response is written, or fails if it
     * cannot be.
     */
    public Future<Void> ok(JsonObject fields) {
        return respond(200, JSON, JsonWriter.toLine(fields));
    }

    public Future<Void> noContent() {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return gone(response);
        }
        return send(response.setStatusCode(204), null);
    }

    public Future<Void> fail(HttpProblem httpProblem) {
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        boolean problemJson = accept != null && accept.contains(PROBLEM_JSON);
        return respond(
                httpProblem.status(),
                problemJson ? PROBLEM_JSON : JSON,
                JsonWriter.toLine(httpProblem.toJson()));
    }

    /** Responds that the server is running but not ready. */
    public Future<Void> unready(JsonObject why) {
        return respond(503, JSON, JsonWriter.toLine(why));
    }

    /** Responds with bytes of any type; headers can be set on {@link #response} before. */
    public Future<Void> respond(int status, String contentType, Buffer bytes) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return gone(response);
        }
        response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, contentType);
        response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(bytes.length()));
        return send(response, request.method().equals(HttpMethod.HEAD) ? null : bytes);
    }

    private Future<Void> send(HttpServerResponse response, @Nullable Buffer bytes) {
        response.putHeader("X-Content-Type-Options", "nosniff");
        boolean unread = !request.isEnded() && hasBody();
        if (unread) {
            response.putHeader(HttpHeaders.CONNECTION, "close");
        }
        Future<Void> written = bytes == null ? response.end() : response.end(bytes);
        if (unread) {
            httpConnections.end(request.connection(), written);
        }
        return written;
    }

    private boolean hasBody() {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                || (length != null && !length.equals("0"));
    }

    private static Future<Void> gone(HttpServerResponse response) {
        return Future.failedFuture(
                response.ended()
                        ? "the response has already ended"
                        : "the client has disconnected");
    }

    /** The underlying response, for additional headers. */
    public HttpServerResponse response() {
        return request.response();
    }

    public HttpMethod method() {
        return request.method();
    }

    /** Work that may take long or block. */
    @FunctionalInterface
    public interface Work {
        /** Responds by {@link HttpContext#runOnEventLoop}, or throws. */
        void run() throws Exception;
    }

    /** Runs work on a thread of its own and responds with its result. */
    public void offLoop(Callable<JsonObject> work) {
        runLimited(
                () -> {
                    Buffer bytes = JsonWriter.toLine(work.call());
                    httpContext.runOnEventLoop(() -> respondLarge(bytes));
                });
    }

    /**
     * Runs work on a thread of its own, with limited concurrency. An exception becomes an error
     * response.
     */
    public void runLimited(Work work) {
        Thread.startVirtualThread(
                () -> {
                    httpContext.offLoop().acquireUninterruptibly();
                    try {
                        if (!gone) { // else the client does not wait for it any more
                            work.run();
                        }
                    } catch (Throwable e) {
                        httpContext.runOnEventLoop(() -> failed(e));
                    } finally {
                        httpContext.offLoop().release();
                    }
                });
    }

    /** Completes a request later, on the event loop. An exception becomes an error response. */
    public void resume(Work work) {
        try {
            work.run();
        } catch (Exception e) {
            failed(e);
        }
    }

    /**
     * Responds with many bytes. The memory for responses that slow clients read is limited, for
     * each response and for all of them.
     */
    private void respondLarge(Buffer bytes) {
        if (!httpContext.reserve(bytes.length())) {
            fail(new HttpProblem(503, "busy", "too many large responses are in progress"));
            return;
        }
        long timeoutMillis = WRITE_TIMEOUT_MILLIS + bytes.length() / MIN_BYTES_PER_MILLI;
        long timer = httpContext.vertx().setTimer(timeoutMillis, _ -> reset());
        respond(200, JSON, bytes)
                .onComplete(
                        _ -> {
                            httpContext.vertx().cancelTimer(timer);
                            httpContext.release(bytes.length());
                        });
    }

    /** Closes the connection at once, even if its client does not read. */
    public void reset() {
        httpConnections.reset(request.connection());
    }

    /** Responds with an error. An unexpected exception is logged, and its details are not sent. */
    void failed(@Nullable Throwable thrown) {
        if (thrown instanceof HttpProblem httpProblem) {
            fail(httpProblem);
        } else {
            FAILURES.next(LOG.atError())
                    .setCause(thrown)
                    .addKeyValue("method", request.method())
                    .addKeyValue("path", route == null ? "unmatched" : route.template())
                    .log("HTTP request failed");
            fail(new HttpProblem(500, "internal", "internal error of the server; see its log"));
        }
    }

    /** Responds with an event stream. */
    public EventStream stream() throws HttpProblem {
        if (httpContext.isDraining()) {
            throw HttpProblem.draining();
        }
        HttpServerResponse response = request.response();
        response.setStatusCode(200)
                .setChunked(true)
                .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
                .putHeader("X-Accel-Buffering", "no")
                .putHeader("X-Content-Type-Options", "nosniff");
        EventStream stream =
                new EventStream(httpContext, httpContext.vertx(), response, this::reset);
        onGone(stream::ended);
        return stream;
    }

    /** Runs a task once if the client goes away before or during the response. */
    public void onGone(Runnable task) {
        if (gone || request.response().closed()) {
            task.run();
        } else {
            onGone.add(task);
        }
    }

    /** Whether the client has disconnected. */
    public boolean isGone() {
        return gone || request.response().closed();
    }
}
