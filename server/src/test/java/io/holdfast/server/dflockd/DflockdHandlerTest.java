package io.holdfast.server.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClockFences;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.Settings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

@DisplayName("A connection whose writes take their time")
class DflockdHandlerTest {
    private final LocalDriver driver = driver(true);
    private final Dam dam = new Dam();

    private static LocalDriver driver(boolean autoRelease) {
        return new LocalDriver(
                new Settings(0, Duration.ofSeconds(60).toNanos(), autoRelease),
                0,
                0,
                Duration.ofSeconds(60),
                new ClockFences(),
                () -> true);
    }

    private EmbeddedChannel connect(LocalDriver to) {
        return new EmbeddedChannel(dam, new DflockdHandler(service(to)));
    }

    /** Holds up what is written until it is opened. */
    private static final class Dam extends ChannelOutboundHandlerAdapter {
        private record Held(Object message, ChannelPromise promise) {}

        private final Queue<Held> held = new ArrayDeque<>();
        private boolean shut;

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            if (shut) {
                held.add(new Held(message, promise));
            } else {
                ctx.write(message, promise);
            }
        }

        void open(EmbeddedChannel channel) {
            shut = false;
            ChannelHandlerContext ctx = channel.pipeline().context(this);
            held.forEach(one -> ctx.write(one.message, one.promise));
            held.clear();
            ctx.flush();
            channel.runPendingTasks();
        }
    }

    @AfterEach
    void close() {
        driver.close();
    }

    private static void send(EmbeddedChannel channel, String text) {
        channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }

    private static String written(EmbeddedChannel channel) {
        StringBuilder text = new StringBuilder();
        for (ByteBuf piece = channel.readOutbound();
                piece != null;
                piece = channel.readOutbound()) {
            text.append(piece.toString(StandardCharsets.US_ASCII));
            piece.release();
        }
        return text.toString();
    }

    @Test
    void does_not_close_before_its_last_answer_has_left() {
        EmbeddedChannel channel = connect(driver);
        dam.shut = true;
        send(channel, "ping\n\n\n" + "x".repeat(300) + "\n");
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();

        dam.open(channel);

        assertThat(written(channel)).isEqualTo("ok\nerror\n");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void leaves_no_timer_behind() {
        EmbeddedChannel channel = connect(driver);
        send(channel, "ping\n\n\n");
        assertThat(written(channel)).isEqualTo("ok\n");
        channel.pipeline().close(); // close() of the channel would end its timers by itself
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
    }

    /** Too much behind a wait ends the connection before anything is written. */
    @Test
    void gives_back_every_grant_that_was_never_told_even_with_auto_release_off() {
        LocalDriver keeping = driver(false);
        EmbeddedChannel other = new EmbeddedChannel(new DflockdHandler(service(keeping)));
        send(other, "l\nheld\n0 60\n");
        assertThat(written(other)).startsWith("ok ");
        EmbeddedChannel channel = new EmbeddedChannel(new DflockdHandler(service(keeping)));
        send(channel, "l\na\n0 60\nl\nb\n0 60\nl\nheld\n60\n" + "x".repeat(5000));
        assertThat(channel.isOpen()).isFalse();
        assertThat(written(channel)).isEmpty();

        send(other, "l\na\n0 60\nl\nb\n0 60\n");
        assertThat(written(other)).matches("ok \\w{32} 60\nok \\w{32} 60\n");
        keeping.close();
    }

    @Test
    void keeps_a_grant_that_is_on_its_way_with_auto_release_off() {
        LocalDriver keeping = driver(false);
        EmbeddedChannel channel = connect(keeping);
        dam.shut = true;
        send(channel, "l\na\n0 60\n");
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        dam.open(channel);
        String token = written(channel).substring(3, 35);
        assertThat(channel.isOpen()).isFalse();

        EmbeddedChannel other = new EmbeddedChannel(new DflockdHandler(service(keeping)));
        send(other, "r\na\n" + token + "\n");
        assertThat(written(other)).isEqualTo("ok\n");
        keeping.close();
    }

    private static DflockdService service(LocalDriver to) {
        return new DflockdService(
                to,
                new SignalHub(0, () -> true),
                null,
                Duration.ofSeconds(33),
                Duration.ofHours(1),
                Duration.ofHours(1),
                1 << 20);
    }
}
