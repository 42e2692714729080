package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterSecret;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.driver.config.ConfigException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

@DisplayName("The cluster settings of holdfast serve")
class ClusterSettingsTest {
    static final Set<Setting> SETTINGS =
            EnumSet.of(
                    Setting.CLUSTER,
                    Setting.NODE,
                    Setting.DATA_DIR,
                    Setting.CLUSTER_NAME,
                    Setting.CLUSTER_BIND,
                    Setting.CLUSTER_CHECK_INTERVAL,
                    Setting.CLUSTER_WAIT,
                    Setting.SESSION_TIMEOUT,
                    Setting.JOIN,
                    Setting.CLUSTER_SECRET_FILE,
                    Setting.CLUSTER_TLS_CERT,
                    Setting.CLUSTER_TLS_KEY,
                    Setting.CLUSTER_TLS_CA);

    private static final byte[] NONCE = new byte[32];

    @TempDir private Path folder;

    private static ServerPlan plan(Map<String, String> environment, String... args) {
        CommandLine line = ServeCommand.create(environment);
        line.parseArgs(args);
        ServeCommand command = line.getCommand();
        return command.plan();
    }

    private static ServerPlan plan(String... args) {
        return plan(Map.of(), args);
    }

    private static Duration seconds(long value) {
        return Duration.ofSeconds(value);
    }

    @Test
    void there_is_no_cluster_by_default() {
        assertThat(plan().cluster()).isNull();
        assertThat(plan().server().keepsValues()).isFalse();
    }

    @Test
    void cluster_settings_have_defaults() {
        var plan = plan("--cluster=n1=a:1,n2=[::1]:2", "--node=n2", "--data-dir=/data");
        assertThat(plan.cluster())
                .isEqualTo(
                        ClusterConfig.builder(
                                        List.of(
                                                new NodeAddress("n1", "a", 1),
                                                new NodeAddress("n2", "::1", 2)),
                                        "n2",
                                        Path.of("/data"))
                                .build());
        assertThat(plan.server().keepsValues()).isTrue();
    }

    @Test
    void every_cluster_setting_can_be_an_option_or_a_variable() throws IOException {
        String secret =
                Files.writeString(folder.resolve("secret"), "0123456789abcdef\n").toString();
        var options =
                plan(
                                "--cluster=n1=a:1",
                                "--cluster=n2=b:2",
                                "--node=n1",
                                "--data-dir=d",
                                "--cluster-name=ours",
                                "--cluster-bind=0.0.0.0:3",
                                "--cluster-check-interval=0",
                                "--cluster-wait=6",
                                "--session-timeout=7",
                                "--join",
                                "--cluster-secret-file=" + secret,
                                "--cluster-tls-cert=c",
                                "--cluster-tls-key=k",
                                "--cluster-tls-ca=a")
                        .cluster();
        assertThat(options).isEqualTo(everySetting(options.secret()));
        Map<String, String> environment =
                Map.ofEntries(
                        Map.entry("HOLDFAST_CLUSTER_NODES", "n1=a:1 n2=b:2"),
                        Map.entry("HOLDFAST_NODE", "n1"),
                        Map.entry("HOLDFAST_DATA_DIR", "d"),
                        Map.entry("HOLDFAST_CLUSTER_NAME", "ours"),
                        Map.entry("HOLDFAST_CLUSTER_BIND", "0.0.0.0:3"),
                        Map.entry("HOLDFAST_CLUSTER_CHECK_INTERVAL", "0"),
                        Map.entry("HOLDFAST_CLUSTER_WAIT", "6"),
                        Map.entry("HOLDFAST_SESSION_TIMEOUT", "7"),
                        Map.entry("HOLDFAST_JOIN", "yes"),
                        Map.entry("HOLDFAST_CLUSTER_SECRET_FILE", secret),
                        Map.entry("HOLDFAST_CLUSTER_TLS_CERT", "c"),
                        Map.entry("HOLDFAST_CLUSTER_TLS_KEY", "k"),
                        Map.entry("HOLDFAST_CLUSTER_TLS_CA", "a"));
        var variables = plan(environment).cluster();
        assertThat(variables).isEqualTo(everySetting(variables.secret()));
        assertThat(SETTINGS)
                .extracting(Setting::holdfastVariable)
                .containsExactlyInAnyOrderElementsOf(environment.keySet());
    }

