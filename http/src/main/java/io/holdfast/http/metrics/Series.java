package io.holdfast.http.metrics;

import io.holdfast.driver.front.Backend;
import io.holdfast.driver.watch.Histogram;
import io.holdfast.driver.watch.Observatory;
import io.holdfast.engine.Event;
import io.holdfast.engine.Kind;
import io.holdfast.engine.UseCount;
import io.holdfast.http.inspect.Show;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The last ten minutes, a point a second. */
public final class Series {
    static final int KEPT = 600;
    private static final double SECOND = 1e9;
    private static final double MILLI = 1e6;
    private static final int DIGITS = 3;

    /** What is shown as so many a second. */
    private static final List<Event.Type> RATES =
            List.of(
                    Event.Type.ACQUIRED,
                    Event.Type.RELEASED,
                    Event.Type.TIMED_OUT,
                    Event.Type.EXPIRED,
                    Event.Type.LOST);

    /** What had been counted at one time. */
    private record Counts(long atNanos, Map<Event.Type, Long> events, Spans waits) {}

    private final Backend backend;
    private final Map<String, double[]> points = new LinkedHashMap<>();
    private @Nullable Counts before;

    /** How many points were ever taken. */
    private long taken;

    public Series(Backend backend) {
        this.backend = backend;
        RATES.forEach(type -> line(Show.word(type)));
        line("wait_p50_ms");
        line("wait_p99_ms");
        line("longest_wait_ms");
        line("held");
        line("waiting");
        line("connections");
    }

    private double[] line(String name) {
        return points.computeIfAbsent(name, _ -> new double[KEPT]);
    }

    /**
     * Takes a point, or several if it is called late; to be called once a second.
     *
     * @param nowNanos of a clock that never goes back
     */
    public synchronized void sample(long nowNanos) {
        Counts now = count(nowNanos);
        Counts last = before;
        before = now;
        if (last == null) {
            return;
        }
        double seconds = Math.max(1, now.atNanos - last.atNanos) / SECOND;
        long steps = Math.clamp(Math.round(seconds), 1, KEPT);
        Map<String, Double> point = point(last, now, seconds);
        for (long step = 0; step < steps; step++) {
            int at = (int) (taken % KEPT);
            point.forEach((name, value) -> line(name)[at] = value);
            taken++;
        }
    }

    private Counts count(long nowNanos) {
        Observatory observatory = backend.observatory();
        Map<Event.Type, Long> events = new EnumMap<>(Event.Type.class);
        Spans waits = null;
        for (Kind kind : Kind.values()) {
            for (Event.Type type : RATES) {
                events.merge(type, observatory.count(kind, type), Long::sum);
            }
            Spans own = Spans.of(observatory.waits(kind));
            waits = waits == null ? own : waits.plus(own);
        }
        if (waits == null) {
            throw new IllegalStateException("there is no kind");
        }
        return new Counts(nowNanos, events, waits);
    }

    private Map<String, Double> point(Counts last, Counts now, double seconds) {
        Map<String, Double> point = new LinkedHashMap<>();
        for (Event.Type type : RATES) {
            long more = now.events.getOrDefault(type, 0L) - last.events.getOrDefault(type, 0L);
            point.put(Show.word(type), more / seconds);
        }
        Spans ended = now.waits.minus(last.waits);
        RunningWaits running = RunningWaits.of(backend.driver());
        Spans waits = ended.plus(Spans.of(running));
        boolean longestRuns = ended.totalFrom(Histogram.bucketOf(running.longestNanos())) == 0;
        double longest = running.longestNanos() / MILLI;
        double most = longestRuns ? longest : Double.POSITIVE_INFINITY;
        point.put("wait_p50_ms", Math.min(most, waits.percentileMillis(50)));
        point.put("wait_p99_ms", Math.min(most, waits.percentileMillis(99)));
        point.put("longest_wait_ms", longest);
        UseCount use = new UseCount(0, 0, 0);
        for (Kind kind : Kind.values()) {
            use = use.plus(backend.driver().countUse(kind));
        }
        point.put("held", (double) use.holds());
        point.put("waiting", (double) use.waits());
        point.put("connections", (double) backend.driver().openSessions());
        return point;
    }

    /** The last points, the oldest first, of each line. */
    synchronized void addTo(JsonObject object, int most) {
        int shown = (int) Math.min(taken, Math.min(most, KEPT));
        points.forEach(
                (name, values) -> {
                    JsonArray array = new JsonArray();
                    for (long i = taken - shown; i < taken; i++) {
                        array.add(shown(values[(int) (i % KEPT)]));
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
