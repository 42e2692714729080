package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 13.1. */
@DisplayName("A pattern")
class PatternTest {
    private final SignalScenario signals = new SignalScenario();
    private final TestListener alice = signals.person("alice");

    @ParameterizedTest
    @CsvSource({
        "a, a",
        "a.b, a.b",
        "a..b, a..b",
        "., .",
        ".a, .a",
        "a., a.",
        "*, a",
        "*.*, a.b",
        "*.*, .",
        "a.*, a.b",
        "a.*, a.",
        "*.b, a.b",
        "*.b, .b",
        "a.*.b, a.x.b",
        "a.*.b, a..b",
        "a.*.*, a..",
        "*.*.*, a..b",
        ">, a",
        ">, a.b.c",
        ">, .",
        ">, ..",
        "a.>, a.b",
        "a.>, a.b.c.d",
        "a.>, a.",
        "a.>, a..",
        "a.*.>, a.b.c",
        "a.*.>, a..c",
        "*.>, a.b",
        "*.>, .",
        ".>, .a",
    })
    void matches(String pattern, String channel) {
        assertThat(alice.listen(pattern)).isEqualTo(ListenOutcome.LISTENING);
        assertThat(signals.receivers(channel)).containsExactly("alice");
    }

    @ParameterizedTest
    @CsvSource({
        "a, b",
        "a, A",
        "a, aa",
        "aa, a",
        "a, a.",
        "a, .a",
        "a.b, a",
        "a.b, a.b.c",
        "a.b, a..b",
        "*, a.b",
        "*, .",
        "*.*, a",
        "*.*, a.b.c",
        "a.*, a",
        "a.*, b.c",
        "a.*, a.b.c",
        "a.*.b, a.b",
        "a.*.b, a.x.y.b",
        "a.*.b, a.x.c",
        "a.>, a",
        "a.>, b",
        "a.>, b.c",
        "a.>, aa.b",
        "a.*.>, a.b",
        "a.b.>, a.b",
        "*.>, a",
        ".>, a",
        ".>, a.b",
    })
    void a_pattern_does_not_match_other_channels(String pattern, String channel) {
        assertThat(alice.listen(pattern)).isEqualTo(ListenOutcome.LISTENING);
        assertThat(signals.receivers(channel)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.>.b", ">.a", ">.", ">.>", ">.*", "a.>.", "fo*", "*o", "f*o", "**", "a.**",
                "a.*b.c", ">x", "x>", ">>", "a.b>", "*>", ">*", "a.>b", "*.a*", "a*.b", "a>.b",
                ".>>"
            })
    void a_pattern_with_a_misplaced_wildcard_is_refused(String pattern) {
        assertThat(alice.listen(pattern)).isEqualTo(ListenOutcome.INVALID_PATTERN);
        assertThat(alice.listen(pattern, "group")).isEqualTo(ListenOutcome.INVALID_PATTERN);
        alice.unlisten(pattern); // has no effect
        signals.assertEmpty();
    }

    @Test
    void patterns_of_different_form_that_match_the_same_are_independent() {
        String[] patterns = {"a.b.c", "a.*.c", "*.b.c", "a.b.*", "a.>", "a.b.>", ">", "*.*.*"};
        for (String pattern : patterns) {
            signals.person(pattern).listen(pattern);
        }
        assertThat(signals.receivers("a.b.c")).containsExactlyInAnyOrder(patterns);
        assertThat(signals.receivers("a.x.c"))
                .containsExactlyInAnyOrder("a.*.c", "a.>", ">", "*.*.*");
        assertThat(signals.receivers("a.b")).containsExactlyInAnyOrder("a.>", ">");
        assertThat(signals.receivers("x")).containsExactly(">");
    }

    @Test
    void a_pattern_is_found_on_every_path_through_the_tree() {
        // The path of exact tokens does not match; the path of stars does.
        alice.listen("a.b.x");
        TestListener bob = signals.person("bob");
        bob.listen("a.b.*.d");
        TestListener carol = signals.person("carol");
        carol.listen("*.b.c");
        TestListener dave = signals.person("dave");
        dave.listen("*.*.c");
        assertThat(signals.receivers("a.b.c")).containsExactlyInAnyOrder("carol", "dave");
    }

    @Test
    void a_pattern_of_another_namespace_matches_nothing_here() {
        Key exact = Key.of(new Namespace("other"), Key.of("a.b").bytes());
        Key wild = Key.of(new Namespace("other"), Key.of("a.*").bytes());
        alice.listen(exact, "");
        TestListener bob = signals.person("bob");
        bob.listen(wild, "");
        TestListener carol = signals.person("carol");
        carol.listen("a.b");
        carol.listen("a.>");
        assertThat(signals.receivers("a.b")).containsExactly("carol");
        assertThat(signals.receivers(exact)).containsExactly("alice", "bob");
        bob.unlisten("a.*");
        assertThat(signals.receivers(exact)).containsExactly("alice", "bob");
        bob.unlisten(wild, "");
        alice.unlisten(exact, "");
        assertThat(signals.receivers(exact)).isEmpty();
        assertThat(signals.receivers("a.b")).containsExactly("carol");
    }

    @Test
    void a_pattern_may_be_invalid_utf8() {
        Key one = Key.of(Namespace.DEFAULT, new byte[] {(byte) 0xFF, '.', '*'});
        Key two = Key.of(Namespace.DEFAULT, new byte[] {(byte) 0xFE, '.', '*'});
        alice.listen(one, "");
        signals.person("bob").listen(two, "");
        assertThat(signals.receivers(Key.of(Namespace.DEFAULT, new byte[] {(byte) 0xFF, '.', 'a'})))
                .containsExactly("alice");
        assertThat(signals.receivers(Key.of(Namespace.DEFAULT, new byte[] {(byte) 0xFE, '.', 'a'})))
                .containsExactly("bob");
    }
}
