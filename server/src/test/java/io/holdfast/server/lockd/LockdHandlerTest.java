package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.TestContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

class LockdHandlerTest {
    private final LocalDriver driver = UnlimitedDriver.open();
    private final List<String> events = new ArrayList<>();
    private final LockdService service =
            new LockdService(
                    new TestContext(driver)
                            .inputBudget(new InputBudget(1000))
                            .timeouts(Duration.ofSeconds(23), Duration.ZERO)
                            .events(events::add)
                            .build(),
                    Namespace.DEFAULT,
                    new ListingBudget(1000, Duration.ofSeconds(5)));

    @AfterEach
    void close() {
        driver.close();
    }

    private EmbeddedChannel connect(String name) {
        return new EmbeddedChannel(
                LockdHandler.connection(
                        service, new LockdOptions(Namespace.DEFAULT, true, true), name));
    }

    /** Sends a line and returns the response, empty if there is none. */
    private static String request(EmbeddedChannel channel, String line) {
        channel.writeInbound(Unpooled.copiedBuffer(line + "\n", StandardCharsets.US_ASCII));
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
    void registered_names_are_limited_over_all_connections() {
        EmbeddedChannel one = connect("one");
        EmbeddedChannel two = connect("two");
        String name = "n".repeat(600);
        assertThat(request(one, "iam " + name)).isEqualTo("1 ok\n");
        assertThat(request(two, "iam " + name)).isEmpty();
        assertThat(two.isOpen()).isFalse();
        assertThat(request(one, "me")).isEqualTo("1 one " + name + "\n");
        EmbeddedChannel three = connect("three");
        assertThat(request(three, "iam " + "n".repeat(400))).isEqualTo("1 ok\n");
    }

    @Test
    void a_registered_name_is_counted_once_when_it_changes_and_not_at_all_when_it_is_cleared() {
        EmbeddedChannel one = connect("one");
        for (int i = 0; i < 10; i++) {
            assertThat(request(one, "iam " + "n".repeat(900 + i))).isEqualTo("1 ok\n");
        }
        assertThat(request(one, "iam")).isEqualTo("1 ok\n");
        assertThat(request(one, "iam")).isEqualTo("1 ok\n");
        EmbeddedChannel two = connect("two");
        assertThat(request(two, "iam " + "n".repeat(1000))).isEqualTo("1 ok\n");
        two.close();
        assertThat(request(one, "iam " + "n".repeat(1000))).isEqualTo("1 ok\n");
    }

    // ---- the read timeout of 23 seconds

    private EmbeddedChannel connectWithFrozenClock() {
        EmbeddedChannel channel = connect("one");
        channel.freezeTime();
        return channel;
    }

    private static void pass(EmbeddedChannel channel, long seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    private static void send(EmbeddedChannel channel, String bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.US_ASCII));
    }

    @Test
    void a_connection_that_is_idle_between_lines_is_never_closed() {
        EmbeddedChannel channel = connectWithFrozenClock();
        pass(channel, 1000);
        assertThat(request(channel, "g a")).isEqualTo("1 Lock Get Success: a\r\n");
        pass(channel, 1000);
        send(channel, "g ");
        pass(channel, 22);
        assertThat(request(channel, "b")).isEqualTo("1 Lock Get Success: b\r\n");
        pass(channel, 1000);
        assertThat(request(channel, "r a")).isEqualTo("1 Lock Release Success: a\n");
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1); // no timer is left
    }

    @Test
    void dripping_bytes_do_not_extend_the_read_timeout_of_a_line() {
        for (String begin : List.of("g ", "x".repeat(70_000))) { // the second is too long
            EmbeddedChannel channel = connectWithFrozenClock();
            send(channel, begin);
            for (int i = 0; i < 22; i++) {
                pass(channel, 1);
                send(channel, "x");
            }
            assertThat(channel.isOpen()).isTrue();
            pass(channel, 1);
            pass(channel, 2); // the client may read responses
            assertThat(channel.isOpen()).isFalse();
        }
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK).keys())
                .isZero();
    }

    @Test
    void each_line_has_its_own_read_timeout() {
        EmbeddedChannel channel = connectWithFrozenClock();
        send(channel, "g ");
        for (int i = 0; i < 10; i++) { // there is always an incomplete line
            pass(channel, 20);
            send(channel, "lock" + i + "\ng ");
        }
        pass(channel, 22);
        assertThat(request(channel, "end")).endsWith("1 Lock Get Success: end\r\n");
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK).keys())
                .isEqualTo(11);
    }

    @Test
    void lockd_events_are_logged_in_verbose_mode() {
        EmbeddedChannel one = connect("one");
        for (String line : List.of("iam me", "g a", "g a", "sg s", "nonsense", "r a", "g b")) {
            request(one, line);
        }
        one.close();
        assertThat(events.subList(0, 7))
                .containsExactly(
                        "one connected",
                        "one changed their name to 'me'",
                        "one obtained lock for a",
                        "one obtained shared lock for s",
                        "one invalid command",
                        "one released lock for a",
                        "one obtained lock for b");
        assertThat(events.subList(7, 9))
                .containsExactlyInAnyOrder("one orphaned locks: 1", "one orphaned shared locks: 1");
        assertThat(events.subList(9, events.size())).containsExactly("one disconnected");
    }
}
