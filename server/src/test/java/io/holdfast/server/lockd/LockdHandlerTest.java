package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.watch.Observatory;
import io.holdfast.engine.Namespace;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.Draining;
import io.holdfast.server.connection.KeptBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("What lockd clients call themselves")
class LockdHandlerTest {
    private final LocalDriver driver = UnlimitedDriver.open();
    private final List<String> events = new ArrayList<>();
    private final LockdService service =
            new LockdService(
                    driver,
                    new Observatory(1, System::nanoTime),
                    Namespace.DEFAULT,
                    new KeptBytes(1000),
                    new Draining(),
                    new ListingRoom(1000, Duration.ofSeconds(5)),
                    Duration.ZERO,
                    events::add);

    @AfterEach
    void close() {
        driver.close();
    }

    private EmbeddedChannel connect(String name) {
        return new EmbeddedChannel(new LockdHandler(service, new LockdAccess(true, true), name));
    }

    /** Sends a line; the answer, empty if there is none. */
    private static String ask(EmbeddedChannel channel, String line) {
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
    void is_bounded_over_all_of_them() {
        EmbeddedChannel one = connect("one");
        EmbeddedChannel two = connect("two");
        String name = "n".repeat(600);
        assertThat(ask(one, "iam " + name)).isEqualTo("1 ok\n");
        assertThat(ask(two, "iam " + name)).isEmpty();
        assertThat(two.isOpen()).isFalse();
        assertThat(ask(one, "me")).isEqualTo("1 one " + name + "\n");
        EmbeddedChannel three = connect("three");
        assertThat(ask(three, "iam " + "n".repeat(400))).isEqualTo("1 ok\n");
    }

    @Test
    void is_counted_once_when_it_changes_and_not_at_all_when_it_is_cleared() {
        EmbeddedChannel one = connect("one");
        for (int i = 0; i < 10; i++) {
            assertThat(ask(one, "iam " + "n".repeat(900 + i))).isEqualTo("1 ok\n");
        }
        assertThat(ask(one, "iam")).isEqualTo("1 ok\n");
        assertThat(ask(one, "iam")).isEqualTo("1 ok\n");
        EmbeddedChannel two = connect("two");
        assertThat(ask(two, "iam " + "n".repeat(1000))).isEqualTo("1 ok\n");
        two.close();
        assertThat(ask(one, "iam " + "n".repeat(1000))).isEqualTo("1 ok\n");
    }

    @Test
    void and_what_they_do_is_told_when_anybody_wants_to_know() {
        EmbeddedChannel one = connect("one");
        for (String line : List.of("iam me", "g a", "g a", "sg s", "nonsense", "r a", "g b")) {
            ask(one, line);
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
