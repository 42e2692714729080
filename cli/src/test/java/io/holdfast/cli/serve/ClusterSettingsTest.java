package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.server.ConfigException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

@DisplayName("holdfast serve, for a cluster,")
class ClusterSettingsTest {
    static final Set<Setting> SETTINGS =
            EnumSet.of(
                    Setting.CLUSTER,
                    Setting.NODE,
                    Setting.DATA_DIR,
                    Setting.CLUSTER_NAME,
                    Setting.CLUSTER_WAIT,
                    Setting.SESSION_TIMEOUT,
                    Setting.JOIN,
                    Setting.CLUSTER_TLS_CERT,
                    Setting.CLUSTER_TLS_KEY,
                    Setting.CLUSTER_TLS_CA);

    private static ServerPlan plan(Map<String, String> environment, String... words) {
        CommandLine line = ServeCommand.create(environment);
        line.parseArgs(words);
        ServeCommand command = line.getCommand();
        return command.plan();
    }

    private static ServerPlan plan(String... words) {
        return plan(Map.of(), words);
    }

    private static Duration seconds(long value) {
        return Duration.ofSeconds(value);
    }

    @Test
    void has_none_where_nobody_asks_for_one() {
        assertThat(plan().cluster()).isNull();
        assertThat(plan().server().settings().keepsValues()).isFalse();
    }

    @Test
    void has_defaults() {
        var plan = plan("--cluster=n1=a:1,n2=[::1]:2", "--node=n2", "--data-dir=/data");
        assertThat(plan.cluster())
                .isEqualTo(
                        new ClusterConfig(
                                ClusterConfig.DEFAULT_NAME,
                                List.of(
                                        new NodeAddress("n1", "a", 1),
                                        new NodeAddress("n2", "::1", 2)),
                                "n2",
                                Path.of("/data"),
                                ClusterConfig.DEFAULT_REQUEST_TIMEOUT,
                                ClusterConfig.DEFAULT_SESSION_TIMEOUT,
                                false,
                                null));
        assertThat(plan.server().settings().keepsValues()).isTrue();
    }

    @Test
    void takes_every_setting_as_an_option_or_from_a_variable() {
        var expected =
                new ClusterConfig(
                        "ours",
                        List.of(new NodeAddress("n1", "a", 1), new NodeAddress("n2", "b", 2)),
                        "n1",
                        Path.of("d"),
                        seconds(6),
                        seconds(7),
                        true,
                        new ClusterTls(Path.of("c"), Path.of("k"), Path.of("a")));
        assertThat(
                        plan(
                                        "--cluster=n1=a:1",
                                        "--cluster=n2=b:2",
                                        "--node=n1",
                                        "--data-dir=d",
                                        "--cluster-name=ours",
                                        "--cluster-wait=6",
                                        "--session-timeout=7",
                                        "--join",
                                        "--cluster-tls-cert=c",
                                        "--cluster-tls-key=k",
                                        "--cluster-tls-ca=a")
                                .cluster())
                .isEqualTo(expected);
        Map<String, String> environment =
                Map.of(
                        "HOLDFAST_CLUSTER_NODES", "n1=a:1 n2=b:2",
                        "HOLDFAST_NODE", "n1",
                        "HOLDFAST_DATA_DIR", "d",
                        "HOLDFAST_CLUSTER_NAME", "ours",
                        "HOLDFAST_CLUSTER_WAIT", "6",
                        "HOLDFAST_SESSION_TIMEOUT", "7",
                        "HOLDFAST_JOIN", "yes",
                        "HOLDFAST_CLUSTER_TLS_CERT", "c",
                        "HOLDFAST_CLUSTER_TLS_KEY", "k",
                        "HOLDFAST_CLUSTER_TLS_CA", "a");
        assertThat(plan(environment).cluster()).isEqualTo(expected);
        assertThat(SETTINGS)
                .extracting(Setting::holdfastVariable)
                .containsExactlyInAnyOrderElementsOf(environment.keySet());
    }

    @Test
    void is_alone_where_there_is_only_a_folder() {
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
                "--cluster=n1=a:1 | --cluster needs --node, which of the nodes this one is, and"
                        + " --data-dir, where to keep what the cluster has decided",
                "--cluster=n1=a:1 --node=n1 | --cluster needs --data-dir, where to keep what the"
                        + " cluster has decided",
                "--cluster=n1=a:1 --data-dir=d"
                        + " | --cluster needs --node, which of the nodes this one is",
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
                        + " | --fence-state-file goes with no --data-dir: fences are kept there"
                        + " already",
                "--data-dir=d --join | --join needs --cluster too",
                "--join | --join needs --cluster too",
                "--node=n1 | --node needs --data-dir too",
                "--data-dir=d --cluster-tls-ca=a | --cluster-tls-ca needs --cluster too",
                "--cluster=n1=a:1 --data-dir=d --node=n1 --cluster-tls-ca=a"
                        + " | --cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca must be"
                        + " given together",
                "--cluster=n1=a:1 --data-dir=d --node=n1 --session-timeout=0"
                        + " | --session-timeout must be > 0"
            })
    void refuses_what_it_cannot_use_and_says_why(String words, String text) {
        String[] each = words.split(" ", -1);
        assertThatThrownBy(() -> plan(each)).isInstanceOf(ConfigException.class).hasMessage(text);
    }
}
