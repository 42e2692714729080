package io.holdfast.cli.soak;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Who holds one key, as the workers see it. A worker enters after its grant has arrived and leaves
 * before it sends the release, so two inside a lock at once mean that the server granted it twice.
 * Thread-safe.
 */
final class HolderChecker {
    /**
     * Fences come from one counter, so those of a cycle lie close together; tokens of a server
     * without fences are random and do not. This decides which of the two a server is.
     */
    private static final long MAX_SPREAD = 1L << 40;

    /** With fewer tokens, random ones could lie close together by chance. */
    private static final int MIN_TOKENS = 4;

    private record Entry(long fence, long floor) {}

    private final String key;
    private final int limit;
    private final Set<String> tokens = new HashSet<>();
    private final List<Entry> entries = new ArrayList<>();
    private int inside;
    private long highestFence;

    HolderChecker(String key, int limit) {
        this.key = key;
        this.limit = limit;
    }

    /** What a grant that is asked for from now on must exceed. */
    synchronized long floor() {
        return highestFence;
    }

    /**
     * @param floor {@link #floor} before the request was sent
     */
    synchronized void enter(SoakGrant soakGrant, long floor) throws CheckFailedException {
        inside++;
        if (inside > limit) {
            throw new CheckFailedException(
                    key + " has " + inside + " holders at once, allowed: " + limit);
        }
        if (!tokens.add(soakGrant.token())) {
            throw new CheckFailedException(key + ": the same token was granted twice");
        }
        long fence = soakGrant.fence();
        // A lock's holders come one after the other, in the order of their grants.
        entries.add(new Entry(fence, limit == 1 ? highestFence : floor));
        if (Long.compareUnsigned(fence, highestFence) > 0) {
            highestFence = fence;
        }
    }

    synchronized void leave() {
        inside--;
    }

    /** Checks that fences grew, if the tokens carry any. Call when the key is not used any more. */
    synchronized void checkFences() throws CheckFailedException {
        if (!haveFences()) {
            return;
        }
        for (var entry : entries) {
            if (Long.compareUnsigned(entry.fence, entry.floor) <= 0) {
                throw new CheckFailedException(
                        String.format(
                                Locale.ROOT,
                                "%s: fence %016x came after %016x",
                                key,
                                entry.fence,
                                entry.floor));
            }
        }
    }

    private boolean haveFences() {
        if (entries.size() < MIN_TOKENS) {
            return false;
        }
        long lowest = entries.getFirst().fence;
        for (var entry : entries) {
            if (Long.compareUnsigned(entry.fence, lowest) < 0) {
                lowest = entry.fence;
            }
        }
        return Long.compareUnsigned(highestFence - lowest, MAX_SPREAD) < 0;
    }
}
