package io.holdfast.micrometer;

import io.holdfast.client.ClientEventListener.AcquireResult;
import io.holdfast.client.ConnectionEvent;
import io.holdfast.client.LossReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The meters in one registry; all of them are registered at construction. */
final class RegistryMeters {
    private static final String NAME = "holdfast.client.";

    private final Map<AcquireResult, Timer> acquire;
    private final Timer released;
    private final Timer lost;
    private final Map<LossReason, Counter> losses;
    private final Counter renewed;
    private final Counter renewalFailed;
    private final Map<ConnectionEvent.State, Counter> connection;

    RegistryMeters(MeterRegistry registry, Tags tags, AtomicLong holds) {
        acquire =
                each(
                        AcquireResult.class,
                        result ->
                                Timer.builder(NAME + "acquire")
                                        .description("Acquires that ended")
                                        .tags(tags.and("result", text(result)))
                                        .register(registry));
        Gauge.builder(NAME + "holds", holds, AtomicLong::doubleValue)
                .description("Current holds")
                .tags(tags)
                .register(registry);
        released = held(registry, tags.and("end", "released"));
        lost = held(registry, tags.and("end", "lost"));
        losses =
                each(
                        LossReason.class,
                        reason ->
                                Counter.builder(NAME + "lost")
                                        .description("Holds lost before they were closed")
                                        .tags(tags.and("reason", text(reason)))
                                        .register(registry));
        renewed = renewals(registry, tags.and("result", "renewed"));
        renewalFailed = renewals(registry, tags.and("result", "failed"));
        connection =
                each(
                        ConnectionEvent.State.class,
                        state ->
                                Counter.builder(NAME + "connection.events")
                                        .description("Changes of the connection state")
                                        .tags(tags.and("state", text(state)))
                                        .register(registry));
    }

    private static Timer held(MeterRegistry registry, Tags tags) {
        return Timer.builder(NAME + "held")
                .description("Holds that ended")
                .tags(tags)
                .register(registry);
    }

    private static Counter renewals(MeterRegistry registry, Tags tags) {
        return Counter.builder(NAME + "renewals")
                .description("Attempts to renew a lease")
                .tags(tags)
                .register(registry);
    }

    private static <E extends Enum<E>, M> Map<E, M> each(Class<E> type, Function<E, M> meter) {
        Map<E, M> meters = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            meters.put(constant, meter.apply(constant));
        }
        return meters;
    }

    private static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    Timer acquire(AcquireResult result) {
        return Objects.requireNonNull(acquire.get(result));
    }

    Timer released() {
        return released;
    }

    Timer lost() {
        return lost;
    }

    Counter lost(LossReason reason) {
        return Objects.requireNonNull(losses.get(reason));
    }

    Counter renewed() {
        return renewed;
    }

    Counter renewalFailed() {
        return renewalFailed;
    }

    Counter connection(ConnectionEvent.State state) {
        return Objects.requireNonNull(connection.get(state));
    }
}
