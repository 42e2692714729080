package io.holdfast.protocol.dflockd;

import static io.holdfast.protocol.dflockd.Wire.decode;
import static io.holdfast.protocol.dflockd.Wire.describe;
import static io.holdfast.protocol.dflockd.Wire.key;
import static io.holdfast.protocol.dflockd.Wire.request;
import static io.holdfast.protocol.dflockd.Wire.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Token;
import io.holdfast.protocol.dflockd.DflockdRequest.Acquire;
import io.holdfast.protocol.dflockd.DflockdRequest.Auth;
import io.holdfast.protocol.dflockd.DflockdRequest.Await;
import io.holdfast.protocol.dflockd.DflockdRequest.Enqueue;
import io.holdfast.protocol.dflockd.DflockdRequest.Malformed;
import io.holdfast.protocol.dflockd.DflockdRequest.Ping;
import io.holdfast.protocol.dflockd.DflockdRequest.Release;
import io.holdfast.protocol.dflockd.DflockdRequest.Renew;
import io.holdfast.protocol.dflockd.DflockdRequest.Stats;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

@Label("Requests drawn at random")
class DflockdSyntaxPropertyTest {
    private static final long MOST_SECONDS = 9223372036L;
    private static final List<String> BLANKS =
            List.of(" ", "\t", "\r", "\u000b", "\f", "\u0085", "\u00a0", "\u2003", "\u3000");

    @Property(tries = 2000)
    void mean_what_their_writer_meant(
            @ForAll("requests") DflockdRequest meant, @ForAll("writers") RequestWriter writer) {
        assertThat(text(request(writer.write(meant)))).isEqualTo(text(meant));
    }

    @Property(tries = 200)
    void keep_their_order(
            @ForAll("conversations") List<DflockdRequest> meant,
            @ForAll("writers") RequestWriter writer) {
        var bytes = new ByteArrayOutputStream();
        meant.forEach(one -> bytes.writeBytes(writer.write(one)));
        assertThat(describe(decode(bytes.toByteArray())))
                .isEqualTo(meant.stream().map(DflockdSyntaxPropertyTest::text).toList());
    }

    @Property(tries = 5000)
    void take_exactly_the_numbers_that_are_in_range(@ForAll("numberLike") String text) {
        boolean number = text.matches("[+-]?[0-9]+");
        BigInteger value = number ? new BigInteger(text) : BigInteger.ONE.negate();
        boolean isTimeout = isBetween(value, 0, MOST_SECONDS);
        boolean isLimit = isBetween(value, 1, Long.MAX_VALUE);
        assertThat(request("w", "k", text))
                .isEqualTo(
                        isTimeout
                                ? new Await(Kind.MUTEX, key("k"), seconds(value.longValue()))
                                : new Malformed());
        assertThat(request("se", "k", text))
                .isEqualTo(
                        isLimit
                                ? new Enqueue(Kind.SEMAPHORE, key("k"), value.longValue(), 0)
                                : new Malformed());
    }

    private static boolean isBetween(BigInteger value, long least, long most) {
        return value.compareTo(BigInteger.valueOf(least)) >= 0
                && value.compareTo(BigInteger.valueOf(most)) <= 0;
    }

    private static String text(DflockdRequest request) {
        return describe(new DflockdInput.Request(request));
    }

    @Provide
    Arbitrary<String> numberLike() {
        Arbitrary<String> near =
                Arbitraries.of(
                                "9223372036",
                                "9223372037",
                                "9223372036854775807",
                                "9223372036854775808",
                                "18446744073709551616")
                        .map(BigInteger::new)
                        .flatMap(
                                edge ->
                                        Arbitraries.integers()
                                                .between(-3, 3)
                                                .map(i -> edge.add(BigInteger.valueOf(i))))
                        .flatMap(n -> Arbitraries.of(n.toString(), "-" + n, "+" + n, "00" + n));
        Arbitrary<String> digits = Arbitraries.strings().withChars("0123456789").ofMaxLength(22);
        Arbitrary<String> odd = Arbitraries.strings().withChars("+-019.ex_").ofMaxLength(4);
        Arbitrary<String> signed =
                Combinators.combine(Arbitraries.of("", "+", "-"), digits).as(String::concat);
        return Arbitraries.oneOf(near, signed, odd);
    }

