package io.holdfast.http;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.ClockFences;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.SocketReadBarrier;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.lagging.LaggingDriver;
import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.EngineSettings;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** An HTTP front end with a driver of its own, and a client for it. */
public final class TestHttp implements AutoCloseable {
    public final LocalDriver driver;

    /** The driver that delays commands in front of {@link #driver}; null if there is none. */
    public final @Nullable LaggingDriver lagging;

    public final ServerMonitor monitor = new ServerMonitor(LocalDriver.SHARDS, System::nanoTime);
    public final AtomicInteger connections = new AtomicInteger();
    public final AtomicBoolean draining = new AtomicBoolean();
    public final FrontEndServices backend;
    public final HttpFrontEnd front;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private TestHttp(
            EngineSettings engineSettings,
            KeyCountLimits keyCountLimits,
            ClientLimits perClient,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            HttpConfig config,
            boolean lags)
            throws IOException {
        driver =
                new LocalDriver(
                        new DriverConfig(
                                engineSettings,
                                keyCountLimits,
                                perClient,
                                Duration.ofSeconds(60),
                                0,
                                MemoryBudgets.UNLIMITED,
                                monitor,
                                SocketReadBarrier.NONE),
                        new ClockFences());
        lagging = lags ? new LaggingDriver(driver, 1, Duration.ZERO) : null;
        backend =
                new FrontEndServices(
                        lagging == null ? driver : lagging,
                        monitor,
                        connections,
                        fixedSizeMemoryBudget,
                        new AuthFailures(),
                        draining::get,
                        Duration.ofSeconds(33));
        front = HttpFrontEnd.start(config, null, backend);
    }

    /** Starts a server without authentication. */
    public static TestHttp start() {
        return start(config -> config);
    }

    public static TestHttp start(UnaryOperator<HttpConfig.Builder> change) {
        return start(KeyCountLimits.NONE, change);
    }

    public static TestHttp start(
            KeyCountLimits keyCountLimits, UnaryOperator<HttpConfig.Builder> change) {
        return start(settings(), keyCountLimits, () -> true, change);
    }

    public static TestHttp start(ClientLimits perClient) {
        HttpConfig config = HttpConfig.at(HttpAddress.of("127.0.0.1", 0)).build();
        return start(settings(), KeyCountLimits.NONE, perClient, () -> true, config, false);
    }

    public static EngineSettings settings() {
        return new EngineSettings(0, Duration.ofSeconds(60).toNanos(), true);
    }

    public static TestHttp start(
            EngineSettings engineSettings,
            KeyCountLimits keyCountLimits,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            UnaryOperator<HttpConfig.Builder> change) {
        return start(
                engineSettings,
                keyCountLimits,
                fixedSizeMemoryBudget,
                HttpAddress.of("127.0.0.1", 0),
                change);
    }

    /** Starts a server at an address. */
    public static TestHttp start(HttpAddress address, UnaryOperator<HttpConfig.Builder> change) {
        return start(settings(), KeyCountLimits.NONE, () -> true, address, change);
    }

    private static TestHttp start(
            EngineSettings engineSettings,
            KeyCountLimits keyCountLimits,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            HttpAddress address,
            UnaryOperator<HttpConfig.Builder> change) {
        HttpConfig config =
                change.apply(HttpConfig.at(address).ping(Duration.ofSeconds(15))).build();
        return start(
                engineSettings,
                keyCountLimits,
                ClientLimits.NONE,
                fixedSizeMemoryBudget,
                config,
                false);
    }

    /**
     * Starts a server without authentication, on a driver that returns from {@code submit} before
     * the command is applied.
     */
    public static TestHttp startLagging() {
        HttpConfig config = HttpConfig.at(HttpAddress.of("127.0.0.1", 0)).build();
        return start(settings(), KeyCountLimits.NONE, ClientLimits.NONE, () -> true, config, true);
    }

    private static TestHttp start(
            EngineSettings engineSettings,
            KeyCountLimits keyCountLimits,
            ClientLimits perClient,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            HttpConfig config,
            boolean lags) {
        try {
            TestHttp http =
                    new TestHttp(
                            engineSettings,
                            keyCountLimits,
                            perClient,
                            fixedSizeMemoryBudget,
                            config,
                            lags);
            http.front.open();
            return http;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    public int port() {
        return front.addresses().getFirst().port();
    }

    public String url() {
        return front.addresses().getFirst().toString();
    }

    /**
     * Sends a request and waits for its response.
     *
     * @param body null for none
     * @param headers names and values in turn
     */
    public HttpResponse<String> send(
            String method, String path, @Nullable String body, String... headers) {
        return sendAsync(method, path, body, headers).join();
    }

    /** Sends a request and returns a future of the response. */
    public CompletableFuture<HttpResponse<String>> sendAsync(
            String method, String path, @Nullable String body, String... headers) {
        return client.sendAsync(
                request(method, path, body, headers), HttpResponse.BodyHandlers.ofString());
    }

    /** Builds a request to this server. */
    public HttpRequest request(
            String method, String path, @Nullable String body, String... headers) {
        HttpRequest.BodyPublisher publisher =
                body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(body);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url() + path)).method(method, publisher);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request.build();
    }

    public HttpClient client() {
        return client;
    }

    public HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    public HttpResponse<String> post(String path, @Nullable String body, String... headers) {
        return send("POST", path, body, headers);
    }

    /** The JSON object in a response. */
    public static JsonObject json(HttpResponse<String> response) {
        return new JsonObject(response.body());
    }

    /** The status and, if there is a problem, its code: {@code 404 not_held}. */
    public static String statusAndError(HttpResponse<String> response) {
        return response.statusCode() < 400
                ? String.valueOf(response.statusCode())
                : response.statusCode() + " " + json(response).getString("error");
    }

    @Override
    public void close() {
        client.shutdownNow();
        front.close();
        if (lagging != null) {
            lagging.close();
        } else {
            driver.close();
        }
    }
}
