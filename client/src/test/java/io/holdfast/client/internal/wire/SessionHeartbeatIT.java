package io.holdfast.client.internal.wire;

import static io.holdfast.client.internal.wire.TaggedServiceFixture.soon;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceEvents;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The clock is manual; the grace period of sessions is 3 seconds. */
@DisplayName("A client whose session the server may have ended")
class SessionHeartbeatIT {
    private final ManualClock clock = new ManualClock();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private FakeTaggedServer server;
    private TaggedService service;

    @BeforeEach
    void open() throws Exception {
        server = new FakeTaggedServer();
        server.grace(3000);
        var config = TaggedServiceFixture.config(server.address(), Duration.ofSeconds(30));
        var socket = LineSocket.dial(config, server.address());
        String hello = socket.hello(HelloResponse.argument(config, null));
        service = TaggedService.open(config, new Recorder(), clock, socket, hello);
    }

    @AfterEach
    void close() throws Exception {
        service.startClose();
        clock.advance(Duration.ofSeconds(2));
        server.close();
    }

    private TaggedServiceFixture.Call lock(String key) {
        return new TaggedServiceFixture.Call(
                service,
                new AcquireRequest(
                        AcquireRequest.Kind.LOCK, key, 1, AcquireRequest.FOREVER, 0, false));
    }

    @Test
    void a_grant_that_was_in_flight_for_longer_than_the_grace_period_is_verified()
            throws Exception {
        server.occupy("k");
        TaggedServiceFixture.Call wait = lock("k");
        soon().until(() -> server.waiting("k") == 1);
        server.ignore("ping");
        clock.advance(Duration.ofSeconds(4));
        assertThat(wait.isDone()).isFalse();
        server.free("k");
        GrantedHold unused = wait.hold(); // confirmed by the server after the resume
        assertThat(server.count("mine")).isPositive();
        assertThat(events).startsWith("suspended");
    }

    @Test
    void a_grant_is_accepted_while_pings_are_acknowledged() throws Exception {
        server.occupy("k");
        TaggedServiceFixture.Call wait = lock("k");
        soon().until(() -> server.waiting("k") == 1);
        for (int second = 0; second < 5; second++) {
            int before = server.pings();
            clock.advance(Duration.ofSeconds(1));
            soon().until(() -> server.pings() > before);
            assertThat(TaggedServiceFixture.get(service.command("incr", "n", "1"))).isEqualTo("ok");
        }
        server.free("k");
        GrantedHold unused = wait.hold();
        assertThat(server.count("mine")).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void holds_are_lost_when_a_resumed_session_does_not_list_them() throws Exception {
        GrantedHold hold = lock("k").hold();
        List<GrantedHold.Loss> losses = new CopyOnWriteArrayList<>();
        hold.onLost(losses::add);
        server.ignore("mine");
        server.cut();
        soon().until(() -> server.count("mine") > 0);
        // Repeatedly, because the client may not have started its timer yet.
        soon().until(
                        () -> {
                            clock.advance(Duration.ofSeconds(4));
                            return !losses.isEmpty();
                        });
        assertThat(losses).containsExactly(GrantedHold.Loss.CONNECTION);
    }

    private final class Recorder implements ServiceEvents {
        @Override
        public void connected() {}

        @Override
        public void suspended() {
            events.add("suspended");
        }

        @Override
        public void restored() {
            events.add("restored");
        }

        @Override
        public void lost() {
            events.add("lost");
        }

        @Override
        public void reconnected() {
            events.add("reconnected");
        }
    }
}
