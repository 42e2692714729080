package io.holdfast.server;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Counts connections, in all and per address, and lets in no more than allowed. */
final class ConnectionGate {
    private final int most;
    private final int mostPerAddress;
    private final BooleanSupplier room;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();

    ConnectionGate(int most, int mostPerAddress, BooleanSupplier room) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
        this.room = room;
    }

    /** Counts a connection if there is room for it; checking and counting are one step. */
    boolean enter(InetAddress address) {
        if (!room.getAsBoolean()) {
            return false;
        }
        if (open.incrementAndGet() > most && most > 0) {
            open.decrementAndGet();
            return false;
        }
        if (mostPerAddress > 0 && perAddress.merge(address, 1, Integer::sum) > mostPerAddress) {
            leave(address);
            return false;
        }
        return true;
    }

    void leave(InetAddress address) {
        open.decrementAndGet();
        if (mostPerAddress > 0) {
            perAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
