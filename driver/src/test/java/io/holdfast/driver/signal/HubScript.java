package io.holdfast.driver.signal;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.DomainContextBase;

import java.util.List;

/** Actions of a few listeners on a few patterns. Tokens are few, so that patterns often match. */
record HubScript(int people, int maxSubscriptions, List<Step> steps) {
    /** Enough to leave the code paths for few registrations. */
    private static final int CROWD = 14;

    /** A text in one of two namespaces. */
    record Name(String namespace, String text) {
        List<String> tokens() {
            return List.of(text.split("\\.", -1));
        }

        @Override
        public String toString() {
            return (namespace.isEmpty() ? "" : namespace + "/") + text;
        }
    }

    /** An action of one listener, or of the environment. */
    sealed interface Step {
        record Listen(int who, Name pattern, String group) implements Step {}

        /** All listeners listen, one after the other. */
        record ListenAll(Name pattern, String group) implements Step {}

        record Unlisten(int who, Name pattern, String group) implements Step {}

        /** Ends one of the existing registrations of any listener. */
        record Leave(int which) implements Step {}

        record Close(int who) implements Step {}

        record Reopen(int who) implements Step {}

        record Full(int who, boolean full) implements Step {}

        /** Sets how many more pieces of memory are available. */
        record Left(int pieces) implements Step {}

        record Emit(Name channel) implements Step {}
    }

    static final class Domain extends DomainContextBase {
        @Provide
        Arbitrary<HubScript> scripts() {
            return Combinators.combine(
                            Arbitraries.of(4, 5, 5, CROWD), Arbitraries.of(0, 0, 0, 2, 5), steps())
                    .as(HubScript::new);
        }

        private static Arbitrary<List<Step>> steps() {
            return Arbitraries.<Step>frequencyOf(
                            Tuple.of(
                                    35,
                                    Combinators.combine(who(), name(pattern()), group())
                                            .as(Step.Listen::new)),
                            Tuple.of(
                                    1,
                                    Combinators.combine(name(pattern()), group())
                                            .as(Step.ListenAll::new)),
                            Tuple.of(
                                    3,
                                    Combinators.combine(who(), name(pattern()), group())
                                            .as(Step.Unlisten::new)),
                            Tuple.of(
                                    6, Arbitraries.integers().between(0, 999).map(Step.Leave::new)),
                            Tuple.of(1, who().map(Step.Close::new)),
                            Tuple.of(2, who().map(Step.Reopen::new)),
                            Tuple.of(
                                    6,
                                    Combinators.combine(who(), Arbitraries.of(true, false))
                                            .as(Step.Full::new)),
                            Tuple.of(2, Arbitraries.of(0, 3, 6, 1000, 1000).map(Step.Left::new)),
                            Tuple.of(30, name(channel()).map(Step.Emit::new)))
                    .list()
                    .ofMaxSize(150)
                    .withSizeDistribution(RandomDistribution.uniform());
        }

        /** Modulo the number of listeners. */
        private static Arbitrary<Integer> who() {
            return Arbitraries.integers().between(0, CROWD * 5 - 1);
        }

        private static Arbitrary<String> group() {
            return Arbitraries.frequency(Tuple.of(5, ""), Tuple.of(4, "g"), Tuple.of(2, "h"));
        }

        private static Arbitrary<Name> name(Arbitrary<String> text) {
            return Combinators.combine(
                            Arbitraries.frequency(Tuple.of(9, ""), Tuple.of(1, "other")), text)
                    .as(Name::new);
        }

        static Arbitrary<String> channel() {
            return joined(
                    Arbitraries.frequency(Tuple.of(1, ""), Tuple.of(3, "a"), Tuple.of(2, "b")));
        }

        /** Usually valid. */
        static Arbitrary<String> pattern() {
            Arbitrary<String> tokens =
                    joined(
                            Arbitraries.frequency(
                                    Tuple.of(10, ""),
                                    Tuple.of(40, "a"),
                                    Tuple.of(20, "b"),
                                    Tuple.of(40, "*"),
                                    Tuple.of(1, "a*"),
                                    Tuple.of(1, "**"),
                                    Tuple.of(1, ">"),
                                    Tuple.of(1, ">b")));
            return Combinators.combine(tokens, Arbitraries.of("", "", "", ".>", ">"))
                    .as((text, end) -> end.equals(">") ? ">" : text + end);
        }

        /** One to three tokens; a key is never empty. */
        private static Arbitrary<String> joined(Arbitrary<String> token) {
            return token.list()
                    .ofMinSize(1)
                    .ofMaxSize(3)
                    .withSizeDistribution(RandomDistribution.uniform())
                    .map(tokens -> String.join(".", tokens))
                    .map(text -> text.isEmpty() ? "a" : text);
        }
    }
}
