package io.holdfast.driver.watch;

import io.holdfast.driver.Peer;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Who was behind the sessions that ended last. Some of their holds live on, and others are part of
 * the past of a key.
 */
final class Departed {
    static final int KEPT = 4096;

    private final SequencedMap<Long, Peer> last = new LinkedHashMap<>();

    /** What the name is made of goes away with the session, so it is made now. */
    synchronized void add(long session, Peer peer) {
        String name = peer.name().get();
        last.put(session, new Peer(peer.protocol(), () -> name, peer.concurrent(), null));
        if (last.size() > KEPT) {
            last.pollFirstEntry();
        }
    }

    synchronized @Nullable Peer get(long session) {
        return last.get(session);
    }
}
