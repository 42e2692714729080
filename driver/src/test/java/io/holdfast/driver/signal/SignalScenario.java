package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Key;

import java.util.ArrayList;
import java.util.List;

/** A hub and its listeners, with methods for tests. */
final class SignalScenario {
    final CountingPieceBudget budget = new CountingPieceBudget();
    final SignalHub hub;
    private final int maxSubscriptions;

    SignalScenario() {
        this(0);
    }

    SignalScenario(int maxSubscriptions) {
        this.maxSubscriptions = maxSubscriptions;
        this.hub = new SignalHub(maxSubscriptions, budget);
    }

    TestListener person(String name) {
        return new TestListener(name, hub);
    }

    /** The recipients of a signal on a channel, in the order they were chosen. */
    List<String> receivers(String channel) {
        return receivers(Key.of(channel));
    }

    List<String> receivers(Key channel) {
        return hub.choose(channel).listeners().stream().map(SignalListener::toString).toList();
    }

    List<ChannelView> views() {
        return views(hub.list());
    }

    /** The rest of a listing. */
    static List<ChannelView> views(ScanCursor<ChannelView> listing) {
        List<ChannelView> views = new ArrayList<>();
        try (listing) {
            for (List<ChannelView> slice = listing.next();
                    !slice.isEmpty();
                    slice = listing.next()) {
                views.addAll(slice);
                assertThat(views.size()).as("a list has an end").isLessThan(100_000);
            }
        }
        return views;
    }

    /** Asserts that the hub is empty. */
    void assertEmpty() {
        assertThat(views()).isEmpty();
        assertThat(budget.taken()).as("pieces of memory that are out").isZero();
        assertThat(HubObjectCount.of(hub))
                .as("objects in a hub that nobody uses")
                .isEqualTo(HubObjectCount.of(new SignalScenario(maxSubscriptions).hub));
    }
}
