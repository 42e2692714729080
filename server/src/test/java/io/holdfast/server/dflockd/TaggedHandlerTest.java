package io.holdfast.server.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.engine.Namespace;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.DrainEvent;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.SessionGraces;
import io.holdfast.server.connection.TestContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

@DisplayName("A connection in tagged mode")
class TaggedHandlerTest {
    private final DrainState drainState = new DrainState();
    private LocalDriver driver = UnlimitedDriver.open();
    private DflockdService service = service(true);

    @AfterEach
    void close() {
        driver.close();
    }

    private DflockdService service(boolean autoRelease) {
        return service(autoRelease, SessionGraces.upTo(Duration.ofMinutes(1)));
    }

    private DflockdService service(boolean autoRelease, SessionGraces graces) {
        return new DflockdService(
                new TestContext(driver)
                        .drainState(drainState)
                        .graces(graces)
                        .autoRelease(autoRelease)
                        .build());
    }

    private EmbeddedChannel plain() {
        return new EmbeddedChannel(DflockdHandler.connection(service, Namespace.DEFAULT));
    }

    private EmbeddedChannel tagged() {
        EmbeddedChannel channel = plain();
        assertThat(request(channel, "hello\n_\n1\n")).startsWith("ok 1 ");
        return channel;
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static String request(EmbeddedChannel channel, String text) {
        channel.writeInbound(bytes(text));
        return written(channel);
    }

    private static String written(EmbeddedChannel channel) {
        channel.runPendingTasks();
        StringBuilder text = new StringBuilder();
        for (ByteBuf piece = channel.readOutbound();
                piece != null;
                piece = channel.readOutbound()) {
            text.append(piece.toString(StandardCharsets.US_ASCII));
            piece.release();
        }
        return text.toString();
    }

    private static String token(String granted) {
        return granted.replaceAll("(?s).*ok ([0-9a-f]{32}) .*", "$1");
    }

    @Test
    void a_hello_and_requests_behind_it_are_answered_when_its_grace_is_granted() {
        CompletableFuture<Long> grace = new CompletableFuture<>();
        service = service(true, _ -> grace);
        EmbeddedChannel client = plain();
        assertThat(request(client, "hello\n_\n1 grace=30\n")).isEmpty();
        assertThat(request(client, "1 ping\n_\n_\n")).isEmpty();
        grace.complete(Duration.ofSeconds(5).toNanos());
        assertThat(written(client)).matches("ok 1 session=.* grace=5 .*\n1 ok\n");
    }

    @Test
    void no_session_begins_for_a_client_that_leaves_before_its_grace_is_granted() {
        CompletableFuture<Long> grace = new CompletableFuture<>();
        service = service(true, _ -> grace);
        EmbeddedChannel client = plain();
        assertThat(request(client, "hello\n_\n1 grace=30\n")).isEmpty();
        client.close();
        grace.complete(Duration.ofSeconds(5).toNanos());
        assertThat(written(client)).isEmpty();
        assertThat(driver.openSessions()).isZero();
    }

    /** The grant has not reached the connection yet when it reads the cancel. */
    @Test
    void an_await_cancelled_as_it_is_granted_has_one_outcome() {
        EmbeddedChannel holder = plain();
        String token = token(request(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(request(waiter, "1 e\nk\n\n2 w\nk\n60\n")).isEqualTo("1 queued\n");
        assertThat(request(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        waiter.pipeline().fireChannelRead(bytes("3 cancel\n_\n2\n"));
        waiter.pipeline().fireChannelReadComplete();
        assertThat(written(waiter)).isEqualTo("2 cancelled\n3 ok\n");
        assertThat(request(holder, "l\nk\n0\n")).startsWith("ok ");
    }

    @Test
    void an_acquire_cancelled_as_it_is_granted_has_one_outcome() {
        EmbeddedChannel holder = plain();
        String token = token(request(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(request(waiter, "2 l\nk\n60\n")).isEmpty();
        assertThat(request(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        waiter.pipeline().fireChannelRead(bytes("3 cancel\n_\n2\n"));
        waiter.pipeline().fireChannelReadComplete();
        assertThat(written(waiter)).matches("2 ok [0-9a-f]{32} 33\n3 ok\n");
        assertThat(request(holder, "l\nk\n0\n")).isEqualTo("timeout\n");
    }

    @Test
    void an_await_replaced_by_a_later_one_is_answered() {
        EmbeddedChannel holder = plain();
        String token = token(request(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(request(waiter, "1 e\nk\n\n2 w\nk\n60\n")).isEqualTo("1 queued\n");
        assertThat(request(waiter, "3 w\nk\n60\n")).isEqualTo("2 cancelled\n");
        assertThat(request(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        assertThat(written(waiter)).matches("3 ok [0-9a-f]{32} 33\n");
    }

    @Test
    void draining_writes_nothing_into_a_streamed_response() throws Exception {
        EmbeddedChannel holder = plain();
        assertThat(request(holder, "l\nk\n0\n")).startsWith("ok ");
        EmbeddedChannel waiter = tagged();
        assertThat(request(waiter, "1 l\nk\n60\n2 l\nmine\n0\n")).startsWith("2 ok ");
        waiter.pipeline().fireChannelRead(bytes("3 stats\n_\n_\n"));
        drainState.begin();
        waiter.pipeline().fireUserEventTriggered(DrainEvent.DRAIN);
        StringBuilder all = new StringBuilder();
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!all.toString().contains("error_draining\n") || !all.toString().contains("}\n")) {
            assertThat(System.nanoTime()).as(all.toString()).isLessThan(end);
            all.append(written(waiter));
            Thread.onSpinWait();
        }
        assertThat(all.toString()).matches("3 ok \\{[^\n]*}\n1 error_draining\n");
    }

    @Test
    void an_await_granted_as_its_session_ends_is_released_without_auto_release() {
        driver.close();
        driver = UnlimitedDriver.open(false);
        service = service(false);
        EmbeddedChannel holder = plain();
        String token = token(request(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(request(waiter, "1 e\nk\n\n2 w\nk\n60\n")).isEqualTo("1 queued\n");
        assertThat(request(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        waiter.pipeline().fireExceptionCaught(new IOException("reset"));
        assertThat(written(waiter)).isEmpty();
        assertThat(request(holder, "l\nk\n0\n")).startsWith("ok ");
    }
}
