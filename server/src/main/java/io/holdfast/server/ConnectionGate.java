package io.holdfast.server;

import io.holdfast.driver.Room;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts connections, in all and per address, and lets in no more than allowed. */
final class ConnectionGate {
    private final int most;
    private final int mostPerAddress;
    private final Room room;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();

    ConnectionGate(int most, int mostPerAddress, Room room) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
        this.room = room;
    }

    /**
     * Counts a connection if there is room for it; checking and counting are one step.
     *
     * @param address null for a connection on this machine that has none
     */
    boolean enter(@Nullable InetAddress address) {
        if (!room.take()) {
            return false;
        }
        if (mostPerAddress > 0 && address != null && !countAddress(address)) {
            room.giveBack();
            return false;
        }
        // Never counts one too many, not even for a moment: another would be refused for it.
        int count;
        do {
            count = open.get();
            if (count >= most && most > 0) {
                forgetAddress(address);
                room.giveBack();
                return false;
            }
        } while (!open.compareAndSet(count, count + 1));
        return true;
    }

    void leave(@Nullable InetAddress address) {
        open.decrementAndGet();
        room.giveBack();
        forgetAddress(address);
    }

    private boolean countAddress(InetAddress address) {
        boolean[] counted = {true};
        perAddress.compute(
                address,
                (key, count) -> {
                    int before = count == null ? 0 : count;
                    counted[0] = before < mostPerAddress;
                    return counted[0] ? Integer.valueOf(before + 1) : count;
                });
        return counted[0];
    }

    private void forgetAddress(@Nullable InetAddress address) {
        if (mostPerAddress > 0 && address != null) {
            perAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
