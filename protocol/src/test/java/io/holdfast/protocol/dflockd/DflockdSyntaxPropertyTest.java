package io.holdfast.protocol.dflockd;

import static io.holdfast.protocol.dflockd.WireBytes.decode;
import static io.holdfast.protocol.dflockd.WireBytes.describe;
import static io.holdfast.protocol.dflockd.WireBytes.key;
import static io.holdfast.protocol.dflockd.WireBytes.request;
import static io.holdfast.protocol.dflockd.WireBytes.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.DataOperation.Decrement;
import io.holdfast.engine.DataOperation.Increment;
import io.holdfast.engine.DataOperation.Range;
import io.holdfast.engine.DataOperation.SetCounter;
import io.holdfast.engine.DataOperation.SetValue;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.protocol.dflockd.DflockdRequest.Acquire;
import io.holdfast.protocol.dflockd.DflockdRequest.Auth;
import io.holdfast.protocol.dflockd.DflockdRequest.Await;
import io.holdfast.protocol.dflockd.DflockdRequest.Data;
import io.holdfast.protocol.dflockd.DflockdRequest.Enqueue;
import io.holdfast.protocol.dflockd.DflockdRequest.Listen;
import io.holdfast.protocol.dflockd.DflockdRequest.Malformed;
import io.holdfast.protocol.dflockd.DflockdRequest.Ping;
import io.holdfast.protocol.dflockd.DflockdRequest.Release;
import io.holdfast.protocol.dflockd.DflockdRequest.Renew;
import io.holdfast.protocol.dflockd.DflockdRequest.Signal;
import io.holdfast.protocol.dflockd.DflockdRequest.Stats;
import io.holdfast.protocol.dflockd.DflockdRequest.Unlisten;
import io.holdfast.protocol.text.Whitespace;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

@Label("Random requests")
class DflockdSyntaxPropertyTest {
    private static final long MOST_SECONDS = 9223372036L;
    private static final List<String> BLANKS =
            List.of(" ", "\t", "\r", "\u000b", "\f", "\u0085", "\u00a0", "\u2003", "\u3000");

    @Property(tries = 3000)
    void generated_requests_are_parsed_as_written(
            @ForAll("requests") DflockdRequest meant, @ForAll("writers") RequestWriter writer) {
        assertThat(text(request(writer.write(meant)))).isEqualTo(text(meant));
    }

    @Property(tries = 200)
    void generated_requests_are_parsed_in_order(
            @ForAll("conversations") List<DflockdRequest> meant,
            @ForAll("writers") RequestWriter writer) {
        var bytes = new ByteArrayOutputStream();
        meant.forEach(one -> bytes.writeBytes(writer.write(one)));
        assertThat(describe(decode(bytes.toByteArray())))
                .isEqualTo(meant.stream().map(DflockdSyntaxPropertyTest::text).toList());
    }

    @Property(tries = 5000)
    void numbers_are_accepted_exactly_if_they_are_in_range(@ForAll("numberLike") String text) {
        boolean number = text.matches("[+-]?[0-9]+");
        BigInteger value = number ? new BigInteger(text) : BigInteger.ONE.negate();
        boolean isTimeout = isBetween(value, 0, MOST_SECONDS);
        boolean isLimit = isBetween(value, 1, Long.MAX_VALUE);
        assertThat(request("w", "k", text))
                .isEqualTo(
                        isTimeout
                                ? new Await(ResourceKind.LOCK, key("k"), seconds(value.longValue()))
                                : new Malformed());
        assertThat(request("se", "k", text))
                .isEqualTo(
                        isLimit
                                ? new Enqueue(
                                        ResourceKind.SEMAPHORE, key("k"), value.longValue(), 0)
                                : new Malformed());
    }

    @Property(tries = 5000)
    void counter_values_and_list_indexes_are_accepted_exactly_if_they_fit_64_bits(
            @ForAll("numberLike") String text, @ForAll("numberLike") String other) {
        Optional<Long> number = number(text);
        assertThat(request("incr", "k", text)).isEqualTo(data(number.map(Increment::new)));
        assertThat(request("decr", "k", text)).isEqualTo(data(number.map(Decrement::new)));
        assertThat(request("cset", "k", text)).isEqualTo(data(number.map(SetCounter::new)));
        assertThat(request("lrange", "k", text + " " + other))
                .isEqualTo(
                        data(
                                number.flatMap(
                                        first ->
                                                number(other)
                                                        .map(last -> new Range(first, last)))));
    }

