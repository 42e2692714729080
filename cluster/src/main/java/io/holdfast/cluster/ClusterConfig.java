package io.holdfast.cluster;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The configuration of a node.
 *
 * @param name the cluster's name; nodes with different cluster names reject each other
 * @param members the members of the cluster: the initial ones or the current ones; only this node
 *     in a cluster of one
 * @param node the name of this node, one of the members
 * @param dataDir the data directory of the node
 * @param requestTimeout how long a request that has no wait time of its own waits to be committed
 * @param sessionTimeout how long the sessions of a node survive its last contact with the cluster
 * @param joining whether the node starts without a cluster and waits to be added to a running one
 * @param tls null for connections without TLS
 * @param secret the secret of administrators; null for none
 * @param bind where this node listens for the others, if that is not its address as a member
 * @param checkInterval the time between two comparisons of the states of all nodes, while this node
 *     leads; zero for none
 * @param versions the versions that the node knows
 */
public record ClusterConfig(
        String name,
        List<NodeAddress> members,
        String node,
        Path dataDir,
        Duration requestTimeout,
        Duration sessionTimeout,
        boolean joining,
        @Nullable ClusterTls tls,
        @Nullable ClusterSecret secret,
        @Nullable NodeAddress bind,
        Duration checkInterval,
        KnownVersions versions) {
    public static final String DEFAULT_NAME = "holdfast";
    public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(5);
    public static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(10);
    public static final Duration DEFAULT_CHECK_INTERVAL = Duration.ofMinutes(10);

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
                    "the request timeout must be > 0 (got " + requestTimeout + ")");
        }
        if (checkInterval.isNegative()) {
            throw new IllegalArgumentException(
                    "the check interval must be >= 0 (got " + checkInterval + ")");
        }
        if (sessionTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(
                    "the session timeout must be at least a second (got " + sessionTimeout + ")");
        }
    }

    /**
     * Returns a builder with the defaults, for a node of the cluster {@value #DEFAULT_NAME}.
     *
     * @param node the name of the node, one of the members
     */
    public static Builder builder(List<NodeAddress> members, String node, Path dataDir) {
        return new Builder(members, node, dataDir);
    }

    /** Returns the address at which this node listens for the others. */
    public NodeAddress listenAddress() {
        return bind == null ? self() : bind;
    }

    /** Returns the address of this node as a member. */
    public NodeAddress self() {
        return members.stream()
                .filter(member -> member.name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    /** Whether this is a cluster of one node. */
    public boolean isSingle() {
        return members.size() == 1 && !joining;
    }

    /** Builds a configuration. */
    public static final class Builder {
        private final List<NodeAddress> members;
        private final String node;
        private final Path dataDir;
        private String name = DEFAULT_NAME;
        private Duration requestTimeout = DEFAULT_REQUEST_TIMEOUT;
        private Duration sessionTimeout = DEFAULT_SESSION_TIMEOUT;
        private boolean joining;
        private @Nullable ClusterTls tls;
        private @Nullable ClusterSecret secret;
        private @Nullable NodeAddress bind;
        private Duration checkInterval = DEFAULT_CHECK_INTERVAL;
        private KnownVersions versions = KnownVersions.CURRENT;

        private Builder(List<NodeAddress> members, String node, Path dataDir) {
            this.members = members;
            this.node = node;
            this.dataDir = dataDir;
        }

        public Builder name(String value) {
            name = value;
            return this;
        }

        public Builder requestTimeout(Duration value) {
            requestTimeout = value;
            return this;
        }

        public Builder sessionTimeout(Duration value) {
            sessionTimeout = value;
            return this;
        }

        public Builder joining(boolean value) {
            joining = value;
            return this;
        }

        public Builder tls(@Nullable ClusterTls value) {
            tls = value;
            return this;
        }

        public Builder secret(@Nullable ClusterSecret value) {
            secret = value;
            return this;
        }

        public Builder bind(@Nullable NodeAddress value) {
            bind = value;
            return this;
        }

        public Builder checkInterval(Duration value) {
            checkInterval = value;
            return this;
        }

        /** Only tests set it: a node knows what its build knows. */
        public Builder versions(KnownVersions value) {
            versions = value;
            return this;
        }

        public ClusterConfig build() {
            return new ClusterConfig(
                    name,
                    members,
                    node,
                    dataDir,
                    requestTimeout,
                    sessionTimeout,
                    joining,
                    tls,
                    secret,
                    bind,
                    checkInterval,
                    versions);
        }
    }
}
