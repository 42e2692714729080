package io.holdfast.cli.watch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers HTTP with what it was told, and remembers what it was asked. */
final class FakeApi implements AutoCloseable {
    static final String OVERVIEW =
            """
            {"version":"1.2.3","uptime_s":725,"ready":true,"role":"open","admin":false,
             "totals":{"connections":4,"http_sessions":0,"locks_held":2,"lock_waiters":3,
              "semaphore_holders":1,"semaphore_waiters":0,"shared_holders":0,"listeners":0,
              "longest_wait_s":6},
             "contended":[],
             "series":{"step_s":1,"end":"2026-01-01T00:00:00.000Z","acquired":[1,120],
              "released":[1,1],"timed_out":[0,2],"expired":[0,0],"lost":[0,0],
              "wait_p50_ms":[1,null],"wait_p99_ms":[12.5,null],"held":[3,3],"waiting":[3,3],
              "connections":[4,4]}}
            """;

    private record Answer(int status, String body) {}

    private final HttpServer server;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> secrets = new CopyOnWriteArrayList<>();

    /** On a port that may have been that of another one; 0 takes a free one. */
    FakeApi(int port) throws IOException {
        server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", this::answer);
        server.start();
        put("/v1/overview", OVERVIEW);
    }

    FakeApi() throws IOException {
        this(0);
    }

    FakeApi put(String path, String body) {
        answers.put(path, new Answer(200, body));
        return this;
    }

    FakeApi refuse(String path, int status, String code) {
        return refuse(path, status, code, "");
    }

    FakeApi refuse(String path, int status, String code, String detail) {
        answers.put(
                path,
                new Answer(status, "{\"error\":\"%s\",\"detail\":\"%s\"}".formatted(code, detail)));
        return this;
    }

    private void answer(HttpExchange exchange) throws IOException {
        asked.add(exchange.getRequestURI().toString());
        secrets.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        Answer answer =
                answers.getOrDefault(
                        exchange.getRequestURI().getRawPath(),
                        new Answer(404, "{\"error\":\"not_found\"}"));
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    /** Path and query of each request. */
    List<String> asked() {
        return asked;
    }

    List<String> secrets() {
        return secrets;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