    /** Text that looks like a number after the last space decides. */
    @Property(tries = 5000)
    void a_value_is_split_from_its_time_to_live(
            @ForAll("contents") byte[] content, @ForAll("numberLike") String text) {
        var argument = new ByteArrayOutputStream();
        argument.writeBytes(content);
        argument.writeBytes(WireBytes.raw(" " + text));
        ByteString whole = ByteString.of(argument.toByteArray());
        Optional<Long> ttl = number(text).filter(it -> it >= 0);
        Optional<SetValue> meant;
        if (ttl.isEmpty()) {
            meant = Optional.of(new SetValue(whole, Command.FOREVER));
        } else if (ttl.get() == 0) {
            meant = Optional.of(new SetValue(ByteString.of(content), Command.FOREVER));
        } else {
            meant =
                    ttl.filter(it -> it <= MOST_SECONDS)
                            .map(it -> new SetValue(ByteString.of(content), seconds(it)));
        }
        assertThat(request(lines("kset", whole.bytes()))).isEqualTo(data(meant));
    }

    /** Compares with the reference syntax, which shares no code with the tested one. */
    @Property(tries = 10000)
    void data_and_signal_requests_match_the_reference_syntax(
            @ForAll("words") String command, @ForAll("argumentLike") byte[] argument) {
        String withoutReturns =
                new String(argument, StandardCharsets.ISO_8859_1).replaceAll("\r+\\z", "");
        assertThat(text(request(lines(command, argument))))
                .isEqualTo(text(ReferenceSyntax.parse(command, "k", withoutReturns)));
    }

    private static byte[] lines(String command, byte[] argument) {
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(WireBytes.raw(command + "\nk\n"));
        bytes.writeBytes(argument);
        bytes.write('\n');
        return bytes.toByteArray();
    }

    private static Optional<Long> number(String text) {
        return Optional.of(text)
                .filter(it -> it.matches("[+-]?[0-9]+"))
                .map(BigInteger::new)
                .filter(it -> isBetween(it, Long.MIN_VALUE, Long.MAX_VALUE))
                .map(BigInteger::longValue);
    }

    private static DflockdRequest data(Optional<? extends DataOperation> operation) {
        return operation.isPresent() ? new Data(key("k"), operation.get()) : new Malformed();
    }

    private static boolean isBetween(BigInteger value, long least, long most) {
        return value.compareTo(BigInteger.valueOf(least)) >= 0
                && value.compareTo(BigInteger.valueOf(most)) <= 0;
    }

    private static String text(DflockdRequest request) {
        return describe(new DflockdDecoderResult.Request(request));
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
        Arbitrary<ResourceKind> kinds = Arbitraries.of(ResourceKind.LOCK, ResourceKind.SEMAPHORE);
        Arbitrary<Key> keys = keys();
        Arbitrary<Long> waits =
                Arbitraries.longs().between(0, MOST_SECONDS).map(WireBytes::seconds);
        Arbitrary<Long> leases =
                Arbitraries.longs().between(0, MOST_SECONDS).map(WireBytes::seconds);
        Arbitrary<Long> limits = Arbitraries.longs().between(1, Long.MAX_VALUE);
        Arbitrary<Token> tokens =
                Combinators.combine(Arbitraries.longs(), Arbitraries.longs()).as(Token::new);
        return Arbitraries.oneOf(
                Combinators.combine(kinds, keys, limits, waits, leases)
                        .as(
                                (resourceKind, k, n, w, l) ->
                                        new Acquire(resourceKind, k, slots(resourceKind, n), w, l)),
                Combinators.combine(kinds, keys, limits, leases)
                        .as(
                                (resourceKind, k, n, l) ->
                                        new Enqueue(resourceKind, k, slots(resourceKind, n), l)),
                Combinators.combine(kinds, keys, waits).as(Await::new),
                Combinators.combine(kinds, keys, tokens).as(Release::new),
                Combinators.combine(kinds, keys, tokens, leases).as(Renew::new),
                secrets().map(Auth::new),
                Arbitraries.of(new Ping(), new Stats()),
                Combinators.combine(keys, operations()).as(Data::new),
                Combinators.combine(keys, groups()).as(Listen::new),
                Combinators.combine(keys, groups()).as(Unlisten::new),
                Combinators.combine(channels(), texts(2000)).as(Signal::new));
    }

