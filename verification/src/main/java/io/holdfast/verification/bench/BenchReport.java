package io.holdfast.verification.bench;

import java.util.Formatter;
import java.util.Locale;
import java.util.stream.Collectors;

/** The output for the options and the result: text, or one JSON object. */
record BenchReport(BenchOptions options, long wallNanos, Latencies latencies) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;

    static String header(BenchOptions options) {
        return new Formatter(Locale.ROOT)
                .format("bench: %d workers x %d rounds", options.workers(), options.rounds())
                .format(" (%s=", options.sharedKey() ? "shared_key" : "key_prefix")
                .format("%s, conns/worker=%d)", quoted(options.key()), options.connections())
                .toString();
    }

    /** Returns everything below the header, without a final line break. */
    String text() {
        var out = new Formatter(Locale.ROOT);
        out.format("%n  total ops : %d", latencies.count());
        out.format("%n  wall time : %.3fs", wallSeconds());
        out.format("%n  throughput: %.1f ops/s", throughput());
        out.format("%n");
        out.format("%n  mean      : %.3f ms", millis(latencies.mean()));
        out.format("%n  min       : %.3f ms", millis(latencies.min()));
        out.format("%n  max       : %.3f ms", millis(latencies.max()));
        out.format("%n  p50       : %.3f ms", millis(latencies.percentile(50)));
        out.format("%n  p99       : %.3f ms", millis(latencies.percentile(99)));
        out.format("%n  p99.9     : %.3f ms", millis(latencies.percentile(99.9)));
        out.format("%n  stdev     : %.3f ms", millis(latencies.stdev()));
        return out.toString();
    }

    String json() {
        var out = new Formatter(Locale.ROOT);
        out.format("{\"workers\":%d", options.workers());
        out.format(",\"rounds\":%d", options.rounds());
        out.format(",\"warmup\":%d", options.warmup());
        out.format(",\"connections_per_worker\":%d", options.connections());
        out.format(",\"key\":%s", quoted(options.key()));
        out.format(",\"shared_key\":%b", options.sharedKey());
        out.format(",\"timeout_s\":%d", options.timeoutSeconds());
        out.format(",\"lease_s\":%d", options.leaseSeconds());
        out.format(",\"servers\":[%s]", servers());
        out.format(",\"tls\":%b", options.tls() != null);
        out.format(",\"transport\":%s", quoted(options.transport().toString()));
        out.format(",\"total_ops\":%d", latencies.count());
        out.format(",\"wall_time_s\":%.6f", wallSeconds());
        out.format(",\"throughput_ops_per_s\":%.1f", throughput());
        out.format(",\"mean_ms\":%.6f", millis(latencies.mean()));
        out.format(",\"min_ms\":%.6f", millis(latencies.min()));
        out.format(",\"max_ms\":%.6f", millis(latencies.max()));
        out.format(",\"p50_ms\":%.6f", millis(latencies.percentile(50)));
        out.format(",\"p99_ms\":%.6f", millis(latencies.percentile(99)));
        out.format(",\"p99_9_ms\":%.6f", millis(latencies.percentile(99.9)));
        out.format(",\"stdev_ms\":%.6f}", millis(latencies.stdev()));
        return out.toString();
    }

    private double wallSeconds() {
        return wallNanos / NANOS_PER_SECOND;
    }

    private double throughput() {
        return latencies.count() / wallSeconds();
    }

    private String servers() {
        return options.servers().stream()
                .map(server -> quoted(server.toString()))
                .collect(Collectors.joining(","));
    }

    private static double millis(double nanos) {
        return nanos / NANOS_PER_MILLI;
    }

    private static String quoted(String text) {
        var out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
