package io.holdfast.http.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.monitor.Histogram;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.ResourceKindUsage;
import io.holdfast.http.inspect.JsonFormat;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Time series of the last ten minutes, with one point per second. */
public final class RecentHistory {
    static final int MAX_POINTS = 600;
    private static final double SECOND = 1e9;
    private static final double MILLI = 1e6;
    private static final int DIGITS = 3;

    /** The event types that are shown as rates per second. */
    private static final List<KeyEvent.Type> RATES =
            List.of(
                    KeyEvent.Type.ACQUIRED,
                    KeyEvent.Type.RELEASED,
                    KeyEvent.Type.TIMED_OUT,
                    KeyEvent.Type.EXPIRED,
                    KeyEvent.Type.LOST);

    /** The values of the counters at one time. */
    private record Counts(long atNanos, Map<KeyEvent.Type, Long> events, DurationHistogram waits) {}

    private final FrontEndServices frontEndServices;

    @GuardedBy("this")
    private final Map<String, double[]> points = new LinkedHashMap<>();

    @GuardedBy("this")
    private @Nullable Counts before;

    /** The number of points since the start. */
    @GuardedBy("this")
    private long sampleCount;

    public RecentHistory(FrontEndServices frontEndServices) {
        this.frontEndServices = frontEndServices;
        RATES.forEach(type -> series(JsonFormat.label(type)));
        series("wait_p50_ms");
        series("wait_p99_ms");
        series("longest_wait_ms");
        series("held");
        series("waiting");
        series("connections");
    }

    @GuardedBy("this")
    private double[] series(String name) {
        return points.computeIfAbsent(name, _ -> new double[MAX_POINTS]);
    }

    /**
     * Adds a point, or several if it is called late; to be called once a second.
     *
     * @param nowNanos the time of a monotonic clock
     */
    public synchronized void sample(long nowNanos) {
        Counts now = count(nowNanos);
        Counts last = before;
        before = now;
        if (last == null) {
            return;
        }
        double seconds = Math.max(1, now.atNanos - last.atNanos) / SECOND;
        long steps = Math.clamp(Math.round(seconds), 1, MAX_POINTS);
        Map<String, Double> point = point(last, now, seconds);
        for (long step = 0; step < steps; step++) {
            int at = (int) (sampleCount % MAX_POINTS);
            point.forEach((name, value) -> series(name)[at] = value);
            sampleCount++;
        }
    }

    private Counts count(long nowNanos) {
        ServerMonitor serverMonitor = frontEndServices.monitor();
        Map<KeyEvent.Type, Long> events = new EnumMap<>(KeyEvent.Type.class);
        DurationHistogram waits = null;
        for (ResourceKind resourceKind : ResourceKind.values()) {
            for (KeyEvent.Type type : RATES) {
                events.merge(type, serverMonitor.count(resourceKind, type), Long::sum);
            }
            DurationHistogram own = DurationHistogram.of(serverMonitor.waits(resourceKind));
            waits = waits == null ? own : waits.plus(own);
        }
        if (waits == null) {
            throw new IllegalStateException("there are no resource kinds");
        }
        return new Counts(nowNanos, events, waits);
    }

    private Map<String, Double> point(Counts last, Counts now, double seconds) {
        Map<String, Double> point = new LinkedHashMap<>();
        for (KeyEvent.Type type : RATES) {
            long more = now.events.getOrDefault(type, 0L) - last.events.getOrDefault(type, 0L);
            point.put(JsonFormat.label(type), more / seconds);
        }
        DurationHistogram ended = now.waits.minus(last.waits);
        RunningWaits running = RunningWaits.of(frontEndServices.driver());
        DurationHistogram waits = ended.plus(DurationHistogram.of(running));
        boolean longestRuns = ended.totalFrom(Histogram.bucketOf(running.longestNanos())) == 0;
        double longest = running.longestNanos() / MILLI;
        double limit = longestRuns ? longest : Double.POSITIVE_INFINITY;
        point.put("wait_p50_ms", Math.min(limit, waits.percentileMillis(50)));
        point.put("wait_p99_ms", Math.min(limit, waits.percentileMillis(99)));
        point.put("longest_wait_ms", longest);
        ResourceKindUsage use = new ResourceKindUsage(0, 0, 0);
        for (ResourceKind resourceKind : ResourceKind.values()) {
            use = use.plus(frontEndServices.driver().queries().countUse(resourceKind));
        }
        point.put("held", (double) use.holds());
        point.put("waiting", (double) use.waits());
        point.put("connections", (double) frontEndServices.driver().openSessions());
        return point;
    }

    /** Adds the last points of each series, the oldest first. */
    synchronized void addTo(JsonObject object, int max) {
        int shown = (int) Math.min(sampleCount, Math.min(max, MAX_POINTS));
        points.forEach(
                (name, values) -> {
                    JsonArray array = new JsonArray();
                    for (long i = sampleCount - shown; i < sampleCount; i++) {
                        array.add(shown(values[(int) (i % MAX_POINTS)]));
                    }
                    object.put(name, array);
                });
    }

    private static @Nullable BigDecimal shown(double value) {
        return Double.isNaN(value)
                ? null
                : BigDecimal.valueOf(value)
                        .setScale(DIGITS, RoundingMode.HALF_UP)
                        .stripTrailingZeros();
    }
}
