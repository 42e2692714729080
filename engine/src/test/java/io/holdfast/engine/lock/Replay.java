package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.KeyView;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reconstructs holders and waiters from events alone. Fails if events are inconsistent. */
final class Replay {
    static final Comparator<KeyView.Waiter> ANY_ORDER =
            Comparator.comparingLong(KeyView.Waiter::waitedNanos)
                    .thenComparingLong(KeyView.Waiter::session)
                    .thenComparing(KeyView.Waiter::mode);

    private record Name(ResourceKind kind, Key key) {}

    private record Waiting(long session, ReadWriteMode mode, long since) {}

    private record Held(
            long session, ReadWriteMode mode, long requestedAt, long since, boolean offered) {}

    private static final class ResourceState {
        final List<Waiting> waits = new ArrayList<>();
        final Map<Long, Held> holds = new LinkedHashMap<>();
    }

    private final Map<Name, ResourceState> states = new HashMap<>();

    void see(KeyEvent keyEvent) {
        Name name = new Name(keyEvent.kind(), keyEvent.key());
        ResourceState state = states.computeIfAbsent(name, _ -> new ResourceState());
        switch (keyEvent.type()) {
            case WAITING -> {
                assertThat(keyEvent.durationNanos()).as("%s", keyEvent).isZero();
                state.waits.add(
                        new Waiting(keyEvent.session(), keyEvent.mode(), keyEvent.atNanos()));
            }
            case OFFERED -> hold(state, keyEvent, true);
            case ACQUIRED -> {
                if (state.holds.containsKey(keyEvent.fence())) {
                    confirm(state, keyEvent);
                } else {
                    hold(state, keyEvent, false);
                }
            }
            case RELEASED, EXPIRED -> {
                Held held = end(state, keyEvent);
                assertThat(held.offered()).as("%s was confirmed", keyEvent).isFalse();
                assertThat(held.since()).as("%s", keyEvent).isEqualTo(begin(keyEvent));
            }
            case LOST ->
                    assertThat(end(state, keyEvent).since())
                            .as("%s", keyEvent)
                            .isEqualTo(begin(keyEvent));
            case TIMED_OUT -> leave(state, keyEvent);
            case GAVE_UP -> {
                if (keyEvent.fence() == 0) {
                    assertThat(state.waits).hasSize(keyEvent.waiters() + 1);
                    leave(state, keyEvent);
                } else {
                    Held held = end(state, keyEvent);
                    assertThat(held.offered()).as("%s was an offer", keyEvent).isTrue();
                    assertThat(held.requestedAt()).as("%s", keyEvent).isEqualTo(begin(keyEvent));
                }
            }
        }
        boolean ofHold =
                switch (keyEvent.type()) {
                    case OFFERED, ACQUIRED, RELEASED, EXPIRED, LOST -> true;
                    case GAVE_UP -> keyEvent.fence() != 0;
                    case WAITING, TIMED_OUT -> false;
                };
        assertThat(keyEvent.fence() != 0).as("%s has a fence", keyEvent).isEqualTo(ofHold);
        assertThat(keyEvent.type() == KeyEvent.Type.EXPIRED || keyEvent.lateNanos() == 0).isTrue();
        assertThat(keyEvent.holders()).as("holders at %s", keyEvent).isEqualTo(state.holds.size());
        assertThat(keyEvent.waiters()).as("waiters at %s", keyEvent).isEqualTo(state.waits.size());
    }

    private static long begin(KeyEvent keyEvent) {
        return keyEvent.atNanos() - keyEvent.durationNanos();
    }

    private static void hold(ResourceState state, KeyEvent keyEvent, boolean offered) {
        leave(state, keyEvent);
        Held held =
                new Held(
                        keyEvent.session(),
                        keyEvent.mode(),
                        begin(keyEvent),
                        keyEvent.atNanos(),
                        offered);
        state.holds.put(keyEvent.fence(), held);
    }

    private static void confirm(ResourceState state, KeyEvent keyEvent) {
        Held offer = state.holds.get(keyEvent.fence());
        assertThat(offer.offered()).as("%s again", keyEvent).isTrue();
        assertThat(offer.session()).isEqualTo(keyEvent.session());
        assertThat(offer.requestedAt()).as("%s", keyEvent).isEqualTo(begin(keyEvent));
        state.holds.put(
                keyEvent.fence(),
                new Held(
                        offer.session(),
                        offer.mode(),
                        offer.requestedAt(),
                        keyEvent.atNanos(),
                        false));
    }

    private static Held end(ResourceState state, KeyEvent keyEvent) {
        Held held = state.holds.remove(keyEvent.fence());
        assertThat(held).as("%s was held", keyEvent).isNotNull();
        assertThat(held.session()).as("%s", keyEvent).isEqualTo(keyEvent.session());
        assertThat(held.mode()).as("%s", keyEvent).isEqualTo(keyEvent.mode());
        return held;
    }

    /** Ends a wait, unless the event is about a request that did not have to wait. */
    private static void leave(ResourceState state, KeyEvent keyEvent) {
        if (keyEvent.waiters() == state.waits.size()) {
            assertThat(keyEvent.durationNanos()).as("%s did not wait", keyEvent).isZero();
        } else {
            Waiting wait = new Waiting(keyEvent.session(), keyEvent.mode(), begin(keyEvent));
            assertThat(state.waits.remove(wait)).as("%s waited", keyEvent).isTrue();
        }
    }

    /**
     * The holders and waiters of a key without the ends of leases and waits, and without positions:
     * of two waits of a session that began at the same time, it is unknown which one ended.
     */
    Optional<KeyView> view(ResourceKind resourceKind, Key key, long limit, long now) {
        ResourceState state = states.getOrDefault(new Name(resourceKind, key), new ResourceState());
        if (state.holds.isEmpty() && state.waits.isEmpty()) {
            return Optional.empty();
        }
        List<KeyView.Holder> holders = new ArrayList<>();
        state.holds.forEach(
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
        for (Waiting wait : state.waits) {
            long waited = now - wait.since();
            waiters.add(new KeyView.Waiter(wait.session(), 0, wait.mode(), waited, 0));
        }
        waiters.sort(ANY_ORDER);
        return Optional.of(
                new KeyView(resourceKind, limit, holders.size(), waiters.size(), holders, waiters));
    }
}
