package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.monitor.ContendedKey;
import io.holdfast.driver.monitor.Histogram;
import io.holdfast.driver.monitor.OperationType;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.ResourceKindUsage;
import io.holdfast.http.inspect.JsonFormat;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects the metrics of the server for Prometheus from counters that exist anyway, so only a
 * scrape has a cost.
 */
final class ServerCollector implements MultiCollector {
    /** Maximum number of contended keys. */
    static final int MAX_KEYS = 10;

    /** Longer labels are truncated. */
    static final int MAX_LABEL_CHARS = 100;

    private static final double NANOS = 1e9;
    private static final String DATA = "data";

    private final FrontEndServices frontEndServices;

    ServerCollector(FrontEndServices frontEndServices) {
        this.frontEndServices = frontEndServices;
    }

    @Override
    public MetricSnapshots collect() {
        List<MetricSnapshot> all = new ArrayList<>();
        all.add(operations());
        all.add(endings());
        all.add(acquiresThatWaited());
        addDurations(all);
        addUse(all);
        addContended(all);
        addTraffic(all);
        return new MetricSnapshots(all);
    }

    private ServerMonitor monitor() {
        return frontEndServices.monitor();
    }

    // ---- operations

    private MetricSnapshot operations() {
        CounterSnapshot.Builder counter =
                CounterSnapshot.builder()
                        .name("holdfast_operations")
                        .help("Client operations by outcome.");
        for (ResourceKind resourceKind : ResourceKind.values()) {
            addOutcome(
                    counter,
                    OperationType.ACQUIRE,
                    resourceKind,
                    "acquired",
                    KeyEvent.Type.ACQUIRED);
            addOutcome(
                    counter,
                    OperationType.ACQUIRE,
                    resourceKind,
                    "timed_out",
                    KeyEvent.Type.TIMED_OUT);
            addOutcome(
                    counter, OperationType.ACQUIRE, resourceKind, "gave_up", KeyEvent.Type.GAVE_UP);
        }
        for (OperationType operationType : OperationType.values()) {
            for (ResourceKind resourceKind : ResourceKind.values()) {
                boolean data = isData(operationType);
                if (operationType != OperationType.ACQUIRE
                        && (!data || resourceKind == ResourceKind.LOCK)) {
                    long done = monitor().countDone(operationType, resourceKind);
                    counter.dataPoint(point(done, labels(operationType, resourceKind, "done")));
                }
                for (Refusal reason : Refusal.values()) {
                    long refused = monitor().countRefused(operationType, resourceKind, reason);
                    if (refused > 0) {
                        String outcome = reason.name().toLowerCase(Locale.ROOT);
                        counter.dataPoint(
                                point(refused, labels(operationType, resourceKind, outcome)));
                    }
                }
            }
        }
        return counter.build();
    }

    private void addOutcome(
            CounterSnapshot.Builder counter,
            OperationType operationType,
            ResourceKind resourceKind,
            String outcome,
            KeyEvent.Type type) {
        counter.dataPoint(
                point(
                        monitor().count(resourceKind, type),
                        labels(operationType, resourceKind, outcome)));
    }

    private static boolean isData(OperationType operationType) {
        return switch (operationType) {
            case ACQUIRE, RELEASE, RENEW -> false;
            case COUNTER, VALUE, LIST -> true;
        };
    }

    private static Labels labels(
            OperationType operationType, ResourceKind resourceKind, String outcome) {
        return Labels.of(
                "operation",
                operationType.label(),
                "kind",
                isData(operationType) ? DATA : JsonFormat.label(resourceKind),
                "outcome",
                outcome);
    }

