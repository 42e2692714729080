package io.holdfast.server.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.Namespace;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.PipelineEvent;
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
                driver,
                new ServerMonitor(1, System::nanoTime),
                () -> new SignalHub(0, () -> true),
                new InputBudget(Runtime.getRuntime().maxMemory() / 8),
                drainState,
                null,
                Duration.ofSeconds(33),
                Duration.ofHours(1),
                Duration.ofHours(1),
                graces,
                autoRelease,
                1 << 20);
    }

    private EmbeddedChannel plain() {
        return new EmbeddedChannel(new DflockdHandler(service, Namespace.DEFAULT));
    }

    private EmbeddedChannel tagged() {
        EmbeddedChannel channel = plain();
        assertThat(ask(channel, "hello\n_\n1\n")).startsWith("ok 1 ");
        return channel;
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static String ask(EmbeddedChannel channel, String text) {
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
    void answers_a_hello_when_its_grace_may_be_promised_and_what_was_sent_behind_it_then() {
        CompletableFuture<Long> grace = new CompletableFuture<>();
        service = service(true, _ -> grace);
        EmbeddedChannel client = plain();
        assertThat(ask(client, "hello\n_\n1 grace=30\n")).isEmpty();
        assertThat(ask(client, "1 ping\n_\n_\n")).isEmpty();
        grace.complete(Duration.ofSeconds(5).toNanos());
        assertThat(written(client)).matches("ok 1 session=.* grace=5 .*\n1 ok\n");
    }

    @Test
    void does_not_begin_for_a_client_that_goes_before_its_grace_may_be_promised() {
        CompletableFuture<Long> grace = new CompletableFuture<>();
        service = service(true, _ -> grace);
        EmbeddedChannel client = plain();
        assertThat(ask(client, "hello\n_\n1 grace=30\n")).isEmpty();
        client.close();
        grace.complete(Duration.ofSeconds(5).toNanos());
        assertThat(written(client)).isEmpty();
        assertThat(driver.openSessions()).isZero();
    }

    /** The grant is on its way to the connection when it reads the cancel. */
    @Test
    void tells_one_outcome_of_an_await_that_is_cancelled_as_it_is_granted() {
        EmbeddedChannel holder = plain();
        String token = token(ask(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(ask(waiter, "1 e\nk\n\n2 w\nk\n60\n")).isEqualTo("1 queued\n");
        assertThat(ask(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        waiter.pipeline().fireChannelRead(bytes("3 cancel\n_\n2\n"));
        waiter.pipeline().fireChannelReadComplete();
        assertThat(written(waiter)).isEqualTo("2 cancelled\n3 ok\n");
        assertThat(ask(holder, "l\nk\n0\n")).startsWith("ok ");
    }

    @Test
    void tells_one_outcome_of_an_acquire_that_is_cancelled_as_it_is_granted() {
        EmbeddedChannel holder = plain();
        String token = token(ask(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(ask(waiter, "2 l\nk\n60\n")).isEmpty();
        assertThat(ask(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        waiter.pipeline().fireChannelRead(bytes("3 cancel\n_\n2\n"));
        waiter.pipeline().fireChannelReadComplete();
        assertThat(written(waiter)).matches("2 ok [0-9a-f]{32} 33\n3 ok\n");
        assertThat(ask(holder, "l\nk\n0\n")).isEqualTo("timeout\n");
    }

    @Test
    void answers_an_await_whose_place_a_later_one_takes() {
        EmbeddedChannel holder = plain();
        String token = token(ask(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(ask(waiter, "1 e\nk\n\n2 w\nk\n60\n")).isEqualTo("1 queued\n");
        assertThat(ask(waiter, "3 w\nk\n60\n")).isEqualTo("2 cancelled\n");
        assertThat(ask(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        assertThat(written(waiter)).matches("3 ok [0-9a-f]{32} 33\n");
    }

    @Test
    void writes_nothing_into_a_streamed_answer_when_the_server_drains() throws Exception {
        EmbeddedChannel holder = plain();
        assertThat(ask(holder, "l\nk\n0\n")).startsWith("ok ");
        EmbeddedChannel waiter = tagged();
        assertThat(ask(waiter, "1 l\nk\n60\n2 l\nmine\n0\n")).startsWith("2 ok ");
        waiter.pipeline().fireChannelRead(bytes("3 stats\n_\n_\n"));
        drainState.begin();
        waiter.pipeline().fireUserEventTriggered(PipelineEvent.DRAIN);
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
    void gives_an_await_up_that_was_granted_as_it_ended_though_holds_outlive_sessions() {
        driver.close();
        driver = UnlimitedDriver.open(false);
        service = service(false);
        EmbeddedChannel holder = plain();
        String token = token(ask(holder, "l\nk\n0\n"));
        EmbeddedChannel waiter = tagged();
        assertThat(ask(waiter, "1 e\nk\n\n2 w\nk\n60\n")).isEqualTo("1 queued\n");
        assertThat(ask(holder, "r\nk\n" + token + "\n")).isEqualTo("ok\n");
        waiter.pipeline().fireExceptionCaught(new IOException("reset"));
        assertThat(written(waiter)).isEmpty();
        assertThat(ask(holder, "l\nk\n0\n")).startsWith("ok ");
    }
}
