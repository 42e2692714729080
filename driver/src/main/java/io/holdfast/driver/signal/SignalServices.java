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
 * Where the signals of each namespace go: to a hub of its own, or all to those the driver shares
 * with other servers. Every method may be called from any thread.
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
     * Those of a driver.
     *
     * @param newHub makes a hub for a namespace, if the driver has no signals itself
     */
    public static SignalServices of(Driver driver, Supplier<SignalHub> newHub) {
        return new SignalServices(
                driver instanceof SignalDriver sharing ? sharing.signals() : null, newHub);
    }

    /** Where those of a namespace go. */
    public SignalService of(Namespace namespace) {
        return shared != null ? shared : hubs.computeIfAbsent(namespace, _ -> newHub.get());
    }

    /** All there are, each once. */
    public Collection<SignalService> all() {
        return shared != null ? List.of(shared) : List.copyOf(hubs.values());
    }
}