    private MetricSnapshot endings() {
        CounterSnapshot.Builder counter =
                CounterSnapshot.builder()
                        .name("holdfast_holds_ended")
                        .help("Ended holds by reason.");
        for (ResourceKind resourceKind : ResourceKind.values()) {
            for (KeyEvent.Type type :
                    List.of(KeyEvent.Type.RELEASED, KeyEvent.Type.EXPIRED, KeyEvent.Type.LOST)) {
                counter.dataPoint(
                        point(
                                monitor().count(resourceKind, type),
                                Labels.of(
                                        "kind",
                                        JsonFormat.label(resourceKind),
                                        "reason",
                                        JsonFormat.label(type))));
            }
        }
        return counter.build();
    }

    private MetricSnapshot acquiresThatWaited() {
        CounterSnapshot.Builder counter =
                CounterSnapshot.builder().name("holdfast_waits").help("Acquires that had to wait.");
        for (ResourceKind resourceKind : ResourceKind.values()) {
            counter.dataPoint(
                    point(
                            monitor().count(resourceKind, KeyEvent.Type.WAITING),
                            Labels.of("kind", JsonFormat.label(resourceKind))));
        }
        return counter.build();
    }

    // ---- durations

    private void addDurations(List<MetricSnapshot> all) {
        HistogramSnapshot.Builder waits =
                HistogramSnapshot.builder()
                        .name("holdfast_wait_seconds")
                        .help("Wait time of granted acquires; 0 if granted at once.");
        HistogramSnapshot.Builder holds =
                HistogramSnapshot.builder()
                        .name("holdfast_hold_seconds")
                        .help("Duration of ended holds.");
        for (ResourceKind resourceKind : ResourceKind.values()) {
            Labels labels = Labels.of("kind", JsonFormat.label(resourceKind));
            waits.dataPoint(point(DurationHistogram.of(monitor().waits(resourceKind)), labels));
            holds.dataPoint(point(DurationHistogram.of(monitor().holds(resourceKind)), labels));
        }
        all.add(waits.build());
        all.add(holds.build());
        all.add(
                HistogramSnapshot.builder()
                        .name("holdfast_hand_off_seconds")
                        .help("Time from a grant until the holder's connection was served.")
                        .dataPoint(point(DurationHistogram.of(monitor().handOffs()), Labels.EMPTY))
                        .build());
        all.add(
                HistogramSnapshot.builder()
                        .name("holdfast_expiry_lateness_seconds")
                        .help("Delay between the end of a lease and its expiry.")
                        .dataPoint(point(DurationHistogram.of(monitor().lateness()), Labels.EMPTY))
                        .build());
    }

