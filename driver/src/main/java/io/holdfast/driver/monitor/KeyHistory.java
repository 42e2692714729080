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

/** The latest events of the most recently used keys of one shard. Not thread-safe. */
final class KeyHistory {
    /** Number of events per key. */
    static final int EVENTS = 16;

    /** Number of keys per kind. */
    static final int KEYS = 256;

    /** Longer keys have no history, to bound the memory. */
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

    /** The events of a key, oldest first. */
    List<KeyEvent> eventsOf(ResourceKind resourceKind, Key key) {
        Ring ring = byKind.of(resourceKind).get(key);
        return ring == null ? List.of() : ring.toList();
    }

    /**
     * The most recently used keys; a new key takes over the ring of the least recently used one.
     */
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

    /** The latest events of a key, in a ring that grows on demand. */
    private static final class Ring {
        private Key key;
        private @Nullable KeyEvent[] events = new @Nullable KeyEvent[4];
        private int next;
        private int size;

        Ring(Key key) {
            this.key = key;
        }

        /** Clears the ring for another key. */
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

        /**
         * The event with the key object of this ring: keys may be long, so all events share one.
         */
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
                            keyEvent.durationNanos(),
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
