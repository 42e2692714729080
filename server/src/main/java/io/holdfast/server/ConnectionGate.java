package io.holdfast.server;

import io.holdfast.driver.FixedSizeMemoryBudget;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts connections, in all and per address, and lets in no more than allowed. */
final class ConnectionGate {
    private final int limit;
    private final int limitPerAddress;
    private final FixedSizeMemoryBudget memoryBudget;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();

    ConnectionGate(int most, int mostPerAddress, FixedSizeMemoryBudget fixedSizeMemoryBudget) {
        this.limit = most;
        this.limitPerAddress = mostPerAddress;
        this.memoryBudget = fixedSizeMemoryBudget;
    }

    /**
     * Counts a connection if there is room for it; checking and counting are one step.
     *
     * @param address null for a connection on this machine that has none
     */
    boolean enter(@Nullable InetAddress address) {
        if (!memoryBudget.tryReserve()) {
            return false;
        }
        if (limitPerAddress > 0 && address != null && !countAddress(address)) {
            memoryBudget.release();
            return false;
        }
        // Never counts one too many, not even for a moment: another would be refused for it.
        int count;
        do {
            count = open.get();
            if (count >= limit && limit > 0) {
                forgetAddress(address);
                memoryBudget.release();
                return false;
            }
        } while (!open.compareAndSet(count, count + 1));
        return true;
    }

    void leave(@Nullable InetAddress address) {
        open.decrementAndGet();
        memoryBudget.release();
        forgetAddress(address);
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

    private void forgetAddress(@Nullable InetAddress address) {
        if (limitPerAddress > 0 && address != null) {
            perAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
