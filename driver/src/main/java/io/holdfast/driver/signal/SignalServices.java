package io.holdfast.driver.signal;

import io.holdfast.driver.Driver;
import io.holdfast.engine.Namespace;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * The signal service of each namespace: either a hub per namespace, or the one service that the
 * driver shares with other servers. Thread-safe.
 */
public final class SignalServices {
    private final @Nullable DistributedSignals shared;
    private final Supplier<SignalHub> newHub;
    private final ConcurrentMap<Namespace, SignalHub> hubs = new ConcurrentHashMap<>();

    private SignalServices(@Nullable DistributedSignals shared, Supplier<SignalHub> newHub) {
        this.shared = shared;
        this.newHub = newHub;
    }

    /**
     * The signal services of a driver.
     *
     * @param newHub creates the hub of a namespace, if the driver has no signal service itself
     */
    public static SignalServices of(Driver driver, Supplier<SignalHub> newHub) {
        return new SignalServices(
                driver instanceof SignalDriver sharing ? sharing.signals() : null, newHub);
    }

    /** The signal service of a namespace. */
    public SignalService of(Namespace namespace) {
        return shared != null ? shared : hubs.computeIfAbsent(namespace, _ -> newHub.get());
    }

    /** All services in use, each once. */
    public Collection<SignalService> all() {
        return shared != null ? List.of(shared) : List.copyOf(hubs.values());
    }
}
