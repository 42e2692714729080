package io.holdfast.cli.cluster;

import io.holdfast.cli.serve.SecretFile;
import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterSecret;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.admin.ClusterAdmin;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The cluster, its secret and its TLS files: the same options and variables as {@code serve}. */
final class ClusterOptions {
    @Option(
            names = "--cluster",
            paramLabel = "NODES",
            description =
                    "The nodes of the cluster, or some of them, as NAME=HOST:PORT, separated by"
                            + " commas (HOLDFAST_CLUSTER_NODES).")
    private @Nullable String cluster;

    @Option(
            names = "--cluster-name",
            paramLabel = "NAME",
            description = "The name of the cluster (HOLDFAST_CLUSTER_NAME; default: holdfast).")
    private @Nullable String name;

    @Option(
            names = "--cluster-secret-file",
            paramLabel = "FILE",
            description =
                    "File with the secret of the cluster, without which only status is answered;"
                            + " not needed with TLS (HOLDFAST_CLUSTER_SECRET_FILE).")
    private @Nullable String secretFile;

    @Option(
            names = "--cluster-tls-cert",
            paramLabel = "FILE",
            description = "PEM file with a certificate that the nodes trust.")
    private @Nullable String certificate;

    @Option(
            names = "--cluster-tls-key",
            paramLabel = "FILE",
            description = "PEM file with the private key of that certificate.")
    private @Nullable String key;

    @Option(
            names = "--cluster-tls-ca",
            paramLabel = "FILE",
            description = "PEM file with the certificate authority of the nodes' certificates.")
    private @Nullable String authority;

    /** Whether nodes are given by the option or the variable. */
    boolean isGiven(Map<String, String> environment) {
        return !value(cluster, environment, "HOLDFAST_CLUSTER_NODES").isEmpty();
    }

    /**
     * Returns the nodes.
     *
     * @throws IllegalArgumentException if there are none, or the list is malformed
     */
    List<NodeAddress> nodes(Map<String, String> environment) {
        if (!isGiven(environment)) {
            throw new IllegalArgumentException(
                    "--cluster is required: the nodes as NAME=HOST:PORT, separated by commas");
        }
        return NodeAddress.parseList(value(cluster, environment, "HOLDFAST_CLUSTER_NODES"));
    }

    String name(Map<String, String> environment) {
        String given = value(name, environment, "HOLDFAST_CLUSTER_NAME");
        return given.isEmpty() ? ClusterConfig.DEFAULT_NAME : given;
    }

    ClusterAdmin admin(Map<String, String> environment) throws ClusterException {
        return new ClusterAdmin(
                name(environment), nodes(environment), tls(environment), secret(environment));
    }

    private @Nullable ClusterSecret secret(Map<String, String> environment) {
        String file = value(secretFile, environment, "HOLDFAST_CLUSTER_SECRET_FILE");
        return file.isEmpty()
                ? null
                : new ClusterSecret(SecretFile.read(file, "the cluster secret"));
    }

    private @Nullable ClusterTls tls(Map<String, String> environment) {
        String shown = value(certificate, environment, "HOLDFAST_CLUSTER_TLS_CERT");
        String secret = value(key, environment, "HOLDFAST_CLUSTER_TLS_KEY");
        String trusted = value(authority, environment, "HOLDFAST_CLUSTER_TLS_CA");
        if (shown.isEmpty() && secret.isEmpty() && trusted.isEmpty()) {
            return null;
        }
        if (shown.isEmpty() || secret.isEmpty() || trusted.isEmpty()) {
            throw new IllegalArgumentException(
                    "--cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca must be given"
                            + " together");
        }
        return new ClusterTls(Path.of(shown), Path.of(secret), Path.of(trusted));
    }

    static String value(@Nullable String given, Map<String, String> environment, String variable) {
        return given == null ? environment.getOrDefault(variable, "") : given;
    }
}
