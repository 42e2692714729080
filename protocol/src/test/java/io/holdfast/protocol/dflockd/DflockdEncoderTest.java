package io.holdfast.protocol.dflockd;

import static io.holdfast.protocol.dflockd.Wire.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Refusal;
import io.holdfast.engine.Token;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

@DisplayName("An answer")
class DflockdEncoderTest {
    private static String written(Consumer<ByteBuf> answer) {
        ByteBuf out = Unpooled.buffer();
        answer.accept(out);
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void is_one_line() {
        assertThat(written(DflockdEncoder::ok)).isEqualTo("ok\n");
        assertThat(written(DflockdEncoder::queued)).isEqualTo("queued\n");
        assertThat(written(DflockdEncoder::timeout)).isEqualTo("timeout\n");
        assertThat(written(DflockdEncoder::error)).isEqualTo("error\n");
        assertThat(written(DflockdEncoder::errorAuth)).isEqualTo("error_auth\n");
        assertThat(written(DflockdEncoder::errorDraining)).isEqualTo("error_draining\n");
    }

    @ParameterizedTest
    @CsvSource({
        "NOT_HELD,error",
        "TOO_MANY_KEYS,error_max_locks",
        "TOO_MANY_WAITERS,error_max_waiters",
        "LIMIT_MISMATCH,error_limit_mismatch",
        "ALREADY_ENQUEUED,error_already_enqueued",
        "NOT_ENQUEUED,error_not_enqueued"
    })
    void has_a_word_for_each_refusal(Refusal reason, String word) {
        assertThat(written(out -> DflockdEncoder.refused(reason, out))).isEqualTo(word + "\n");
    }

    @ParameterizedTest
    @EnumSource
    void begins_with_error_for_every_refusal(Refusal reason) {
        assertThat(written(out -> DflockdEncoder.refused(reason, out)))
                .matches("error(_[a-z]+)*\n");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0,00000000000000000000000000000000",
        "-1,-1,ffffffffffffffffffffffffffffffff",
        "81985529216486895,-81985529216486896,0123456789abcdeffedcba9876543210",
        "1,0,00000000000000010000000000000000",
        "0,1,00000000000000000000000000000001",
        "-9223372036854775808,9223372036854775807,80000000000000007fffffffffffffff"
    })
    void writes_a_token_as_32_hex_digits_fence_first(long fence, long salt, String token) {
        Token given = new Token(fence, salt);
        assertThat(written(out -> DflockdEncoder.granted(given, seconds(33), out)))
                .isEqualTo("ok " + token + " 33\n");
        assertThat(written(out -> DflockdEncoder.acquired(given, seconds(33), out)))
                .isEqualTo("acquired " + token + " 33\n");
    }

    @ParameterizedTest
    @CsvSource({"1", "9", "10", "11", "33", "99", "100", "101", "1000000000", "9223372036"})
    void writes_a_lease_in_whole_seconds(long lease) {
        assertThat(written(out -> DflockdEncoder.renewed(seconds(lease), out)))
                .isEqualTo("ok " + lease + "\n");
        assertThat(written(out -> DflockdEncoder.granted(new Token(0, 0), seconds(lease), out)))
                .endsWith(" " + lease + "\n");
    }

    @Test
    void follows_what_was_written_before() {
        assertThat(
                        written(
                                out -> {
                                    DflockdEncoder.ok(out);
                                    DflockdEncoder.renewed(seconds(5), out);
                                    DflockdEncoder.timeout(out);
                                }))
                .isEqualTo("ok\nok 5\ntimeout\n");
    }

    @Test
    void is_read_back_as_the_token_it_carries() {
        Token given = new Token(0x8000_0000_0000_00ffL, 0x0a0b_0c0d_0e0f_f0e0L);
        String line = written(out -> DflockdEncoder.granted(given, seconds(1), out));
        assertThat(Wire.request("r", "k", line.substring(3, 35)))
                .isInstanceOfSatisfying(
                        DflockdRequest.Release.class,
                        release -> assertThat(release.token()).isEqualTo(given));
    }
}
