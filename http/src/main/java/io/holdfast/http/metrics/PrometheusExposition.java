package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.FrontEndServices;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * All numbers as text for Prometheus. Made when it is first wanted: many servers are never asked.
 */
final class PrometheusExposition implements AutoCloseable {
    private final HttpRequestMetrics requestMetrics;
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Set<HttpRequestMetrics.Call> known = new HashSet<>();
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Kept here: the registry only has weak references. */
    private final ServerTotals serverTotals;

    PrometheusExposition(
            FrontEndServices frontEndServices,
            FrontEndStatus frontEndStatus,
            HttpRequestMetrics tally) {
        this.requestMetrics = tally;
        this.serverTotals = new ServerTotals(frontEndServices);
        registry.getPrometheusRegistry().register(new ServerCollector(frontEndServices));
        if (frontEndStatus.cluster() != null) {
            registry.getPrometheusRegistry()
                    .register(
                            new ClusterCollector(frontEndStatus.cluster(), frontEndStatus.ready()));
        }
        addDflockd(frontEndStatus);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections.bindTo(registry);
    }

    private void addDflockd(FrontEndStatus frontEndStatus) {
        gauge(
                "dflockd.ready",
                "1 if requests are served, 0 while starting or draining.",
                _ -> frontEndStatus.ready().getAsBoolean() ? 1 : 0);
        Gauge.builder(
                        "dflockd.uptime",
                        ManagementFactory.getRuntimeMXBean(),
                        runtime -> runtime.getUptime() / 1e3)
                .baseUnit("seconds")
                .description("How long the server has been running.")
                .register(registry);
        gauge(
                "dflockd.connections",
                "Open dflockd connections and HTTP sessions.",
                ServerTotals::connections);
        gauge("dflockd.http.sessions", "HTTP sessions.", _ -> frontEndStatus.sessions().getAsInt());
        gauge("dflockd.locks.held", "Locks that are held.", all -> all.locks().keys());
        gauge("dflockd.lock.waiters", "Those who wait for locks.", all -> all.locks().waits());
        gauge(
                "dflockd.semaphore.holders",
                "Slots of semaphores that are held.",
                all -> all.semaphores().holds());
        gauge(
                "dflockd.semaphore.waiters",
                "Those who wait for semaphores.",
                all -> all.semaphores().waits());
        gauge("dflockd.signal.listeners", "Those who listen to signals.", ServerTotals::listeners);
    }

    private void gauge(String name, String help, ToDoubleFunction<ServerTotals> value) {
        Gauge.builder(name, serverTotals, value).description(help).register(registry);
    }

    synchronized String text() {
        requestMetrics.each(this::addCall);
        return registry.scrape();
    }

    private void addCall(
            HttpRequestMetrics.Call call, HttpRequestMetrics.ResponseCounter responseCounter) {
        if (!known.add(call)) {
            return;
        }
        Tags tags =
                Tags.of(
                        "method",
                        call.method(),
                        "path",
                        call.path(),
                        "status",
                        String.valueOf(call.status()));
        FunctionCounter.builder(
                        "dflockd.http.requests",
                        responseCounter,
                        HttpRequestMetrics.ResponseCounter::number)
                .description("HTTP requests that were answered.")
                .tags(tags)
                .register(registry);
        FunctionTimer.builder(
                        "dflockd.http.request.duration",
                        responseCounter,
                        HttpRequestMetrics.ResponseCounter::number,
                        HttpRequestMetrics.ResponseCounter::nanos,
                        TimeUnit.NANOSECONDS)
                .description("How long it took to answer HTTP requests.")
                .tags(tags)
                .register(registry);
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
