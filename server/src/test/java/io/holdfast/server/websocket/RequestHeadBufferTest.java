package io.holdfast.server.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.connection.InputBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

@DisplayName("The buffer for the head of a request")
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

    /** Whether this number of bytes is free in the budget. */
    private boolean isFree(int bytes) {
        boolean free = kept.reserve(bytes);
        kept.reserve(-bytes);
        return free;
    }

    @Test
    void a_request_head_is_passed_on_as_a_whole_with_what_follows() {
        send("\r\nGET / HTTP/1.1\r\n");
        send("a: b\r");
        send("\n\r");
        assertThat(passedOn()).isEmpty();
        send("\nfra");
        send("mes");
        assertThat(passedOn()).isEqualTo("\r\nGET / HTTP/1.1\r\na: b\r\n\r\nframes");
        assertThat(isFree(100)).isTrue();
    }

    @Test
    void an_incomplete_request_head_counts_in_the_input_budget() {
        send("a:\r\n".repeat(10));
        assertThat(isFree(60)).isTrue();
        assertThat(isFree(61)).isFalse();
        channel.close();
        assertThat(isFree(100)).isTrue();
    }

    @Test
    void an_overlong_request_head_is_passed_on_to_the_decoder() {
        send("x".repeat(81));
        assertThat(passedOn()).hasSize(81);
    }

    @Test
    void a_request_head_beyond_the_input_budget_closes_the_connection() {
        kept.reserve(50);
        send("GET / HTTP/1.1\r\n".repeat(4));
        assertThat(channel.isOpen()).isFalse();
        assertThat(isFree(50)).isTrue();
    }
}
