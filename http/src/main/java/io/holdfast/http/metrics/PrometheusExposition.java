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
 * All metrics in the text format of Prometheus. Created on the first scrape, because many servers
 * are never scraped. Used by one thread at a time.
 */
final class PrometheusExposition implements AutoCloseable {
    private final HttpRequestMetrics requestMetrics;
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Set<HttpRequestMetrics.Call> registered = new HashSet<>();
    private final JvmGcMetrics gcMetrics = new JvmGcMetrics();

    /** A strong reference: the registry has only weak references. */
    private final ServerTotals serverTotals;

    PrometheusExposition(
            FrontEndServices frontEndServices,
            HttpFrontEndStatus httpFrontEndStatus,
            HttpRequestMetrics requestMetrics) {
        this.requestMetrics = requestMetrics;
        this.serverTotals = new ServerTotals(frontEndServices);
        registry.getPrometheusRegistry().register(new ServerCollector(frontEndServices));
        if (httpFrontEndStatus.cluster() != null) {
            registry.getPrometheusRegistry()
                    .register(
                            new ClusterCollector(
                                    httpFrontEndStatus.cluster(), httpFrontEndStatus.ready()));
        }
        addDflockd(httpFrontEndStatus);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        gcMetrics.bindTo(registry);
    }

    private void addDflockd(HttpFrontEndStatus httpFrontEndStatus) {
        gauge(
                "dflockd.ready",
                "1 if requests are served, 0 while starting or draining.",
                _ -> httpFrontEndStatus.ready().getAsBoolean() ? 1 : 0);
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
        gauge(
                "dflockd.http.sessions",
                "HTTP sessions.",
                _ -> httpFrontEndStatus.sessions().getAsInt());
        gauge("dflockd.locks.held", "Locks that are held.", all -> all.locks().keys());
        gauge("dflockd.lock.waiters", "Sessions waiting for locks.", all -> all.locks().waits());
        gauge(
                "dflockd.semaphore.holders",
                "Held permits of semaphores.",
                all -> all.semaphores().holds());
        gauge(
                "dflockd.semaphore.waiters",
                "Sessions waiting for semaphores.",
                all -> all.semaphores().waits());
        gauge("dflockd.signal.listeners", "Signal listeners.", ServerTotals::listeners);
    }

    private void gauge(String name, String help, ToDoubleFunction<ServerTotals> value) {
        Gauge.builder(name, serverTotals, value).description(help).register(registry);
    }

    String text() {
        requestMetrics.each(this::addCall);
        return registry.scrape();
    }

    private void addCall(
            HttpRequestMetrics.Call call, HttpRequestMetrics.ResponseCounter responseCounter) {
        if (!registered.add(call)) {
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
                .description("HTTP requests that got a response.")
                .tags(tags)
                .register(registry);
        FunctionTimer.builder(
                        "dflockd.http.request.duration",
                        responseCounter,
                        HttpRequestMetrics.ResponseCounter::number,
                        HttpRequestMetrics.ResponseCounter::nanos,
                        TimeUnit.NANOSECONDS)
                .description("Response time of HTTP requests.")
                .tags(tags)
                .register(registry);
    }

    @Override
    public void close() {
        gcMetrics.close();
        registry.close();
    }
}
