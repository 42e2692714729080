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
 * One request and its answer. Belongs to the event loop; {@link HttpContext#runOnEventLoop} leads
 * there. What is answered after the client has gone, or a second time, is lost without harm.
 */
public final class HttpExchange {
    /** A client that takes longer to read an answer, or reads more slowly, is sent away. */
    private static final long WRITE_TIMEOUT_MILLIS = 30_000;

    private static final int SLOWEST_BYTES_PER_MILLI = 64;

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

    /** Of the connection: counted over all its requests. */
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

    /** The body has been looked at: it need not wait with the request. */
    void forgetBody() {
        body = NO_BODY;
    }

    /** The client went away. */
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

    /** The namespace of the address that was called. */
    public Namespace namespace() {
        return namespace;
    }

    /** Who the client has shown to be. */
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

    /** Address and port of the client, as sessions are named. */
    public String peerName() {
        String host = address();
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return shown + ":" + request.remoteAddress().port();
    }

    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    // ---- what is asked

    /** A segment of the path that the template names, decoded. */
    public String segment(String name) throws HttpProblem {
        return new String(bytesOf("{" + name + "}"), StandardCharsets.UTF_8);
    }

    /**
     * The key: the query parameter {@code key}, or else the segment of the path that the template
     * leaves open. It may have any bytes but line breaks, which no other protocol can name and
     * which would be two lines in a listing.
     */
    public Key key() throws HttpProblem {
        Key key = anyKey(namespace);
        if (!JsonBody.isOneLine(key.bytes())) {
            throw HttpProblem.badRequest("a key must not contain a line break");
        }
        return key;
    }

    /** The key, whatever its bytes: of something that is there already. */
    public Key anyKey(Namespace in) throws HttpProblem {
        byte[] asked = query().bytes("key");
        return Key.of(in, asked == null ? bytesOf("{") : asked);
    }

    /** The key or channel of a route that wants 1 to 256 bytes without blanks. */
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

    /** The segments of the path as they were sent. */
    List<String> segments() {
        String path = request.path();
        return path == null || path.isEmpty()
                ? List.of("")
                : List.of(SLASH.split(path.substring(1), -1));
    }

    /** A target in which nothing can be mistaken. */
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
     * Bytes that RFC 3986 allows nowhere in a target. Some of them would be taken for others, or
     * end the key early, in one program and not in the next.
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

    /** A query parameter; null if there is none. */
    public @Nullable String query(String name) throws HttpProblem {
        byte[] bytes = query().bytes(name);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** A query parameter, byte for byte; null if there is none. */
    public byte @Nullable [] queryBytes(String name) throws HttpProblem {
        return query().bytes(name);
    }

    public int queryInt(String name, int otherwise, int least, int most) throws HttpProblem {
        String text = query(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw HttpProblem.badRequest("%s must be a number, %d-%d".formatted(name, least, most));
    }

    /** The fields of the body, which has to be there. */
    public JsonBody body() throws HttpProblem {
        return JsonBody.read(body);
    }

    /** The fields of the body; none if it is empty. */
    public JsonBody optionalBody() throws HttpProblem {
        return body.length() == 0 ? JsonBody.none() : body();
    }

    // ---- what is answered

    /** Answers 200; the future tells whether it could be written. */
    public Future<Void> ok(JsonObject answer) {
        return answer(200, JSON, JsonWriter.toLine(answer));
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
        boolean asked = accept != null && accept.contains(PROBLEM_JSON);
        return answer(
                httpProblem.status(),
                asked ? PROBLEM_JSON : JSON,
                JsonWriter.toLine(httpProblem.toJson()));
    }

    /** Answers that it is there but not ready to serve. */
    public Future<Void> unready(JsonObject why) {
        return answer(503, JSON, JsonWriter.toLine(why));
    }

    /** Answers with bytes of any type; headers may have been set on {@link #response}. */
    public Future<Void> answer(int status, String contentType, Buffer bytes) {
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
        return Future.failedFuture(response.ended() ? "answered before" : "the client has gone");
    }

    /** For headers of its own. */
    public HttpServerResponse response() {
        return request.response();
    }

    public HttpMethod method() {
        return request.method();
    }

    /** Work that may take long. */
    @FunctionalInterface
    public interface Work {
        /** Answers by {@link HttpContext#runOnEventLoop}, or throws. */
        void run() throws Exception;
    }

    /** Works on a thread of its own and answers with what comes of it. */
    public void offLoop(Callable<JsonObject> work) {
        runLimited(
                () -> {
                    Buffer bytes = JsonWriter.toLine(work.call());
                    httpContext.runOnEventLoop(() -> answerAtLength(bytes));
                });
    }

    /** Works on a thread of its own, when few others do; what goes wrong is answered. */
    public void runLimited(Work work) {
        Thread.startVirtualThread(
                () -> {
                    httpContext.offLoop().acquireUninterruptibly();
                    try {
                        if (!gone) { // else nobody waits for it any more
                            work.run();
                        }
                    } catch (Throwable e) {
                        httpContext.runOnEventLoop(() -> failed(e));
                    } finally {
                        httpContext.offLoop().release();
                    }
                });
    }

    /** Answers with what was found later, on the event loop; what goes wrong is answered. */
    public void resume(Work work) {
        try {
            work.run();
        } catch (Exception e) {
            failed(e);
        }
    }

    /** What waits to be read by slow clients is bounded, for one and for all of them. */
    private void answerAtLength(Buffer bytes) {
        if (!httpContext.reserve(bytes.length())) {
            fail(new HttpProblem(503, "busy", "too many long answers are being read"));
            return;
        }
        long patience = WRITE_TIMEOUT_MILLIS + bytes.length() / SLOWEST_BYTES_PER_MILLI;
        long timer = httpContext.vertx().setTimer(patience, _ -> reset());
        answer(200, JSON, bytes)
                .onComplete(
                        _ -> {
                            httpContext.vertx().cancelTimer(timer);
                            httpContext.release(bytes.length());
                        });
    }

    /** Closes the connection at once, even if its client takes nothing. */
    public void reset() {
        httpConnections.reset(request.connection());
    }

    /** Answers with what went wrong; what nobody foresaw is logged and not told. */
    void failed(@Nullable Throwable thrown) {
        if (thrown instanceof HttpProblem httpProblem) {
            fail(httpProblem);
        } else {
            FAILURES.next(LOG.atError())
                    .setCause(thrown)
                    .addKeyValue("method", request.method())
                    .addKeyValue("path", route == null ? "unmatched" : route.template())
                    .log("a request failed");
            fail(new HttpProblem(500, "internal", "the server has a fault; its log says more"));
        }
    }

    /** Answers with a stream of events. */
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

    /** Called once if the client goes away before it is answered, or while it is. */
    public void onGone(Runnable task) {
        if (gone || request.response().closed()) {
            task.run();
        } else {
            onGone.add(task);
        }
    }

    /** Whether nobody is there any more to be answered. */
    public boolean isGone() {
        return gone || request.response().closed();
    }
}
