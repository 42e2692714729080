package io.holdfast.driver.monitor;

import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last that happened to the keys of one shard that were used last. One thread at a time may
 * remember or recall.
 */
final class KeyHistory {
    /** How many events of a key are kept. */
    static final int EVENTS = 16;

    /** How many keys of a kind are kept. */
    static final int KEYS = 256;

    /** Longer keys have no past: memory is bounded by this. */
    static final int MAX_KEY_BYTES = 1024;

    private final PerEnumValue<ResourceKind, Recent> byKind =
            new PerEnumValue<>(ResourceKind.class, Recent::new);

    void record(KeyEvent keyEvent) {
        if (keyEvent.key().bytes().length > MAX_KEY_BYTES) {
            return;
        }
        Recent recent = byKind.of(keyEvent.kind());
        Ring ring = recent.get(keyEvent.key());
        if (ring == null) {
            ring = recent.ringFor(keyEvent.key());
        }
        ring.add(keyEvent);
    }

    /** The oldest first. */
    List<KeyEvent> eventsOf(ResourceKind resourceKind, Key key) {
        Ring ring = byKind.of(resourceKind).get(key);
        return ring == null ? List.of() : ring.toList();
    }

    /** The keys used last; a new one takes the ring of the one that was not used for longest. */
    private static final class Recent {
        private final Map<Key, Ring> rings = new LinkedHashMap<>(16, 0.75f, true);

        @Nullable Ring get(Key key) {
            return rings.get(key);
        }

        Ring ringFor(Key key) {
            Ring ring;
            if (rings.size() < KEYS) {
                ring = new Ring(key);
            } else {
                Iterator<Ring> eldest = rings.values().iterator();
                ring = eldest.next();
                eldest.remove();
                ring.begin(key);
            }
            rings.put(key, ring);
            return ring;
        }
    }

    /** The last events of a key; it grows as far as it is needed. */
    private static final class Ring {
        private Key key;
        private @Nullable KeyEvent[] events = new @Nullable KeyEvent[4];
        private int next;
        private int size;

        Ring(Key key) {
            this.key = key;
        }

        /** Forgets all, and serves another key. */
        void begin(Key other) {
            key = other;
            Arrays.fill(events, null);
            next = 0;
            size = 0;
        }

        void add(KeyEvent keyEvent) {
            if (size == events.length && size < EVENTS) {
                List<KeyEvent> all = toList();
                events = all.toArray(new @Nullable KeyEvent[EVENTS]);
                next = size;
            }
            events[next] = shared(keyEvent);
            next = (next + 1) % events.length;
            size = Math.min(size + 1, events.length);
        }

        /** Keys may be long: all events of one have the same. */
        @SuppressWarnings("ReferenceEquality") // equal ones are what is to be shared
        private KeyEvent shared(KeyEvent keyEvent) {
            return keyEvent.key() == key
                    ? keyEvent
                    : new KeyEvent(
                            keyEvent.type(),
                            keyEvent.kind(),
                            key,
                            keyEvent.session(),
                            keyEvent.mode(),
                            keyEvent.fence(),
                            keyEvent.atNanos(),
                            keyEvent.spanNanos(),
                            keyEvent.lateNanos(),
                            keyEvent.holders(),
                            keyEvent.waiters());
        }

        List<KeyEvent> toList() {
            List<KeyEvent> all = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                KeyEvent keyEvent = events[(next - size + i + events.length) % events.length];
                if (keyEvent != null) {
                    all.add(keyEvent);
                }
            }
            return all;
        }
    }
}
