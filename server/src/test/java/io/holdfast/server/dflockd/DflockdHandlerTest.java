package io.holdfast.server.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.engine.Namespace;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.TestContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;

@DisplayName("A dflockd connection whose writes take time")
class DflockdHandlerTest {
    private final LocalDriver driver = UnlimitedDriver.open();
    private final Dam dam = new Dam();

    private EmbeddedChannel connect(LocalDriver to) {
        return new EmbeddedChannel(dam, DflockdHandler.connection(service(to), Namespace.DEFAULT));
    }

    /** Holds back writes until it is opened. */
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

        /** Fails the held writes, like a closed socket. */
        void fail() {
            for (Held one : held) {
                ReferenceCountUtil.release(one.message);
                one.promise.setFailure(new ClosedChannelException());
            }
            held.clear();
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
    void a_connection_does_not_close_before_its_last_response_is_written() {
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
    void a_closed_connection_leaves_no_timer() {
        EmbeddedChannel channel = connect(driver);
        send(channel, "ping\n\n\n");
        assertThat(written(channel)).isEqualTo("ok\n");
        channel.pipeline().close(); // close() of the channel would also cancel its timers
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
    }

    /** The connection fails before anything is written. */
    @Test
    void every_grant_that_was_not_sent_is_released_even_with_auto_release_off() {
        LocalDriver keeping = UnlimitedDriver.open(false);
        EmbeddedChannel other =
                new EmbeddedChannel(DflockdHandler.connection(service(keeping), Namespace.DEFAULT));
        send(other, "l\nheld\n0 60\n");
        assertThat(written(other)).startsWith("ok ");
        EmbeddedChannel channel =
                new EmbeddedChannel(DflockdHandler.connection(service(keeping), Namespace.DEFAULT));
        ByteBuf requests =
                Unpooled.copiedBuffer(
                        "l\na\n0 60\nl\nb\n0 60\nl\nheld\n60\n", StandardCharsets.US_ASCII);
        channel.pipeline().fireChannelRead(requests);
        channel.pipeline().fireExceptionCaught(new IOException("reset"));
        assertThat(channel.isOpen()).isFalse();
        assertThat(written(channel)).isEmpty();

        send(other, "l\na\n0 60\nl\nb\n0 60\n");
        assertThat(written(other)).matches("ok \\w{32} 60\nok \\w{32} 60\n");
        keeping.close();
    }

    @Test
    void a_grant_handed_to_the_socket_is_kept_with_auto_release_off() {
        LocalDriver keeping = UnlimitedDriver.open(false);
        EmbeddedChannel channel = connect(keeping);
        dam.shut = true;
        send(channel, "l\na\n0 60\n");
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        dam.open(channel);
        String token = written(channel).substring(3, 35);
        assertThat(channel.isOpen()).isFalse();

        EmbeddedChannel other =
                new EmbeddedChannel(DflockdHandler.connection(service(keeping), Namespace.DEFAULT));
        send(other, "r\na\n" + token + "\n");
        assertThat(written(other)).isEqualTo("ok\n");
        keeping.close();
    }

    // ---- pushed lines

    /** Sets whether the socket is writable. */
    private static void setWritable(EmbeddedChannel channel, boolean writable) {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, writable);
        channel.runPendingTasks();
    }

    private static EmbeddedChannel listener(DflockdService service) {
        EmbeddedChannel channel =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        send(channel, "listen\na\n\n");
        assertThat(written(channel)).isEqualTo("ok\n");
        return channel;
    }

    private static String emit(EmbeddedChannel emitter, int count, String payload) {
        StringBuilder responses = new StringBuilder();
        for (int i = 0; i < count; i++) {
            send(emitter, "signal\na\n" + payload + "\n");
            emitter.runPendingTasks();
            responses.append(written(emitter));
        }
        return responses.toString();
    }

    @Test
    void signals_before_an_unlisten_are_sent_before_its_response() {
        DflockdService service = service(driver);
        EmbeddedChannel listener = listener(service);
        EmbeddedChannel emitter =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        assertThat(emit(emitter, 1, "x")).isEqualTo("ok 1\n");
        send(listener, "unlisten\na\n\n");
        assertThat(written(listener)).isEqualTo("sig a x\nok\n");
    }

    @Test
    void pushed_lines_are_written_when_the_socket_is_writable_again() {
        DflockdService service = service(driver);
        EmbeddedChannel listener = listener(service);
        EmbeddedChannel emitter =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        for (String payload : new String[] {"small", "x".repeat(5000)}) {
            setWritable(listener, false);
            assertThat(emit(emitter, 5, payload)).isEqualTo("ok 1\n".repeat(5));
            listener.runPendingTasks();
            assertThat(written(listener)).isEmpty();
            setWritable(listener, true);
            assertThat(written(listener)).isEqualTo(("sig a " + payload + "\n").repeat(5));
        }
        assertThat(emit(emitter, 1, "next")).isEqualTo("ok 1\n");
        listener.runPendingTasks();
        assertThat(written(listener)).isEqualTo("sig a next\n");
        assertThat(service.pushBudget.usedBytes()).isZero();
        listener.close();
        emitter.close();
    }

    @Test
    void a_listener_is_disconnected_by_the_65th_line_that_cannot_be_written() {
        DflockdService service = service(driver, 1);
        EmbeddedChannel listener = listener(service);
        EmbeddedChannel emitter =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        setWritable(listener, false);
        assertThat(emit(emitter, 1, "x")).isEqualTo("ok 1\n");
        listener.runPendingTasks();
        assertThat(emit(emitter, 63, "x")).isEqualTo("ok 1\n".repeat(63));
        listener.runPendingTasks();
        assertThat(listener.isOpen()).isTrue();
        assertThat(emit(emitter, 1, "x")).isEqualTo("ok 0\n");
        listener.runPendingTasks();
        assertThat(listener.isOpen()).isFalse();
        assertThat(written(listener)).isEmpty();
        assertThat(service.pushBudget.usedBytes()).isZero();
        emitter.close();
    }

    /** Even if its event loop is busy for long. */
    @Test
    void a_listener_is_not_disconnected_before_a_write_was_tried() {
        DflockdService service = service(driver, 1);
        EmbeddedChannel listener = listener(service);
        EmbeddedChannel emitter =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        assertThat(emit(emitter, 3000, "x")).isEqualTo("ok 1\n".repeat(3000));
        listener.runPendingTasks();
        assertThat(written(listener)).isEqualTo("sig a x\n".repeat(3000));
        listener.close();
        emitter.close();
    }

    @Test
    void a_connection_that_ends_releases_its_pushed_lines_wherever_they_are() {
        DflockdService service = service(driver);
        EmbeddedChannel listener =
                new EmbeddedChannel(dam, DflockdHandler.connection(service, Namespace.DEFAULT));
        send(listener, "listen\na\n\n");
        assertThat(written(listener)).isEqualTo("ok\n");
        EmbeddedChannel emitter =
                new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
        dam.shut = true;
        assertThat(emit(emitter, 2, "x".repeat(5000))).isEqualTo("ok 1\n".repeat(2));
        listener.runPendingTasks(); // two are in flight to the socket
        setWritable(listener, false);
        assertThat(emit(emitter, 3, "y".repeat(5000))).isEqualTo("ok 1\n".repeat(3));
        listener.runPendingTasks(); // three are in the queue
        assertThat(service.pushBudget.usedBytes()).isGreaterThan(25_000);

        listener.pipeline().close();
        listener.runPendingTasks();

        assertThat(service.pushBudget.usedBytes()).isBetween(10_000L, 12_000L);
        assertThat(emit(emitter, 1, "z")).isEqualTo("ok 0\n");
        dam.fail();
        assertThat(service.pushBudget.usedBytes()).isZero();
        emitter.close();
    }

    @Test
    void an_emitter_gets_its_own_signals_before_its_connection_ends() {
        EmbeddedChannel channel = connect(driver);
        dam.shut = true;
        send(channel, "listen\na\n\nsignal\na\nx\nsignal\na\n" + "y".repeat(5000) + "\n");
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        channel.runPendingTasks();
        dam.open(channel);
        assertThat(written(channel))
                .isEqualTo("ok\nok 1\nok 1\nsig a x\nsig a " + "y".repeat(5000) + "\n");
        assertThat(channel.isOpen()).isFalse();
    }

    private static DflockdService service(LocalDriver to) {
        return service(to, 1 << 20);
    }

    private static DflockdService service(LocalDriver to, long maxPushBytes) {
        return new DflockdService(new TestContext(to).maxPushBytes(maxPushBytes).build());
    }
}