    private static HistogramDataPointSnapshot point(
            DurationHistogram durationHistogram, Labels labels) {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int i = 0; i < Histogram.buckets(); i++) {
            boolean last = i == Histogram.buckets() - 1;
            buckets.bucket(
                    last ? Double.POSITIVE_INFINITY : Histogram.boundNanos(i) / NANOS,
                    durationHistogram.count(i));
        }
        return HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(buckets.build())
                .sum(durationHistogram.sumNanos() / NANOS)
                .labels(labels)
                .build();
    }

    // ---- current state

    private void addUse(List<MetricSnapshot> all) {
        GaugeSnapshot.Builder keys =
                gauge("holdfast_keys_held", "Keys with at least one holder, by kind.");
        GaugeSnapshot.Builder holders =
                gauge("holdfast_holders", "Holds, by kind; a key may have several.");
        GaugeSnapshot.Builder waiters = gauge("holdfast_waiters", "Waiters, by kind.");
        GaugeSnapshot.Builder longest =
                gauge(
                        "holdfast_longest_wait_seconds",
                        "Duration of the longest current wait; 0 if there is none.");
        for (ResourceKind resourceKind : ResourceKind.values()) {
            ResourceKindUsage use = frontEndServices.driver().queries().countUse(resourceKind);
            Labels labels = Labels.of("kind", JsonFormat.label(resourceKind));
            keys.dataPoint(gaugePoint(use.keys(), labels));
            holders.dataPoint(gaugePoint(use.holds(), labels));
            waiters.dataPoint(gaugePoint(use.waits(), labels));
            double seconds =
                    RunningWaits.of(frontEndServices.driver(), resourceKind).longestNanos() / NANOS;
            longest.dataPoint(
                    GaugeDataPointSnapshot.builder().value(seconds).labels(labels).build());
        }
        all.add(keys.build());
        all.add(holders.build());
        all.add(waiters.build());
        all.add(longest.build());
    }

    private void addContended(List<MetricSnapshot> all) {
        Map<Labels, Long> waits = new LinkedHashMap<>();
        Map<Labels, Long> waiters = new LinkedHashMap<>();
        for (ContendedKey contendedKey : monitor().contended(MAX_KEYS)) {
            ResourceKind resourceKind = contendedKey.resource().kind();
            Key key = contendedKey.resource().key();
            Labels labels =
                    Labels.of(
                            "kind",
                            JsonFormat.label(resourceKind),
                            "namespace",
                            label(key.namespace().name()),
                            "key",
                            label(JsonFormat.text(key.bytes())));
            KeyView view = frontEndServices.driver().queries().view(resourceKind, key, 0);
            waits.merge(labels, contendedKey.waits(), Long::sum); // truncated names may be equal
            waiters.merge(labels, view == null ? 0L : view.waiters(), Long::sum);
        }
        all.add(
                gauge(
                        "holdfast_contended_key_waits",
                        "Acquires that waited, for the most contended keys.",
                        waits));
        all.add(gauge("holdfast_contended_key_waiters", "Current waiters of these keys.", waiters));
    }

    /** A label of limited length, with control characters replaced. */
    static String label(String text) {
        StringBuilder label = new StringBuilder();
        text.codePoints()
                .limit(MAX_LABEL_CHARS)
                .map(c -> Character.isISOControl(c) ? '\ufffd' : c)
                .forEach(label::appendCodePoint);
        return text.codePointCount(0, text.length()) > MAX_LABEL_CHARS
                ? label.append('\u2026').toString()
                : label.toString();
    }

    private void addTraffic(List<MetricSnapshot> all) {
        Map<Labels, Long> connections = new LinkedHashMap<>();
        CounterSnapshot.Builder bytes =
                CounterSnapshot.builder()
                        .name("holdfast_bytes")
                        .help("Bytes received and sent, by protocol.");
        new TreeMap<>(monitor().traffic())
                .forEach(
                        (protocol, protocolTraffic) -> {
                            connections.put(
                                    Labels.of("protocol", protocol), protocolTraffic.connections());
                            bytes.dataPoint(
                                    point(
                                            protocolTraffic.received(),
                                            Labels.of(
                                                    "protocol",
                                                    protocol,
                                                    "direction",
                                                    "received")));
                            bytes.dataPoint(
                                    point(
                                            protocolTraffic.sent(),
                                            Labels.of("protocol", protocol, "direction", "sent")));
                        });
        Map<Labels, Long> sessions = new LinkedHashMap<>();
        monitor()
                .sessions()
                .forEach(
                        (protocol, number) ->
                                sessions.put(Labels.of("protocol", protocol), number));
        all.add(gauge("holdfast_connections", "Open connections, by protocol.", connections));
        all.add(
                gauge(
                        "holdfast_sessions",
                        "Open sessions, by protocol (some without a connection).",
                        sessions));
        all.add(bytes.build());
    }

    // ---- points

    private static CounterDataPointSnapshot point(long value, Labels labels) {
        return CounterDataPointSnapshot.builder().value((double) value).labels(labels).build();
    }

    private static GaugeSnapshot.Builder gauge(String name, String help) {
        return GaugeSnapshot.builder().name(name).help(help);
    }

    private static GaugeSnapshot gauge(String name, String help, Map<Labels, Long> values) {
        GaugeSnapshot.Builder gauge = gauge(name, help);
        values.forEach((labels, value) -> gauge.dataPoint(gaugePoint(value, labels)));
        return gauge.build();
    }

    private static GaugeDataPointSnapshot gaugePoint(long value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value((double) value).labels(labels).build();
    }
}
