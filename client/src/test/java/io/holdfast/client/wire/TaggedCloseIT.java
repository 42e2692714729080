package io.holdfast.client.wire;

import static io.holdfast.client.wire.Tagged.get;
import static io.holdfast.client.wire.Tagged.soon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;

@DisplayName("Closing a tagged service")
class TaggedCloseIT {
    private PlayedServer server;
    private Tagged tagged;

    @BeforeEach
    void connect() throws Exception {
        server = new PlayedServer();
        tagged = Tagged.to(server);
    }

    @AfterEach
    void disconnect() throws Exception {
        tagged.close();
        server.close();
    }

    private static long threads(PlayedServer server) {
        String port = ":" + server.address().getPort();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast "))
                .filter(thread -> thread.getName().endsWith(port))
                .count();
    }

    @Test
    void ends_the_session_and_leaves_what_is_unbound_alone() throws Exception {
        tagged.lock("k").hold();
        tagged.unbound("free").hold();
        Tagged.Call wait = tagged.lock("k");
        tagged.close();
        assertThat(wait.outcome()).isInstanceOf(Outcome.Cancelled.class);
        assertThat(server.held("k")).isZero();
        assertThat(server.held("free")).isEqualTo(1);
        assertThat(server.sessions()).isZero();
        assertThat(threads(server)).isZero();
        assertThat(tagged.lock("k").outcome()).isInstanceOf(Outcome.Cancelled.class);
        assertThatThrownBy(() -> get(tagged.service().command("incr", "n", "1")))
                .cause()
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        e -> assertThat(e.kind()).isEqualTo(ServiceException.Kind.CLOSED));
    }

    @Test
    void gives_back_an_unbound_hold_that_comes_at_the_last_moment() throws Exception {
        server.occupy("k");
        Tagged.Call wait = tagged.unbound("k");
        soon().until(() -> server.waiting("k") == 1);
        server.leaveUnread("cancel");
        var closing = new Thread(tagged.service()::close);
        closing.start();
        soon().until(() -> server.count("cancel") == 1);
        server.free("k");
        closing.join();
        assertThat(wait.outcome()).isInstanceOf(Outcome.Cancelled.class);
        assertThat(server.held("k")).isZero();
    }

    @Test
    void ends_everything_though_the_server_is_silent_or_away() throws Exception {
        GrantedHold hold = tagged.lock("k").hold();
        server.fallSilent();
        Tagged.Call wait = tagged.lock("k");
        var renewal = hold.renew(0);
        var release = hold.release();
        Thread.currentThread().interrupt();
        tagged.service().close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(wait.outcome()).isInstanceOf(Outcome.Cancelled.class);
        assertThatThrownBy(() -> get(renewal)).cause().isInstanceOf(ServiceException.class);
        assertThat(get(release)).isTrue();
        assertThat(threads(server)).isZero();

        server.answerAll();
        try (var other = Tagged.to(server)) {
            server.goAway();
            other.awaitEvent("suspended");
            Tagged.Call lonely = other.lock("k");
            other.service().close();
            assertThat(lonely.outcome()).isInstanceOf(Outcome.Cancelled.class);
            assertThat(threads(server)).isZero();
        }
    }

    @Test
    void can_be_done_by_a_callback() throws Exception {
        var answer = tagged.service().command("incr", "n", "1");
        var closed = new CompletableFuture<String>();
        answer.thenAccept(
                unused -> {
                    tagged.service().close();
                    closed.complete("closed");
                });
        get(closed);
        soon().until(() -> server.sessions() == 0);
        soon().until(() -> threads(server) == 0);
    }

    @Test
    void against_everything_else_leaves_nobody_waiting() throws Exception {
        for (int round = 0; round < 20; round++) {
            var other = Tagged.to(server);
            var calls = new ArrayList<Tagged.Call>();
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
            for (Tagged.Call call : calls) {
                call.outcome();
            }
            for (CompletableFuture<?> future : futures) {
                soon().until(future::isDone);
            }
            server.endSessions();
            other.close();
        }
        assertThat(server.held("k")).isZero();
        soon().until(() -> threads(server) == 2); // of the one that is open
    }
}
