package io.holdfast.client.internal.wire;

import static io.holdfast.client.internal.wire.TaggedServiceFixture.get;
import static io.holdfast.client.internal.wire.TaggedServiceFixture.soon;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.internal.service.SignalSink;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("Listening over a tagged connection")
class TaggedListeningIT {
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

    private static final class RecordingSink implements SignalSink {
        private final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void signal(String channel, String payload) {
            all.add(channel + "=" + payload);
        }

        @Override
        public void gap() {
            all.add("gap");
        }
    }

    @Test
    void each_listener_gets_matching_signals_and_a_pattern_is_sent_once() throws Exception {
        var one = new RecordingSink();
        var two = new RecordingSink();
        var all = new RecordingSink();
        var first = taggedServiceFixture.service().listen("a.*", "", one);
        var second = taggedServiceFixture.service().listen("a.*", "", two);
        get(first.accepted());
        get(second.accepted());
        get(taggedServiceFixture.service().listen(">", "", all).accepted());
        server.pushToAll("sig a.b two words");
        server.pushToAll("sig a.b.c  x");
        soon().until(() -> all.all.size() == 2);
        assertThat(one.all).containsExactly("a.b=two words").isEqualTo(two.all);
        assertThat(all.all).containsExactly("a.b=two words", "a.b.c= x");
        assertThat(server.count("listen")).isEqualTo(2);
        first.close();
        get(taggedServiceFixture.service().command("incr", "n", "1"));
        assertThat(server.count("unlisten")).isZero();
        second.close();
        soon().until(() -> server.count("unlisten") == 1);
    }

    @Test
    void subscriptions_continue_after_a_reconnect_with_a_gap_notice() throws Exception {
        var recordingSink = new RecordingSink();
        get(taggedServiceFixture.service().listen("a", "", recordingSink).accepted());
        server.cut();
        soon().until(() -> recordingSink.all.contains("gap"));
        server.endSessions();
        server.cut();
        soon().until(() -> recordingSink.all.size() == 2);
        server.pushToAll("sig a x");
        soon().until(() -> recordingSink.all.size() == 3);
        assertThat(recordingSink.all).containsExactly("gap", "gap", "a=x");
        assertThat(server.count("listen")).isEqualTo(3);
    }

    @Test
    void members_of_a_queue_group_share_a_separate_connection_and_alternate() throws Exception {
        var one = new RecordingSink();
        var two = new RecordingSink();
        var first = taggedServiceFixture.service().listen("a", "g", one);
        var second = taggedServiceFixture.service().listen("a", "g", two);
        get(first.accepted());
        get(second.accepted());
        assertThat(server.connections()).isEqualTo(2);
        assertThat(server.received()).contains("listen a g").doesNotHaveDuplicates();
        for (int i = 0; i < 4; i++) {
            server.pushToAll("sig a " + i);
        }
        soon().until(() -> one.all.size() + two.all.size() == 4);
        assertThat(one.all).hasSize(2);
        first.close();
        second.close();
        soon().until(() -> server.connections() == 1);
    }

    @Test
    void patterns_match_as_at_the_server() {
        assertThat(SessionSubscriptions.matches("a.b", "a.b")).isTrue();
        assertThat(SessionSubscriptions.matches("a.b", "a.b.c")).isFalse();
        assertThat(SessionSubscriptions.matches("a.*", "a.")).isTrue();
        assertThat(SessionSubscriptions.matches("a.*", "a")).isFalse();
        assertThat(SessionSubscriptions.matches("*.b", "a.b")).isTrue();
        assertThat(SessionSubscriptions.matches("a.>", "a")).isFalse();
        assertThat(SessionSubscriptions.matches("a.>", "a.b.c")).isTrue();
        assertThat(SessionSubscriptions.matches(">", "a..b")).isTrue();
    }
}
