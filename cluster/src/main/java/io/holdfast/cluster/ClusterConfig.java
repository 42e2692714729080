package io.holdfast.cluster;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a node of a cluster is told.
 *
 * @param name of the cluster: nodes of another do not understand each other
 * @param members those who began the cluster, or whom it has now; only this node in a cluster of
 *     one
 * @param node which of them this one is
 * @param dataDir where it keeps what it promised
 * @param requestTimeout how long a request waits for the cluster to decide, if it names no time
 *     itself
 * @param sessionTimeout how long the sessions of a node outlive it
 * @param joining whether it waits to be added to a cluster that runs already
 * @param tls null to talk in the clear
 */
public record ClusterConfig(
        String name,
        List<NodeAddress> members,
        String node,
        Path dataDir,
        Duration requestTimeout,
        Duration sessionTimeout,
        boolean joining,
        @Nullable ClusterTls tls) {
    public static final String DEFAULT_NAME = "holdfast";
    public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(5);
    public static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(10);

    public ClusterConfig {
        members = List.copyOf(members);
        Set<String> names = new HashSet<>();
        Set<String> addresses = new HashSet<>();
        for (NodeAddress member : members) {
            if (!names.add(member.name())) {
                throw new IllegalArgumentException("two nodes have the name " + member.name());
            }
            if (member.port() > 0 && !addresses.add(member.address())) {
                throw new IllegalArgumentException(
                        "two nodes have the address " + member.address());
            }
        }
        if (!names.contains(node)) {
            throw new IllegalArgumentException("the cluster has no node named " + node);
        }
        if (!requestTimeout.isPositive()) {
            throw new IllegalArgumentException(
                    "the patience must be > 0 (got " + requestTimeout + ")");
        }
        if (sessionTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(
                    "the session timeout must be at least a second (got " + sessionTimeout + ")");
        }
    }

    /** This node. */
    public NodeAddress self() {
        return members.stream()
                .filter(member -> member.name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    /** Whether it is alone. */
    public boolean isSingle() {
        return members.size() == 1 && !joining;
    }
}
