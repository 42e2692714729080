package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.ReadWriteMode;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The log line of a socketlock event")
class SocketlockLogLineTest {
    @Test
    void an_event_line_has_its_known_fields_in_a_fixed_order() {
        assertThat(
                        SocketlockLogLine.of("request_failed", ByteString.of("c1"))
                                .lock(ByteString.of("l1"))
                                .mode(ReadWriteMode.WRITE)
                                .ttl(3690)
                                .reason("timeout too long")
                                .toString())
                .isEqualTo(
                        "request_failed client=c1 lock=l1 mode=write ttl=1h1m30s"
                                + " reason=timeout too long");
    }

    @Test
    void an_id_cannot_make_an_event_line_look_like_another() {
        assertThat(
                        SocketlockLogLine.of("ping", ByteString.of("a\r\u001b[2J\u0085 lock=x\\"))
                                .lock(null)
                                .mode(null)
                                .ttl(0)
                                .toString())
                .isEqualTo("ping client=a\\x0d\\x1b[2J\\x85\\x20lock=x\\x5c");
    }

    @Test
    void an_event_line_shows_the_beginning_of_a_long_id() {
        assertThat(
                        SocketlockLogLine.of("ping", ByteString.of("\0".repeat(60_000)))
                                .lock(ByteString.of("l".repeat(200)))
                                .toString())
                .isEqualTo("ping client=" + "\\x00".repeat(200) + "... lock=" + "l".repeat(200));
    }
}
