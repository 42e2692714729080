package io.holdfast.micrometer;

import io.holdfast.client.ClientEventListener;
import io.holdfast.client.ConnectionEvent;
import io.holdfast.client.LossReason;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The metrics of a client as Micrometer meters. Bind it before the client connects: earlier events
 * are counted in the number of holds only. Keys are not tags, because there may be any number of
 * them.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>kind</th><th>tag</th><th>meaning</th></tr>
 * <tr><td>holdfast.client.acquire</td><td>timer</td><td>result: acquired, timed_out, cancelled,
 * failed</td><td>acquires that ended, and how long they took</td></tr>
 * <tr><td>holdfast.client.holds</td><td>gauge</td><td></td><td>current holds</td></tr>
 * <tr><td>holdfast.client.held</td><td>timer</td><td>end: released, lost</td><td>holds that ended,
 * and how long they lasted</td></tr>
 * <tr><td>holdfast.client.lost</td><td>counter</td><td>reason: expired, released, connection_lost,
 * client_closed</td><td>holds lost before they were closed</td></tr>
 * <tr><td>holdfast.client.renewals</td><td>counter</td><td>result: renewed, failed</td><td>attempts to renew a lease</td></tr>
 * <tr><td>holdfast.client.connection.events</td><td>counter</td><td>state: connected, suspended,
 * restored, lost, reconnected</td><td>changes of the connection state</td></tr>
 * </table>
 *
 * {@snippet :
 * HoldfastMetrics metrics = new HoldfastMetrics();
 * metrics.bindTo(registry);
 * Holdfast client = Holdfast.builder().address("127.0.0.1:6388").listener(metrics).connect();
 * }
 */
public final class HoldfastMetrics implements MeterBinder, ClientEventListener {
    private final Tags tags;
    private final AtomicLong holds = new AtomicLong();
    private final List<RegistryMeters> bound = new CopyOnWriteArrayList<>();

    public HoldfastMetrics() {
        this(Tags.empty());
    }

    /** Adds the tags to every meter, for example to distinguish several clients. */
    public HoldfastMetrics(Iterable<Tag> tags) {
        this.tags = Tags.of(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bound.add(new RegistryMeters(registry, tags, holds));
    }

    @Override
    public void acquireEnded(String key, AcquireResult result, Duration waited) {
        if (result == AcquireResult.ACQUIRED) {
            holds.incrementAndGet();
        }
        each(registryMeters -> registryMeters.acquire(result).record(waited));
    }

    @Override
    public void released(String key, Duration held) {
        holds.decrementAndGet();
        each(registryMeters -> registryMeters.released().record(held));
    }

    @Override
    public void lost(String key, LossReason reason, Duration held) {
        holds.decrementAndGet();
        each(
                registryMeters -> {
                    registryMeters.lost().record(held);
                    registryMeters.lost(reason).increment();
                });
    }

    @Override
    public void renewed(String key) {
        each(registryMeters -> registryMeters.renewed().increment());
    }

    @Override
    public void renewalFailed(String key) {
        each(registryMeters -> registryMeters.renewalFailed().increment());
    }

    @Override
    public void connection(ConnectionEvent event) {
        each(registryMeters -> registryMeters.connection(event.state()).increment());
    }

    private void each(Consumer<RegistryMeters> action) {
        bound.forEach(action);
    }
}
