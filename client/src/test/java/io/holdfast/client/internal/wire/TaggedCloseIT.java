package io.holdfast.client.internal.wire;

import static io.holdfast.client.internal.wire.TaggedServiceFixture.get;
import static io.holdfast.client.internal.wire.TaggedServiceFixture.soon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;

@DisplayName("Closing a tagged service")
class TaggedCloseIT {
    private FakeTaggedServer server;
    private TaggedServiceFixture taggedServiceFixture;

    @BeforeEach
    void connect() throws Exception {
        server = new FakeTaggedServer();
        taggedServiceFixture = TaggedServiceFixture.to(server);
    }

    @AfterEach
    void disconnect() throws Exception {
        taggedServiceFixture.close();
        server.close();
    }

    private static long threads(FakeTaggedServer server) {
        String port = ":" + server.address().getPort();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast "))
                .filter(thread -> thread.getName().endsWith(port))
                .count();
    }

    @Test
    void close_ends_the_session_and_keeps_unbound_holds() throws Exception {
        taggedServiceFixture.lock("k").hold();
        taggedServiceFixture.unbound("free").hold();
        TaggedServiceFixture.Call wait = taggedServiceFixture.lock("k");
        taggedServiceFixture.close();
        assertThat(wait.outcome()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThat(server.held("k")).isZero();
        assertThat(server.held("free")).isEqualTo(1);
        assertThat(server.sessions()).isZero();
        assertThat(threads(server)).isZero();
        assertThat(taggedServiceFixture.lock("k").outcome())
                .isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThatThrownBy(() -> get(taggedServiceFixture.service().command("incr", "n", "1")))
                .cause()
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        e -> assertThat(e.kind()).isEqualTo(ServiceException.Kind.CLOSED));
    }

    @Test
    void close_releases_an_unbound_hold_that_is_granted_meanwhile() throws Exception {
        server.occupy("k");
        TaggedServiceFixture.Call wait = taggedServiceFixture.unbound("k");
        soon().until(() -> server.waiting("k") == 1);
        server.ignore("cancel");
        var closing = new Thread(taggedServiceFixture.service()::close);
        closing.start();
        soon().until(() -> server.count("cancel") == 1);
        server.free("k");
        closing.join();
        assertThat(wait.outcome()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThat(server.held("k")).isZero();
    }

    @Test
    void close_completes_all_requests_although_the_server_is_silent_or_unreachable()
            throws Exception {
        GrantedHold hold = taggedServiceFixture.lock("k").hold();
        server.fallSilent();
        TaggedServiceFixture.Call wait = taggedServiceFixture.lock("k");
        var renewal = hold.renew(0);
        var release = hold.release();
        Thread.currentThread().interrupt();
        taggedServiceFixture.service().close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(wait.outcome()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThatThrownBy(() -> get(renewal)).cause().isInstanceOf(ServiceException.class);
        assertThat(get(release)).isTrue();
        assertThat(threads(server)).isZero();

        server.respondAgain();
        try (var other = TaggedServiceFixture.to(server)) {
            server.cutAndReject();
            other.awaitEvent("suspended");
            TaggedServiceFixture.Call waiting = other.lock("k");
            other.service().close();
            assertThat(waiting.outcome()).isInstanceOf(AcquireOutcome.Cancelled.class);
            assertThat(threads(server)).isZero();
        }
    }

    @Test
    void close_can_be_called_by_a_callback() throws Exception {
        var response = taggedServiceFixture.service().command("incr", "n", "1");
        var closed = new CompletableFuture<String>();
        response.thenAccept(
                unused -> {
                    taggedServiceFixture.service().close();
                    closed.complete("closed");
                });
        get(closed);
        soon().until(() -> server.sessions() == 0);
        soon().until(() -> threads(server) == 0);
    }

    @Test
    void a_close_concurrent_with_other_requests_completes_all_of_them() throws Exception {
        for (int round = 0; round < 20; round++) {
            var other = TaggedServiceFixture.to(server);
            var calls = new ArrayList<TaggedServiceFixture.Call>();
            var futures = new ArrayList<CompletableFuture<?>>();
            var closing = new Thread(other.service()::close);
            GrantedHold hold = other.lock("k").hold();
            for (int i = 0; i < 50; i++) {
                calls.add(other.lock("k"));
                futures.add(other.service().command("incr", "n", "1"));
                futures.add(hold.renew(0));
                if (i == round * 2) {
                    closing.start();
                    futures.add(hold.release());
                }
                if (i == 25 && round % 3 == 0) {
                    server.cut();
                }
            }
            closing.join();
            for (TaggedServiceFixture.Call call : calls) {
                call.outcome();
            }
            for (CompletableFuture<?> future : futures) {
                soon().until(future::isDone);
            }
            server.endSessions();
            other.close();
        }
        assertThat(server.held("k")).isZero();
        soon().until(() -> threads(server) == 2); // of the fixture, which is still open
    }
}
