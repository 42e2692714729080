package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

@DisplayName("The handler before the acceptor")
class AcceptHandlerTest {
    private final EmbeddedChannel listener =
            new EmbeddedChannel(new AcceptHandler(new ConnectionGate(1, 0, () -> true)));

    /** A connection with an internet address. */
    private static final class Connection extends EmbeddedChannel {
        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }
    }

    @Test
    void the_accept_handler_passes_on_what_is_within_the_cap_and_closes_the_rest() {
        Connection first = new Connection();
        Connection second = new Connection();
        listener.writeInbound(first, second);

        assertThat(listener.<Object>readInbound()).isSameAs(first);
        assertThat(listener.<Object>readInbound()).isNull();
        assertThat(first.isOpen()).isTrue();
        assertThat(second.isOpen()).isFalse();
    }

    @Test
    void the_accept_handler_counts_a_connection_until_it_closes() {
        Connection first = new Connection();
        listener.writeInbound(first);
        first.close();
        assertThat(listener.writeInbound(new Connection())).isTrue();
    }

    @Test
    void the_accept_handler_closes_a_connection_without_a_remote_address() {
        EmbeddedChannel gone = new EmbeddedChannel(); // it has no internet address
        assertThat(listener.writeInbound(gone)).isFalse();
        assertThat(gone.isOpen()).isFalse();
        assertThat(listener.writeInbound(new Connection())).isTrue();
    }

    @Test
    void the_accept_handler_pauses_after_a_failed_accept_longer_each_time_up_to_a_second() {
        listener.freezeTime();
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            pauses.add(pauseAfterFailure());
        }
        assertThat(pauses).containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L);
    }

    @Test
    void the_accept_handler_starts_over_with_a_short_pause_after_a_success() {
        listener.freezeTime();
        for (int i = 0; i < 5; i++) {
            pauseAfterFailure();
        }
        listener.writeInbound(new Connection());
        assertThat(pauseAfterFailure()).isEqualTo(5);
    }

    /** Some transports accept once more before the pause takes effect. */
    @Test
    void a_failed_accept_during_a_pause_adds_no_second_pause() {
        listener.freezeTime();
        listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        assertThat(pauseAfterFailure()).isEqualTo(5);
        assertThat(pauseAfterFailure()).isEqualTo(10);
        listener.advanceTimeBy(1, TimeUnit.HOURS);
        assertThat(listener.runScheduledPendingTasks()).isEqualTo(-1);
    }

    /** The pause until the listener accepts again, in milliseconds of its clock. */
    private long pauseAfterFailure() {
        listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        assertThat(listener.config().isAutoRead()).isFalse();
        long millis = 0;
        while (!listener.config().isAutoRead()) {
            listener.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            listener.runScheduledPendingTasks();
            assertThat(++millis).isLessThanOrEqualTo(2000);
        }
        return millis;
    }
}