    private static ClusterConfig everySetting(@Nullable ClusterSecret secret) {
        assertThat(secret).isNotNull();
        var same = new ClusterSecret("0123456789abcdef".getBytes(StandardCharsets.UTF_8));
        assertThat(secret.proof(NONCE, "ours")).isEqualTo(same.proof(NONCE, "ours"));
        return ClusterConfig.builder(
                        List.of(new NodeAddress("n1", "a", 1), new NodeAddress("n2", "b", 2)),
                        "n1",
                        Path.of("d"))
                .name("ours")
                .requestTimeout(seconds(6))
                .sessionTimeout(seconds(7))
                .joining(true)
                .tls(new ClusterTls(Path.of("c"), Path.of("k"), Path.of("a")))
                .secret(secret)
                .bind(new NodeAddress("n1", "0.0.0.0", 3))
                .checkInterval(seconds(0))
                .build();
    }

    @Test
    void a_secret_that_is_too_short_is_refused_without_showing_it() throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), "0123456789");
        assertThatThrownBy(
                        () ->
                                plan(
                                        "--cluster=n1=a:1",
                                        "--node=n1",
                                        "--data-dir=d",
                                        "--cluster-secret-file=" + file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("at least 16 bytes")
                .hasMessageNotContaining("0123456789");
    }

    @Test
    void with_only_a_data_directory_the_server_is_a_single_node() {
        var alone = plan("--data-dir=d").cluster();
        assertThat(alone).isNotNull();
        assertThat(alone.isSingle()).isTrue();
        assertThat(alone.self()).isEqualTo(new NodeAddress("standalone", "127.0.0.1", 0));
        var named = plan("--data-dir=d", "--node=n1").cluster();
        assertThat(named).isNotNull();
        assertThat(named.self().name()).isEqualTo("n1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cluster=n1=a:1 | --cluster requires --node, the name of this node, and"
                        + " --data-dir, where this node stores its log and snapshots",
                "--cluster=n1=a:1 --node=n1 | --cluster requires --data-dir, where this node stores"
                        + " its log and snapshots",
                "--cluster=n1=a:1 --data-dir=d"
                        + " | --cluster requires --node, the name of this node",
                "--cluster=n1=a:1 --data-dir=d --node=n2"
                        + " | --cluster: the cluster has no node named n2",
                "--cluster=n1=a:1,n1=b:1 --data-dir=d --node=n1"
                        + " | --cluster: two nodes have the name n1",
                "--cluster=n1=a:1,n2=a:1 --data-dir=d --node=n1"
                        + " | --cluster: two nodes have the address a:1",
                "--cluster=a:1 --data-dir=d --node=n1 | --cluster: a node is written"
                        + " NAME=HOST:PORT, as in n1=10.0.0.1:6400 (got a:1)",
                "--cluster=n1=a:1, --data-dir=d --node=n1 | --cluster: a node is written"
                        + " NAME=HOST:PORT, as in n1=10.0.0.1:6400 (got )",
                "--cluster=n1=::1:5 --data-dir=d --node=n1 | --cluster: a node is written"
                        + " NAME=HOST:PORT, as in n1=10.0.0.1:6400 (got n1=::1:5)",
                "--cluster=n1=a:0 --data-dir=d --node=n1"
                        + " | --cluster: a port is 1-65535 (got 0 in n1=a:0)",
                "--cluster=n1=a:70000 --data-dir=d --node=n1"
                        + " | --cluster: a port is 1-65535 (got 70000)",
                "--data-dir=d --fence-state-file=f"
                        + " | --fence-state-file cannot be combined with --data-dir: the data"
                        + " directory stores the fences",
                "--data-dir=d --join | --join requires --cluster",
                "--join | --join requires --cluster",
                "--node=n1 | --node requires --data-dir",
                "--data-dir=d --cluster-tls-ca=a | --cluster-tls-ca requires --cluster",
                "--cluster-tls-ca=a | --cluster-tls-ca requires --cluster",
                "--data-dir=d --cluster-bind=a:1 | --cluster-bind requires --cluster",
                "--cluster-bind=a:1 | --cluster-bind requires --cluster",
                "--cluster-secret-file=a | --cluster-secret-file requires --cluster",
                "--data-dir=d --cluster-secret-file=a | --cluster-secret-file requires --cluster",
                "--cluster=n1=a:1 --data-dir=d --node=n1 --cluster-secret-file=/no/file | cannot"
                        + " read the cluster secret file /no/file: it does not exist",
                "--cluster=n1=a:1 --data-dir=d --node=n1 --cluster-tls-ca=a"
                        + " | --cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca must be"
                        + " given together",
                "--cluster=n1=a:1 --data-dir=d --node=n1 --session-timeout=0"
                        + " | --session-timeout must be > 0"
            })
    void invalid_cluster_settings_are_rejected_with_a_reason(String args, String text) {
        String[] each = args.split(" ", -1);
        assertThatThrownBy(() -> plan(each)).isInstanceOf(ConfigException.class).hasMessage(text);
    }
}
