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

/** An HTTP server with configured responses, which records the requests. */
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

    private record Response(int status, String body) {}

    private final HttpServer server;
    private final Map<String, Response> responses = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> secrets = new CopyOnWriteArrayList<>();

    /** Starts on the given port, for example that of a closed instance; 0 chooses a free port. */
    FakeApi(int port) throws IOException {
        server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", this::respond);
        server.start();
        put("/v1/overview", OVERVIEW);
    }

    FakeApi() throws IOException {
        this(0);
    }

    FakeApi put(String path, String body) {
        responses.put(path, new Response(200, body));
        return this;
    }

    FakeApi refuse(String path, int status, String code) {
        return refuse(path, status, code, "");
    }

    FakeApi refuse(String path, int status, String code, String detail) {
        responses.put(
                path,
                new Response(
                        status, "{\"error\":\"%s\",\"detail\":\"%s\"}".formatted(code, detail)));
        return this;
    }

    private void respond(HttpExchange exchange) throws IOException {
        requests.add(exchange.getRequestURI().toString());
        secrets.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        Response response =
                responses.getOrDefault(
                        exchange.getRequestURI().getRawPath(),
                        new Response(404, "{\"error\":\"not_found\"}"));
        byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(response.status(), body.length);
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

    /** Returns path and query of each request. */
    List<String> requests() {
        return requests;
    }

    List<String> secrets() {
        return secrets;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
