package io.holdfast.http.metrics;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.ClockFences;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.Session;
import io.holdfast.driver.frontend.ClusterView;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A driver and clients that use it, without a socket. */
final class MetricsScenario implements AutoCloseable {
    static final long LONG = Duration.ofMinutes(10).toNanos();

    final ServerMonitor monitor = new ServerMonitor(LocalDriver.SHARDS, System::nanoTime);
    final LocalDriver driver =
            new LocalDriver(
                    new DriverConfig(
                            new EngineSettings(0, LONG, true),
                            KeyCountLimits.NONE,
                            Duration.ofMinutes(1),
                            0,
                            MemoryBudgets.UNLIMITED,
                            monitor),
                    new ClockFences());
    final SignalHub hub = driver.signals();
    final AtomicInteger connections = new AtomicInteger();
    final FrontEndServices backend =
            new FrontEndServices(
                    driver,
                    monitor,
                    connections,
                    () -> true,
                    new AuthFailures(),
                    () -> false,
                    Duration.ofSeconds(33));
    final HttpRequestMetrics requestMetrics = new HttpRequestMetrics();
    private static final ClusterView CLUSTER =
            new ClusterView(
                    "c",
                    "n1",
                    false,
                    "leader",
                    7,
                    "n1",
                    42,
                    42,
                    1,
                    1,
                    null,
                    Path.of("."),
                    0,
                    0,
                    false,
                    List.of(new ClusterView.Member("n2", "h2:1", 42, 5)));
    private final PrometheusExposition prometheusExposition =
            new PrometheusExposition(
                    backend,
                    new HttpFrontEndStatus("1.2.3", () -> true, () -> 7, () -> CLUSTER),
                    requestMetrics);

    /** A session and the effects that it received. */
    final class Client implements EffectMailbox {
        private final ConcurrentLinkedQueue<Effect> effects = new ConcurrentLinkedQueue<>();
        final Session session = driver.open(this, new ClientInfo("dflockd", () -> "client"));
        private long request;

        @Override
        public void add(Effect effect) {
            effects.add(effect);
        }

        @Override
        public void wake() {}

        @Nullable Token acquire(
                ResourceKind resourceKind, Key key, long limit, long waitNanos, long leaseNanos) {
            effects.clear();
            session.submit(
                    new Command.Acquire(
                            session.id(),
                            ++request,
                            resourceKind,
                            key,
                            limit,
                            waitNanos,
                            leaseNanos,
                            1));
            return effects.poll() instanceof Effect.Granted granted ? granted.token() : null;
        }

        @Nullable Token lock(String key) {
            return acquire(ResourceKind.LOCK, Key.of(key), 1, LONG, LONG);
        }

        void release(ResourceKind resourceKind, Key key, Token token) {
            session.submit(new Command.Release(session.id(), ++request, resourceKind, key, token));
        }

        void renew(ResourceKind resourceKind, Key key, Token token) {
            session.submit(
                    new Command.Renew(session.id(), ++request, resourceKind, key, token, LONG));
        }

        void submit(java.util.function.LongFunction<Command.Keyed> command) {
            session.submit(command.apply(++request));
        }
    }

    Client client() {
        return new Client();
    }

    String text() {
        return prometheusExposition.text();
    }

    PrometheusText scrape() {
        return PrometheusText.parse(text());
    }

    @Override
    public void close() {
        prometheusExposition.close();
        driver.close();
    }
}
