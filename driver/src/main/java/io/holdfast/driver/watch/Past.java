package io.holdfast.driver.watch;

import io.holdfast.engine.Event;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;

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
final class Past {
    /** How many events of a key are kept. */
    static final int EVENTS = 16;

    /** How many keys of a kind are kept. */
    static final int KEYS = 256;

    /** Longer keys have no past: memory is bounded by this. */
    static final int LONGEST_KEY = 1024;

    private final PerEach<Kind, Recent> byKind = new PerEach<>(Kind.class, Recent::new);

    void remember(Event event) {
        if (event.key().bytes().length > LONGEST_KEY) {
            return;
        }
        Recent recent = byKind.of(event.kind());
        Ring ring = recent.get(event.key());
        if (ring == null) {
            ring = recent.ringFor(event.key());
        }
        ring.add(event);
    }

    /** The oldest first. */
    List<Event> recall(Kind kind, Key key) {
        Ring ring = byKind.of(kind).get(key);
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
        private @Nullable Event[] events = new @Nullable Event[4];
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

        void add(Event event) {
            if (size == events.length && size < EVENTS) {
                List<Event> all = toList();
                events = all.toArray(new @Nullable Event[EVENTS]);
                next = size;
            }
            events[next] = shared(event);
            next = (next + 1) % events.length;
            size = Math.min(size + 1, events.length);
        }

        /** Keys may be long: all events of one have the same. */
        @SuppressWarnings("ReferenceEquality") // equal ones are what is to be shared
        private Event shared(Event event) {
            return event.key() == key
                    ? event
                    : new Event(
                            event.type(),
                            event.kind(),
                            key,
                            event.session(),
                            event.mode(),
                            event.fence(),
                            event.atNanos(),
                            event.spanNanos(),
                            event.lateNanos(),
                            event.holders(),
                            event.waiters());
        }

        List<Event> toList() {
            List<Event> all = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                Event event = events[(next - size + i + events.length) % events.length];
                if (event != null) {
                    all.add(event);
                }
            }
            return all;
        }
    }
}
