package io.holdfast.verification.soak;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Tracks the holders of one key, as the workers see them. A worker enters after its grant has
 * arrived and leaves before it sends the release, so two workers inside a lock at once mean that
 * the server granted it twice. Thread-safe.
 */
final class HolderChecker {
    /**
     * The maximum difference of the fences of one cycle. Fences come from one counter, so they lie
     * close together; tokens of a server without fences are random and do not. This distinguishes
     * the two kinds of server.
     */
    private static final long MAX_SPREAD = 1L << 40;

    /** With fewer tokens, random tokens could lie close together by chance. */
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

    /** The fence that every grant requested from now on must exceed. */
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
        // The holders of a lock enter one after the other, in the order of their grants.
        entries.add(new Entry(fence, limit == 1 ? highestFence : floor));
        if (Long.compareUnsigned(fence, highestFence) > 0) {
            highestFence = fence;
        }
    }

    synchronized void leave() {
        inside--;
    }

    /**
     * Checks that the fences increased, if the tokens contain any. Call it when the key is no
     * longer used.
     */
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