    private static Arbitrary<DataOperation> operations() {
        Arbitrary<Long> numbers = Arbitraries.longs();
        Arbitrary<Long> ttls =
                Arbitraries.longs()
                        .between(0, MOST_SECONDS)
                        .map(it -> it == 0 ? Command.FOREVER : seconds(it));
        Arbitrary<ByteString> values = anyBytes(0, 220, b -> b != '\n').map(ByteString::of);
        Arbitrary<ByteString> longest =
                anyBytes(253, 253, b -> b != '\n' && b != ' ' && b != '\r').map(ByteString::of);
        Arbitrary<DataOperation.End> ends = Arbitraries.of(DataOperation.End.class);
        return Arbitraries.oneOf(
                numbers.map(Increment::new),
                numbers.map(Decrement::new),
                numbers.map(SetCounter::new),
                Combinators.combine(values, ttls).as(SetValue::new),
                longest.map(it -> new SetValue(it, Command.FOREVER)),
                Combinators.combine(ends, texts(250)).as(DataOperation.Push::new),
                ends.map(DataOperation.Pop::new),
                Combinators.combine(numbers, numbers).as(Range::new),
                Arbitraries.of(
                        new DataOperation.GetCounter(),
                        new DataOperation.GetValue(),
                        new DataOperation.DeleteValue(),
                        new DataOperation.Length()));
    }

    /** Not only whitespace, and without a carriage return at the end, which would end the line. */
    private static Arbitrary<ByteString> texts(int most) {
        return anyBytes(1, most, b -> b != '\n')
                .filter(it -> it[it.length - 1] != '\r' && Whitespace.trim(it).length > 0)
                .map(ByteString::of);
    }

    private static Arbitrary<ByteString> groups() {
        return anyBytes(0, 200, b -> b != '\n').map(it -> ByteString.of(Whitespace.trim(it)));
    }

    private static Arbitrary<Key> channels() {
        return anyBytes(1, 250, b -> " \t\r\n*>".indexOf(b) < 0)
                .map(bytes -> Key.of(Namespace.DEFAULT, bytes));
    }

    private static Arbitrary<byte[]> anyBytes(int least, int most, Predicate<Byte> allowed) {
        return bytes().filter(allowed).array(byte[].class).ofMinSize(least).ofMaxSize(most);
    }

    @Provide
    Arbitrary<byte[]> contents() {
        return anyBytes(0, 100, b -> b != '\n');
    }

    @Provide
    Arbitrary<String> words() {
        return Arbitraries.of(
                "incr",
                "decr",
                "cset",
                "get",
                "kset",
                "kset",
                "kset",
                "kget",
                "kdel",
                "lpush",
                "rpush",
                "lpop",
                "rpop",
                "llen",
                "lrange",
                "lrange",
                "listen",
                "unlisten",
                "signal",
                "signal");
    }

    /** Numbers, whitespace, parts of whitespace and a few other bytes in any order. */
    @Provide
    Arbitrary<byte[]> argumentLike() {
        Arbitrary<String> pieces =
                Arbitraries.oneOf(
                        numberLike(),
                        Arbitraries.of(" ", " ", " ", "\t", "\r", "\u000b", "\u00c2\u00a0"),
                        Arbitraries.of(
                                "\u00c2\u0085",
                                "\u00e2\u0080\u0083",
                                "\u00e2\u0081\u009f",
                                "\u00e3\u0080\u0080",
                                "\u00e1\u009a\u0080"),
                        Arbitraries.of("\u00c2", "\u00e2\u0080", "\u00a0", "\u0085", "\u00e3"),
                        Arbitraries.of("a", "*", ">", "\u0000", "\u00ff"));
        return pieces.list().ofMaxSize(6).map(it -> WireBytes.raw(String.join("", it)));
    }

    /** A lock has one slot and no limit argument. */
    private static long slots(ResourceKind resourceKind, long limit) {
        return resourceKind == ResourceKind.LOCK ? 1 : limit;
    }

    /** Any bytes but the four that no key has. */
    private static Arbitrary<Key> keys() {
        return anyBytes(1, 250, b -> b != ' ' && b != '\t' && b != '\r' && b != '\n')
                .map(bytes -> Key.of(Namespace.DEFAULT, bytes));
    }

    /** Any bytes, with a letter at both ends so that nothing is trimmed. */
    private static Arbitrary<byte[]> secrets() {
        return anyBytes(0, 1000, b -> b != '\n')
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
                                new RequestWriter(n -> spelt(n, before), someBlanks(seed), end));
    }

    /** With a plus sign or leading zeros; minus signs are covered elsewhere. */
    private static String spelt(long number, String before) {
        String digits = Long.toString(number);
        return number < 0 ? "-" + before.replace("+", "") + digits.substring(1) : before + digits;
    }

    /** At least one whitespace character between fields, any number at the ends. */
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
