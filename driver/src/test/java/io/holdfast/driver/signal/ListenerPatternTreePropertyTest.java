package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

@Label("The tree of patterns")
class ListenerPatternTreePropertyTest {
    @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
    void the_pattern_tree_finds_exactly_the_patterns_that_match_by_definition(
            @ForAll("patterns") Set<String> patterns, @ForAll("channels") List<String> channels) {
        Filled filled = new Filled(patterns);
        channels.forEach(filled::check);
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void the_pattern_tree_removes_one_pattern_and_no_other(
            @ForAll("patterns") Set<String> patterns, @ForAll("channels") List<String> channels) {
        Filled filled = new Filled(patterns);
        for (String gone : patterns) {
            filled.tree.remove(tokens(gone));
            filled.audiences.remove(gone);
            assertThat(filled.tree.get(tokens(gone))).isNull();
            filled.audiences.forEach(
                    (pattern, patternListeners) ->
                            assertThat(filled.tree.get(tokens(pattern)))
                                    .isSameAs(patternListeners));
            channels.forEach(filled::check);
            assertThat(filled.tree.isEmpty()).isEqualTo(filled.audiences.isEmpty());
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void removing_an_unknown_pattern_does_not_change_the_pattern_tree(
            @ForAll("patterns") Set<String> patterns,
            @ForAll("patterns") Set<String> others,
            @ForAll("channels") List<String> channels) {
        Filled filled = new Filled(patterns);
        for (String other : others) {
            if (!patterns.contains(other)) {
                assertThat(filled.tree.get(tokens(other))).isNull();
                filled.tree.remove(tokens(other));
            }
        }
        channels.forEach(filled::check);
    }

    @Property(tries = 1000)
    void valid_patterns_are_recognized(@ForAll("texts") String text) {
        boolean valid = HubModel.isValid(List.of(text.split("\\.", -1)));
        assertThat(ChannelTokens.isPattern(tokens(text))).isEqualTo(valid);
        assertThat(SignalService.isPattern(Key.of(text))).isEqualTo(valid);
        assertThat(ChannelTokens.hasWildcard(Key.of(text)))
                .isEqualTo(text.contains("*") || text.contains(">"));
    }

    @Property(tries = 1000)
    void a_text_is_split_at_every_dot(@ForAll("texts") String text) {
        assertThat(tokens(text).stream().map(ByteString::toString).toList())
                .isEqualTo(List.of(text.split("\\.", -1)));
    }

    @Provide
    Arbitrary<Set<String>> patterns() {
        Arbitrary<String> tokens = joined(Arbitraries.of("", "a", "a", "b", "*", "*"), 0, 4);
        return Combinators.combine(tokens, Arbitraries.of(true, false, false))
                .as((text, open) -> open ? (text.isEmpty() ? ">" : text + ".>") : text)
                .filter(pattern -> !pattern.isEmpty())
                .set()
                .ofMaxSize(30);
    }

    @Provide
    Arbitrary<List<String>> channels() {
        return joined(Arbitraries.of("", "a", "a", "b", "c"), 1, 5).list().ofSize(20);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().withChars("ab.*>").ofMinLength(1).ofMaxLength(8);
    }

    private static Arbitrary<String> joined(Arbitrary<String> token, int fewest, int most) {
        return token.list()
                .ofMinSize(fewest)
                .ofMaxSize(most)
                .map(tokens -> String.join(".", tokens));
    }

    private static List<ByteString> tokens(String text) {
        return ChannelTokens.of(Key.of(text));
    }

    /** A tree and its expected content. */
    private static final class Filled {
        final ListenerPatternTree tree = new ListenerPatternTree();
        final Map<String, PatternListeners> audiences = new LinkedHashMap<>();

        Filled(Set<String> patterns) {
            for (String pattern : patterns) {
                audiences.put(pattern, tree.getOrAdd(tokens(pattern)));
            }
            patterns.forEach(
                    pattern ->
                            assertThat(tree.getOrAdd(tokens(pattern)))
                                    .isSameAs(audiences.get(pattern)));
        }

        void check(String channel) {
            List<PatternListeners> found = new ArrayList<>();
            tree.match(tokens(channel), found);
            List<PatternListeners> expected = new ArrayList<>();
            audiences.forEach(
                    (pattern, patternListeners) -> {
                        List<String> channelTokens = List.of(channel.split("\\.", -1));
                        if (HubModel.matches(List.of(pattern.split("\\.", -1)), channelTokens)) {
                            expected.add(patternListeners);
                        }
                    });
            assertThat(found)
                    .as("matching %s", channel)
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }
}
