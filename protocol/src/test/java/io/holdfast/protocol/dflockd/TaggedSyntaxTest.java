package io.holdfast.protocol.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ReadWriteMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Random;

@DisplayName("In tagged mode")
class TaggedSyntaxTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private static DflockdDecoderResult.Tagged tagged(String command, String key, String argument) {
        DflockdDecoder decoder = new DflockdDecoder(Namespace.DEFAULT);
        decoder.expectTags();
        ByteBuf in = bytes(command + "\n" + key + "\n" + argument + "\n");
        return (DflockdDecoderResult.Tagged) decoder.decode(in);
    }

    private static DflockdRequest hello(String argument) {
        ByteBuf in = bytes("hello\n_\n" + argument + "\n");
        return ((DflockdDecoderResult.Request) new DflockdDecoder(Namespace.DEFAULT).decode(in))
                .request();
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ping",
                " ping",
                "x ping",
                "-1 ping",
                "+1 ping",
                "0 ping",
                "1",
                "1.0 ping",
                "9223372036854775808 ping",
                "01x ping"
            })
    void a_request_without_a_valid_tag_is_malformed_and_has_no_tag(String command) {
        assertThat(tagged(command, "_", "_"))
                .isEqualTo(new DflockdDecoderResult.Tagged(0, new DflockdRequest.Malformed()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "9223372036854775807"})
    void a_tag_is_any_number_above_0(String tag) {
        assertThat(tagged(tag + " ping", "_", "_"))
                .isEqualTo(
                        new DflockdDecoderResult.Tagged(
                                Long.parseLong(tag), new DflockdRequest.Ping()));
    }

    @ParameterizedTest
    @CsvSource({
        "10, WRITE, true",
        "10 30, WRITE, true",
        "10 30 read, READ, true",
        "10 read, READ, true",
        "10 unbound read, READ, false",
        "10 1500ms unbound, WRITE, false"
    })
    void an_acquire_may_have_hold_attributes(
            String argument, ReadWriteMode readWriteMode, boolean bound) {
        assertThat(tagged("7 l", "k", argument).request())
                .isInstanceOfSatisfying(
                        DflockdRequest.Acquire.class,
                        acquire ->
                                assertThat(acquire.attributes())
                                        .isEqualTo(new HoldAttributes(readWriteMode, bound, true)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "read",
                "10 read read",
                "10 30 40",
                "10 write",
                "10 read 30",
                "-1ms",
                "10 0ms",
                "ms",
                "10 ms",
                "9223372036854775807ms"
            })
    void an_acquire_with_a_wrong_argument_is_malformed(String argument) {
        assertThat(tagged("7 l", "k", argument).request())
                .isEqualTo(new DflockdRequest.Malformed());
    }

    @Test
    void a_semaphore_cannot_be_acquired_for_reading() {
        assertThat(tagged("7 sl", "k", "0 2 unbound").request())
                .isInstanceOf(DflockdRequest.Acquire.class);
        assertThat(tagged("7 sl", "k", "0 2 read").request())
                .isEqualTo(new DflockdRequest.Malformed());
    }

    @Test
    void milliseconds_are_malformed_without_tags() {
        ByteBuf in = bytes("l\nk\n250ms\n");
        assertThat(new DflockdDecoder(Namespace.DEFAULT).decode(in))
                .isEqualTo(new DflockdDecoderResult.Request(new DflockdRequest.Malformed()));
    }

    @Test
    void a_tagged_signal_may_have_a_long_argument() {
        assertThat(tagged("7 signal", "c", "x".repeat(60_000)).request())
                .isInstanceOf(DflockdRequest.Signal.class);
    }

    @Test
    void hello_may_have_a_grace_period_a_label_and_a_session_to_resume() {
        assertThat(hello("1 label=a:1 later=x grace=250ms resume=7:" + SECRET))
                .isInstanceOfSatisfying(
                        DflockdRequest.Hello.class,
                        hello -> {
                            assertThat(hello.graceNanos()).isEqualTo(250_000_000);
                            assertThat(hello.label()).isEqualTo("a:1");
                            assertThat(hello.resume()).isNotNull();
                            assertThat(hello.resume().session()).isEqualTo(7);
                            assertThat(hello.toString()).doesNotContain(SECRET);
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2",
                "1x",
                "1 grace=",
                "1 grace=-1",
                "1 grace=x",
                "1 label=",
                "1 label=a\u0007b",
                "1 label=\u202eevil",
                "1 resume=7",
                "1 resume=7:short",
                "1 resume=x:0123456789abcdef0123456789abcdef",
                "1 resume=0:0123456789abcdef0123456789abcdef"
            })
    void hello_with_an_invalid_value_is_malformed(String argument) {
        assertThat(hello(argument)).isEqualTo(new DflockdRequest.Malformed());
    }

    @Test
    void any_input_gives_a_request_and_never_an_exception() {
        long seed = new Random().nextLong();
        var random = new Random(seed);
        String[] words = {"1 l", "2 cancel", "3 mine", "hello", "4 info", "5 bye", "6 sl", "x", ""};
        for (int i = 0; i < 20_000; i++) {
            DflockdDecoder decoder = new DflockdDecoder(Namespace.DEFAULT);
            if (random.nextBoolean()) {
                decoder.expectTags();
            }
            byte[] noise = new byte[random.nextInt(40)];
            random.nextBytes(noise);
            ByteBuf in = bytes(words[random.nextInt(words.length)] + "\n");
            in.writeBytes(noise).writeByte('\n').writeBytes(noise).writeByte('\n');
            in.writeByte('\n');
            assertThat(decoder.decode(in)).as("seed %d", seed).isNotNull();
        }
    }
}