    @Provide
    Arbitrary<List<DflockdRequest>> conversations() {
        return requests().list().ofMaxSize(20);
    }

    @Provide
    Arbitrary<DflockdRequest> requests() {
        Arbitrary<Kind> kinds = Arbitraries.of(Kind.class);
        Arbitrary<Key> keys = keys();
        Arbitrary<Long> waits = Arbitraries.longs().between(0, MOST_SECONDS).map(Wire::seconds);
        Arbitrary<Long> leases = Arbitraries.longs().between(0, MOST_SECONDS).map(Wire::seconds);
        Arbitrary<Long> limits = Arbitraries.longs().between(1, Long.MAX_VALUE);
        Arbitrary<Token> tokens =
                Combinators.combine(Arbitraries.longs(), Arbitraries.longs()).as(Token::new);
        return Arbitraries.oneOf(
                Combinators.combine(kinds, keys, limits, waits, leases)
                        .as((kind, k, n, w, l) -> new Acquire(kind, k, slots(kind, n), w, l)),
                Combinators.combine(kinds, keys, limits, leases)
                        .as((kind, k, n, l) -> new Enqueue(kind, k, slots(kind, n), l)),
                Combinators.combine(kinds, keys, waits).as(Await::new),
                Combinators.combine(kinds, keys, tokens).as(Release::new),
                Combinators.combine(kinds, keys, tokens, leases).as(Renew::new),
                secrets().map(Auth::new),
                Arbitraries.of(new Ping(), new Stats()));
    }

    /** A lock is a semaphore with one slot, and does not say so. */
    private static long slots(Kind kind, long limit) {
        return kind == Kind.MUTEX ? 1 : limit;
    }

    /** Any bytes but the four that no key has. */
    private static Arbitrary<Key> keys() {
        return bytes().filter(b -> b != ' ' && b != '\t' && b != '\r' && b != '\n')
                .array(byte[].class)
                .ofMinSize(1)
                .ofMaxSize(250)
                .map(bytes -> Key.of(Namespace.DEFAULT, bytes));
    }

    /** Any bytes, with a letter at both ends so that nothing is trimmed. */
    private static Arbitrary<byte[]> secrets() {
        return bytes().filter(b -> b != '\n')
                .array(byte[].class)
                .ofMaxSize(1000)
                .map(
                        middle -> {
                            var out = new ByteArrayOutputStream();
                            out.write('a');
                            out.writeBytes(middle);
                            out.write('z');
                            return out.toByteArray();
                        });
    }

    private static Arbitrary<Byte> bytes() {
        return Arbitraries.integers()
                .between(-128, 127)
                .withDistribution(net.jqwik.api.RandomDistribution.uniform())
                .map(Integer::byteValue);
    }

    @Provide
    Arbitrary<RequestWriter> writers() {
        return Combinators.combine(
                        Arbitraries.of("", "+", "0", "+000"),
                        Arbitraries.longs(),
                        Arbitraries.of("\n", "\r\n", "\r\r\r\n"))
                .as(
                        (before, seed, end) ->
                                new RequestWriter(n -> before + n, someBlanks(seed), end));
    }

    /** Between fields at least one blank, at the ends any number. */
    private static UnaryOperator<String> someBlanks(long seed) {
        Random random = new Random(seed);
        return between -> {
            StringBuilder text = new StringBuilder(between);
            for (int i = random.nextInt(4); i > 0; i--) {
                text.append(BLANKS.get(random.nextInt(BLANKS.size())));
            }
            return text.toString();
        };
    }
}
