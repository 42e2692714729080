package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

@DisplayName("The listing of patterns")
class HubListingTest {
    private final SignalScenario signals = new SignalScenario();
    private final TestListener alice = signals.person("alice");
    private final TestListener bob = signals.person("bob");

    @Test
    void the_listing_of_a_hub_without_listeners_is_empty() {
        ScanCursor<ChannelView> listing = signals.hub.list();
        assertThat(listing.next()).isEmpty();
        assertThat(listing.next()).isEmpty();
        listing.close();
    }

    @Test
    void the_listing_shows_each_pattern_and_group_with_the_number_of_its_listeners() {
        Key elsewhere = Key.of(new Namespace("other"), Key.of("a").bytes());
        alice.listen("a");
        bob.listen("a");
        alice.listen("a", "workers");
        bob.listen("a.*", "workers");
        bob.listen(">");
        alice.listen(elsewhere, "");
        assertThat(signals.views())
                .containsExactlyInAnyOrder(
                        view("a", "", 2),
                        view("a", "workers", 1),
                        view("a.*", "workers", 1),
                        view(">", "", 1),
                        new ChannelView(elsewhere, ByteString.EMPTY, 1));
        bob.unlisten("a");
        bob.unlisten(">");
        assertThat(signals.views())
                .containsExactlyInAnyOrder(
                        view("a", "", 1),
                        view("a", "workers", 1),
                        view("a.*", "workers", 1),
                        new ChannelView(elsewhere, ByteString.EMPTY, 1));
    }

    @Test
    void the_listing_comes_in_slices_that_omit_nothing() {
        for (int count : new int[] {1, 255, 256, 257, 511, 512, 513, 1_500}) {
            Set<ChannelView> expected = new HashSet<>();
            for (int i = 0; i < count; i++) {
                alice.listen("a" + i, "g" + (i % 3));
                expected.add(view("a" + i, "g" + (i % 3), 1));
            }
            List<ChannelView> views = signals.views();
            assertThat(views).hasSize(count);
            assertThat(new HashSet<>(views)).isEqualTo(expected);
            alice.close();
            alice.reopen();
        }
    }

    @Test
    void the_listing_is_not_read_in_one_slice() {
        for (int i = 0; i < 10_000; i++) {
            alice.listen("a" + i);
        }
        ScanCursor<ChannelView> listing = signals.hub.list();
        List<ChannelView> first = listing.next();
        assertThat(first).hasSizeBetween(1, 1_000);
        assertThat(SignalScenario.views(listing)).hasSize(10_000 - first.size());
    }

    @Test
    void the_listing_continues_after_the_last_topic_even_if_that_was_removed() {
        for (int i = 0; i < 2_000; i++) {
            alice.listen("a" + i);
        }
        ScanCursor<ChannelView> listing = signals.hub.list();
        Set<Key> seen = new HashSet<>();
        Set<Key> left = new HashSet<>();
        for (List<ChannelView> slice = listing.next(); !slice.isEmpty(); slice = listing.next()) {
            for (ChannelView view : slice) {
                assertThat(seen.add(view.pattern())).isTrue();
            }
            left.add(slice.getLast().pattern());
            alice.unlisten(slice.getLast().pattern(), "");
        }
        assertThat(seen).hasSize(2_000);
        assertThat(left).hasSizeGreaterThan(1);
        assertThat(signals.views()).hasSize(2_000 - left.size());
    }

    @Test
    void the_listing_has_each_topic_that_exists_throughout_once() {
        Random random = new Random(7);
        List<String> groups = List.of("", "one", "two");
        Set<PatternAndGroup> steady = new HashSet<>();
        for (int i = 0; i < 1_200; i++) {
            PatternAndGroup patternAndGroup =
                    new PatternAndGroup(
                            Key.of("s" + random.nextInt(1_000_000) + (i % 4 == 0 ? ".*" : "")),
                            ByteString.of(groups.get(i % 3)));
            steady.add(patternAndGroup);
            alice.listen(patternAndGroup.pattern(), patternAndGroup.group().toString());
        }
        for (int run = 0; run < 10; run++) {
            List<PatternAndGroup> seen = new ArrayList<>();
            ScanCursor<ChannelView> listing = signals.hub.list();
            for (List<ChannelView> slice = listing.next();
                    !slice.isEmpty();
                    slice = listing.next()) {
                slice.forEach(view -> seen.add(new PatternAndGroup(view.pattern(), view.group())));
                bob.close();
                bob.reopen();
                for (int i = 0; i < 300; i++) { // before and after the cursor
                    bob.listen("s" + random.nextInt(1_000_000), groups.get(i % 3));
                }
                PatternAndGroup joined = List.copyOf(steady).get(random.nextInt(steady.size()));
                bob.listen(joined.pattern(), joined.group().toString());
            }
            Set<PatternAndGroup> once = new HashSet<>(seen);
            assertThat(once).hasSameSizeAs(seen);
            assertThat(once.containsAll(steady)).as("all that were there throughout").isTrue();
        }
        alice.close();
        bob.close();
        signals.assertEmpty();
    }

    private static ChannelView view(String pattern, String group, int listeners) {
        return new ChannelView(Key.of(pattern), ByteString.of(group), listeners);
    }
}
