package io.holdfast.server.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.engine.Namespace;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.TestContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("Kept input of dflockd connections")
class KeptInputTest {
    private final LocalDriver driver = UnlimitedDriver.open();
    private final DflockdService service =
            new DflockdService(
                    new TestContext(driver)
                            .timeouts(Duration.ofSeconds(23), Duration.ofSeconds(5))
                            .build());

    @AfterEach
    void close() {
        driver.close();
    }

    @Test
    void kept_input_does_not_grow_when_every_read_ends_within_a_request() {
        EmbeddedChannel channel =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        byte[] pings = "ping\n\n\n".repeat(100).getBytes(StandardCharsets.US_ASCII);
        ByteBuf last = Unpooled.EMPTY_BUFFER;
        channel.writeInbound(Unpooled.copiedBuffer("pi", StandardCharsets.US_ASCII));
        for (int i = 0; i < 2000; i++) {
            last = PooledByteBufAllocator.DEFAULT.directBuffer(1024);
            last.writeBytes("ng\n\n\n".getBytes(StandardCharsets.US_ASCII));
            last.writeBytes(pings).writeBytes("pi".getBytes(StandardCharsets.US_ASCII));
            channel.writeInbound(last);
            channel.runPendingTasks();
            channel.releaseOutbound();
        }
        assertThat(last.refCnt()).as("the receive buffer is released").isZero();
        assertThat(channel.isOpen()).isTrue();
        channel.close();
    }

    @Test
    void kept_input_is_limited_over_all_connections() {
        long bound = Runtime.getRuntime().maxMemory() / 8;
        byte[] half = ("auth\n\n" + "x".repeat(60_000)).getBytes(StandardCharsets.US_ASCII);
        List<EmbeddedChannel> channels = new ArrayList<>();
        boolean refused = false;
        for (long kept = 0; kept < bound + 2L * half.length && !refused; kept += half.length) {
            EmbeddedChannel channel =
                    new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
            channels.add(channel);
            // The bytes are the same array each time: this tests only the counting.
            channel.writeInbound(Unpooled.wrappedBuffer(half));
            refused = !channel.isOpen();
        }
        assertThat(refused).isTrue();
        assertThat(channels.getFirst().isOpen()).as("earlier connections stay open").isTrue();
        channels.forEach(EmbeddedChannel::close);
        EmbeddedChannel next =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        next.writeInbound(Unpooled.wrappedBuffer(half));
        assertThat(next.isOpen()).as("what is closed no longer counts").isTrue();
        next.close();
    }
}
