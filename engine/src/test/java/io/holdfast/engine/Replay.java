package io.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who holds and waits for what, from events alone. Objects to events that do not fit together. */
final class Replay {
    static final Comparator<KeyView.Waiter> ANY_ORDER =
            Comparator.comparingLong(KeyView.Waiter::waitedNanos)
                    .thenComparingLong(KeyView.Waiter::session)
                    .thenComparing(KeyView.Waiter::mode);

    private record Name(Kind kind, Key key) {}

    private record Waiting(long session, Mode mode, long since) {}

    private record Held(long session, Mode mode, long asked, long since, boolean offered) {}

    private static final class Line {
        final List<Waiting> waits = new ArrayList<>();
        final Map<Long, Held> holds = new LinkedHashMap<>();
    }

    private final Map<Name, Line> lines = new HashMap<>();

    void see(Event event) {
        Name name = new Name(event.kind(), event.key());
        Line line = lines.computeIfAbsent(name, _ -> new Line());
        switch (event.type()) {
            case WAITING -> {
                assertThat(event.spanNanos()).as("%s", event).isZero();
                line.waits.add(new Waiting(event.session(), event.mode(), event.atNanos()));
            }
            case OFFERED -> hold(line, event, true);
            case ACQUIRED -> {
                if (line.holds.containsKey(event.fence())) {
                    confirm(line, event);
                } else {
                    hold(line, event, false);
                }
            }
            case RELEASED, EXPIRED -> {
                Held held = end(line, event);
                assertThat(held.offered()).as("%s was confirmed", event).isFalse();
                assertThat(held.since()).as("%s", event).isEqualTo(begin(event));
            }
            case LOST ->
                    assertThat(end(line, event).since()).as("%s", event).isEqualTo(begin(event));
            case TIMED_OUT -> leave(line, event);
            case GAVE_UP -> {
                if (event.fence() == 0) {
                    assertThat(line.waits).hasSize(event.waiters() + 1);
                    leave(line, event);
                } else {
                    Held held = end(line, event);
                    assertThat(held.offered()).as("%s was an offer", event).isTrue();
                    assertThat(held.asked()).as("%s", event).isEqualTo(begin(event));
                }
            }
        }
        boolean ofHold =
                switch (event.type()) {
                    case OFFERED, ACQUIRED, RELEASED, EXPIRED, LOST -> true;
                    case GAVE_UP -> event.fence() != 0;
                    case WAITING, TIMED_OUT -> false;
                };
        assertThat(event.fence() != 0).as("%s has a fence", event).isEqualTo(ofHold);
        assertThat(event.type() == Event.Type.EXPIRED || event.lateNanos() == 0).isTrue();
        assertThat(event.holders()).as("holders at %s", event).isEqualTo(line.holds.size());
        assertThat(event.waiters()).as("waiters at %s", event).isEqualTo(line.waits.size());
    }

    private static long begin(Event event) {
        return event.atNanos() - event.spanNanos();
    }

    private static void hold(Line line, Event event, boolean offered) {
        leave(line, event);
        Held held = new Held(event.session(), event.mode(), begin(event), event.atNanos(), offered);
        line.holds.put(event.fence(), held);
    }

    private static void confirm(Line line, Event event) {
        Held offer = line.holds.get(event.fence());
        assertThat(offer.offered()).as("%s again", event).isTrue();
        assertThat(offer.session()).isEqualTo(event.session());
        assertThat(offer.asked()).as("%s", event).isEqualTo(begin(event));
        line.holds.put(
                event.fence(),
                new Held(offer.session(), offer.mode(), offer.asked(), event.atNanos(), false));
    }

    private static Held end(Line line, Event event) {
        Held held = line.holds.remove(event.fence());
        assertThat(held).as("%s was held", event).isNotNull();
        assertThat(held.session()).as("%s", event).isEqualTo(event.session());
        assertThat(held.mode()).as("%s", event).isEqualTo(event.mode());
        return held;
    }

    /** A wait ends, unless the event is about one who came and did not have to wait. */
    private static void leave(Line line, Event event) {
        if (event.waiters() == line.waits.size()) {
            assertThat(event.spanNanos()).as("%s did not wait", event).isZero();
        } else {
            Waiting wait = new Waiting(event.session(), event.mode(), begin(event));
            assertThat(line.waits.remove(wait)).as("%s waited", event).isTrue();
        }
    }

    /**
     * How a key stands, except for when its leases and waits end, and without positions: of two
     * waits of a session that began at once, nobody can tell which of them ended.
     */
    Optional<KeyView> view(Kind kind, Key key, long limit, long now) {
        Line line = lines.getOrDefault(new Name(kind, key), new Line());
        if (line.holds.isEmpty() && line.waits.isEmpty()) {
            return Optional.empty();
        }
        List<KeyView.Holder> holders = new ArrayList<>();
        line.holds.forEach(
                (fence, held) ->
                        holders.add(
                                new KeyView.Holder(
                                        held.session(),
                                        fence,
                                        held.mode(),
                                        now - held.since(),
                                        0,
                                        held.offered())));
        List<KeyView.Waiter> waiters = new ArrayList<>();
        for (Waiting wait : line.waits) {
            long waited = now - wait.since();
            waiters.add(new KeyView.Waiter(wait.session(), 0, wait.mode(), waited, 0));
        }
        waiters.sort(ANY_ORDER);
        return Optional.of(
                new KeyView(kind, limit, holders.size(), waiters.size(), holders, waiters));
    }
}
