package io.holdfast.protocol.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Consumer;

@DisplayName("A lockd response")
class LockdEncoderTest {
    private static final byte[] NAME = LockdText.bytes("a b");

    private static String written(Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        return LockdText.text(ByteBufUtil.getBytes(out));
    }

    @Test
    void a_lockd_response_has_the_line_end_of_the_original() {
        assertThat(written(out -> LockdEncoder.acquired(NAME, true, out)))
                .isEqualTo("1 Lock Get Success: a b\r\n");
        assertThat(written(out -> LockdEncoder.acquired(NAME, false, out)))
                .isEqualTo("1 Lock Get Success: a b\n");
        assertThat(written(out -> LockdEncoder.notAcquired(NAME, out)))
                .isEqualTo("0 Lock Get Failure: a b\r\n");
        assertThat(written(out -> LockdEncoder.released(NAME, true, out)))
                .isEqualTo("1 Lock Release Success: a b\n");
        assertThat(written(out -> LockdEncoder.released(NAME, false, out)))
                .isEqualTo("0 Lock Release Failure: a b\n");
        assertThat(written(out -> LockdEncoder.inspected(NAME, true, true, out)))
                .isEqualTo("1 Lock Is Locked: a b\n");
        assertThat(written(out -> LockdEncoder.inspected(NAME, true, false, out)))
                .isEqualTo("1 Lock Is Locked: a b\r\n");
        assertThat(written(out -> LockdEncoder.inspected(NAME, false, false, out)))
                .isEqualTo("0 Lock Not Locked: a b\r\n");
    }

    @Test
    void a_lockd_response_counts_the_holders_of_a_shared_lock() {
        assertThat(written(out -> LockdEncoder.sharedAcquired(NAME, 12, out)))
                .isEqualTo("12 Shared Lock Get Success: a b\r\n");
        assertThat(written(out -> LockdEncoder.sharedNotAcquired(NAME, out)))
                .isEqualTo("0 Shared Lock Get Failure: a b\r\n");
        assertThat(written(out -> LockdEncoder.sharedReleased(NAME, true, out)))
                .isEqualTo("1 Shared Lock Release Success: a b\r\n");
        assertThat(written(out -> LockdEncoder.sharedReleased(NAME, false, out)))
                .isEqualTo("0 Shared Lock Release Failure: a b\r\n");
        assertThat(written(out -> LockdEncoder.sharedInspected(NAME, 3, out)))
                .isEqualTo("3 Shared Lock Is Locked: a b\r\n");
        assertThat(written(out -> LockdEncoder.sharedInspected(NAME, 0, out)))
                .isEqualTo("0 Shared Lock Not Locked: a b\r\n");
    }

    @Test
    void the_response_to_me_has_the_names_of_the_connection() {
        assertThat(written(out -> LockdEncoder.me("unix:1", null, out)))
                .isEqualTo("1 unix:1 unix:1\n");
        assertThat(written(out -> LockdEncoder.me("unix:1", ByteString.of("joe b"), out)))
                .isEqualTo("1 unix:1 joe b\n");
    }

    @Test
    void the_length_of_a_lockd_response_is_computed_exactly() {
        List<byte[]> two = List.of(LockdText.bytes("one"), LockdText.bytes("three"));
        List<byte[]> one = List.of(LockdText.bytes("one"));
        String map =
                written(
                        out -> {
                            LockdEncoder.beginMap(out);
                            LockdEncoder.mapName(NAME, true, out);
                            LockdEncoder.mapHolder(two.getFirst(), true, true, false, out);
                            LockdEncoder.mapHolder(two.getLast(), true, false, true, out);
                            LockdEncoder.mapName(NAME, false, out);
                            LockdEncoder.mapHolder(one.getFirst(), true, true, true, out);
                            LockdEncoder.endMap(out);
                        });
        assertThat(map).isEqualTo("map[a b:[one three] a b:[one]]\n");
        assertThat(map)
                .hasSize(
                        (int)
                                (LockdEncoder.mapLength(2)
                                        + LockdEncoder.mapEntryLength(NAME, two, true)
                                        + LockdEncoder.mapEntryLength(NAME, one, true)));
        assertThat(LockdEncoder.mapLength(0)).isEqualTo("map[]\n".length());
        assertThat(LockdEncoder.mapEntryLength(NAME, one, false)).isEqualTo("a b:one".length());
        assertThat(written(out -> LockdEncoder.pair(NAME, two.getFirst(), out)))
                .isEqualTo("a b: one\n")
                .hasSize((int) LockdEncoder.pairLength(NAME, two.getFirst()));
    }
}
