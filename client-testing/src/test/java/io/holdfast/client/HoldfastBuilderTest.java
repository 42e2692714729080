package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceFeatures;
import io.holdfast.client.testing.internal.MemoryClock;
import io.holdfast.client.testing.internal.MemoryServer;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

@DisplayName("The builder")
class HoldfastBuilderTest {
    private final MemoryClock clock = new MemoryClock();
    private final List<MemoryServer> servers = new ArrayList<>();
    private final List<ServiceConfig> configs = new ArrayList<>();

    private Holdfast connect(HoldfastBuilder builder) {
        return builder.connect(
                (config, events, timerClock) -> {
                    configs.add(config);
                    var server = new MemoryServer(clock);
                    servers.add(server);
                    return server.connect(config.label(), ServiceFeatures.ALL, 0, events);
                },
                clock,
                Runnable::run);
    }

    @Test
    void the_builder_names_the_invalid_setting() {
        expect("address", builder -> builder.address("nowhere"));
        expect("address", builder -> builder.address("::1:80"));
        expect("shards", builder -> builder.shards("a:1", "b:70000"));
        expect("cluster", builder -> builder.cluster("a:"));
        expect("address", builder -> builder.shards());
        expect("connectTimeout", builder -> builder.connectTimeout(Duration.ZERO));
        expect("readTimeout", builder -> builder.readTimeout(Duration.ofSeconds(-1)));
        expect("grace", builder -> builder.grace(Duration.ofSeconds(-1)));
        expect("label", builder -> builder.label("two words"));
        // The server would refuse the hello, and the client would take it for a plain dflockd.
        for (var invalid : List.of("\t", "\n", "\u0000", "\u00a0", "\u200b", "\u3000", "\ud83d")) {
            expect("label", builder -> builder.label("two" + invalid + "grace=60"));
        }
        expect("maxConnections", builder -> builder.maxConnections(0));
        expect("authToken", builder -> builder.authToken("a\nb"));
        expect("tls", builder -> builder.tls(Path.of("there-is-no-such-file")));
    }

    private void expect(String setting, UnaryOperator<HoldfastBuilder> settings) {
        assertThatThrownBy(() -> connect(settings.apply(Holdfast.builder().address("a:1"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(setting);
    }

    @Test
    void a_trust_file_without_certificates_is_rejected(@TempDir Path folder) throws Exception {
        var file = Files.writeString(folder.resolve("empty.pem"), "");
        assertThatThrownBy(() -> Holdfast.builder().tls(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tls");
    }

    @Test
    void the_default_label_ends_with_the_process_id() {
        connect(Holdfast.builder().address("[::1]:6388")).close();
        assertThat(configs.get(0).label()).endsWith(":" + ProcessHandle.current().pid());
        assertThat(configs.get(0).addresses().get(0).getHostString()).isEqualTo("::1");
    }

    @Test
    void a_cluster_is_one_service_and_each_shard_is_a_service() {
        connect(Holdfast.builder().cluster("a:1", "b:2", "c:3")).close();
        assertThat(configs).hasSize(1);
        assertThat(configs.get(0).addresses()).hasSize(3);
        configs.clear();
        connect(Holdfast.builder().shards("a:1", "b:2", "c:3")).close();
        assertThat(configs).hasSize(3);
    }

    @Test
    void keys_are_sharded_by_crc_32_as_in_other_clients() {
        assertThat(ShardStrategy.CRC32.shardOf("foo", Integer.MAX_VALUE))
                .isEqualTo((int) (0x8c736521L % Integer.MAX_VALUE));
        assertThat(ShardStrategy.CRC32.shardOf("123456789", 1_000_003))
                .isEqualTo((int) (0xcbf43926L % 1_000_003));
        var client = connect(Holdfast.builder().shards("a:1", "b:2", "c:3"));
        assertThat(client.lock("foo").tryAcquire()).isPresent();
        for (int i = 0; i < 3; i++) {
            assertThat(servers.get(i).inUse()).isEqualTo(0x8c736521L % 3 == i ? 1 : 0);
        }
        assertThat(client.stats()).hasSize(3);
        client.close();
    }

    @Test
    void keys_are_sharded_by_a_custom_strategy_and_patterns_are_subscribed_on_all_shards()
            throws Exception {
        var client =
                connect(
                        Holdfast.builder()
                                .shards("a:1", "b:2")
                                .shardBy((key, shards) -> key.startsWith("x") ? 1 : 0));
        try (var hold = client.multiLock("x1", "y1").acquire(Duration.ZERO)) {
            assertThat(hold.isHeld()).isTrue();
            assertThat(servers).allMatch(server -> server.inUse() == 1);
        }
        var received = new ArrayList<Signals.Signal>();
        client.signals().listen("*", received::add);
        assertThat(client.signals().send("x", "1")).isEqualTo(1);
        assertThat(client.signals().send("y", "2")).isEqualTo(1);
        assertThat(received).hasSize(2);
        client.close();
    }

    @Test
    void listeners_are_notified_of_the_operations_of_the_client() throws Exception {
        var notified = new ArrayList<String>();
        var listener =
                new ClientEventListener() {
                    @Override
                    public void acquireEnded(String key, AcquireResult result, Duration waited) {
                        notified.add(key + " " + result);
                    }

                    @Override
                    public void released(String key, Duration held) {
                        notified.add(key + " released after " + held.toSeconds());
                    }

                    @Override
                    public void lost(String key, LossReason reason, Duration held) {
                        notified.add(key + " lost " + reason);
                    }

                    @Override
                    public void renewed(String key) {
                        notified.add(key + " renewed");
                    }

                    @Override
                    public void connection(ConnectionEvent event) {
                        notified.add(event.state() + " " + event.address());
                    }
                };
        var client = connect(Holdfast.builder().address("a:1").listener(listener));
        var hold = client.lock("k").lease(Duration.ofSeconds(30)).acquire(Duration.ZERO);
        assertThat(client.lock("k").tryAcquire()).isEmpty();
        clock.advance(Duration.ofSeconds(12).toNanos(), () -> {});
        hold.close();
        client.lock("l").acquire(Duration.ZERO);
        client.close();
        assertThat(notified)
                .containsExactly(
                        "CONNECTED a:1",
                        "k ACQUIRED",
                        "k TIMED_OUT",
                        "k renewed",
                        "k released after 12",
                        "l ACQUIRED",
                        "l lost CLIENT_CLOSED");
    }
}
