package io.holdfast.protocol.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.ReadWriteMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

@DisplayName("A socketlock response")
class SocketlockEncoderTest {
    private static final ByteString CLIENT = ByteString.of("I");
    private static final ByteString LOCK = ByteString.of("l1");

    private static String written(Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void a_greeting_is_written_with_the_id_of_the_server_and_with_that_of_the_client() {
        assertThat(written(out -> SocketlockEncoder.connected(ClientIdSource.SERVER, CLIENT, out)))
                .isEqualTo("CONNECTED I\n");
        assertThat(written(out -> SocketlockEncoder.connected(ClientIdSource.CLIENT, CLIENT, out)))
                .isEqualTo("I CONNECTED\n");
    }

    @Test
    void an_offer_is_written_for_either_mode() {
        assertThat(written(out -> SocketlockEncoder.offer(CLIENT, ReadWriteMode.READ, LOCK, out)))
                .isEqualTo("I READLOCK l1\n");
        assertThat(written(out -> SocketlockEncoder.offer(CLIENT, ReadWriteMode.WRITE, LOCK, out)))
                .isEqualTo("I WRITELOCK l1\n");
    }

    @Test
    void the_response_to_status_shows_whether_the_lock_is_held() {
        assertThat(written(out -> SocketlockEncoder.status(CLIENT, true, LOCK, out)))
                .isEqualTo("I LOCKOK l1\n");
        assertThat(written(out -> SocketlockEncoder.status(CLIENT, false, LOCK, out)))
                .isEqualTo("I LOCKTIMEOUT l1\n");
        assertThat(written(out -> SocketlockEncoder.token(CLIENT, LOCK, 42, out)))
                .isEqualTo("I TOKEN l1 42\n");
    }

    @Test
    void the_response_to_ping_is_written() {
        assertThat(written(out -> SocketlockEncoder.pong(CLIENT, out))).isEqualTo("I PONG\n");
        assertThat(written(out -> SocketlockEncoder.epoch(CLIENT, 7, out)))
                .isEqualTo("I EPOCH 7\n");
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_LIMIT, timeout waiting for lock",
        "CONFIRM_LIMIT, timeout waiting for confirm",
        "TTL_TOO_LONG, timeout too long",
        "INVALID_TTL, invalid ttl",
        "INVALID_LOCK, invalid lock id",
        "REJECTED, offer rejected",
        "TOO_MANY, too many requests"
    })
    void a_failure_is_written_with_its_text(SocketlockFailure socketlockFailure, String text) {
        assertThat(written(out -> SocketlockEncoder.failed(CLIENT, socketlockFailure, out)))
                .isEqualTo("I REQFAIL " + text + "\n");
    }

    @Test
    void ids_are_written_unchanged() {
        ByteString odd = SocketlockText.string("\u00ff\u0000");
        assertThat(written(out -> SocketlockEncoder.status(odd, false, odd, out)))
                .isEqualTo("\u00ff\u0000 LOCKTIMEOUT \u00ff\u0000\n");
    }
}
