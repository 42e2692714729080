package io.holdfast.server.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.connection.InputBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

@DisplayName("The head of a request")
class RequestHeadBufferTest {
    private final InputBudget kept = new InputBudget(100);
    private final EmbeddedChannel channel = new EmbeddedChannel(new RequestHeadBuffer(80, kept));

    private void send(String text) {
        channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
    }

    private String passedOn() {
        StringBuilder text = new StringBuilder();
        for (ByteBuf next = channel.readInbound(); next != null; next = channel.readInbound()) {
            text.append(next.toString(StandardCharsets.ISO_8859_1));
            next.release();
        }
        return text.toString();
    }

    /** Whether so many bytes more may be kept. */
    private boolean hasRoom(int bytes) {
        boolean room = kept.reserve(bytes);
        kept.reserve(-bytes);
        return room;
    }

    @Test
    void is_passed_on_as_a_whole_with_what_follows() {
        send("\r\nGET / HTTP/1.1\r\n");
        send("a: b\r");
        send("\n\r");
        assertThat(passedOn()).isEmpty();
        send("\nfra");
        send("mes");
        assertThat(passedOn()).isEqualTo("\r\nGET / HTTP/1.1\r\na: b\r\n\r\nframes");
        assertThat(hasRoom(100)).isTrue();
    }

    @Test
    void is_counted_while_it_is_kept() {
        send("a:\r\n".repeat(10));
        assertThat(hasRoom(60)).isTrue();
        assertThat(hasRoom(61)).isFalse();
        channel.close();
        assertThat(hasRoom(100)).isTrue();
    }

    @Test
    void is_passed_on_when_it_is_too_long_for_the_decoder_to_refuse() {
        send("x".repeat(81));
        assertThat(passedOn()).hasSize(81);
    }

    @Test
    void ends_the_connection_when_all_together_keep_too_much() {
        kept.reserve(50);
        send("GET / HTTP/1.1\r\n".repeat(4));
        assertThat(channel.isOpen()).isFalse();
        assertThat(hasRoom(50)).isTrue();
    }
}
