package io.holdfast.server;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Limits the number of connections, in total and per address. */
final class ConnectionGate {
    private final int limit;
    private final int limitPerAddress;
    private final FixedSizeMemoryBudget memoryBudget;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();

    ConnectionGate(int max, int maxPerAddress, FixedSizeMemoryBudget fixedSizeMemoryBudget) {
        this.limit = max;
        this.limitPerAddress = maxPerAddress;
        this.memoryBudget = fixedSizeMemoryBudget;
    }

    /**
     * Counts a connection if no limit is reached; checks and counts atomically.
     *
     * @param address null for a connection without one (Unix socket)
     */
    boolean enter(@Nullable InetAddress address) {
        if (!memoryBudget.tryReserve()) {
            return false;
        }
        if (limitPerAddress > 0 && address != null && !countAddress(address)) {
            memoryBudget.release();
            return false;
        }
        // Never exceeds the limit, not even briefly: a concurrent connection would be rejected for
        // it.
        int count;
        do {
            count = open.get();
            if (count >= limit && limit > 0) {
                uncountAddress(address);
                memoryBudget.release();
                return false;
            }
        } while (!open.compareAndSet(count, count + 1));
        return true;
    }

    void leave(@Nullable InetAddress address) {
        open.decrementAndGet();
        memoryBudget.release();
        uncountAddress(address);
    }

    private boolean countAddress(InetAddress address) {
        boolean[] counted = {true};
        perAddress.compute(
                address,
                (key, count) -> {
                    int before = count == null ? 0 : count;
                    counted[0] = before < limitPerAddress;
                    return counted[0] ? Integer.valueOf(before + 1) : count;
                });
        return counted[0];
    }

    private void uncountAddress(@Nullable InetAddress address) {
        if (limitPerAddress > 0 && address != null) {
            perAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
