package io.holdfast.cli.serve;

import static io.holdfast.driver.config.SettingRange.requirePositive;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterSecret;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.driver.config.ConfigException;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes the cluster configuration of the settings. */
final class ClusterSettings {
    private ClusterSettings() {}

    /** Returns null if the server keeps its state in memory only. */
    static @Nullable ClusterConfig of(SettingValues values) {
        requirePositive("cluster-wait", values.seconds(Setting.CLUSTER_WAIT));
        requirePositive("session-timeout", values.seconds(Setting.SESSION_TIMEOUT));
        Path folder = values.path(Setting.DATA_DIR);
        if (!values.isSet(Setting.CLUSTER)) {
            refuseWhatNeeds(
                    "--cluster",
                    values,
                    List.of(
                            Setting.CLUSTER_BIND,
                            Setting.CLUSTER_SECRET_FILE,
                            Setting.CLUSTER_TLS_CERT,
                            Setting.CLUSTER_TLS_KEY,
                            Setting.CLUSTER_TLS_CA));
            if (values.isOn(Setting.JOIN)) {
                throw new ConfigException("--join requires --cluster");
            }
            if (folder == null) {
                refuseWhatNeeds("--data-dir", values, List.of(Setting.NODE));
                return null;
            }
        }
        if (values.isSet(Setting.FENCE_STATE_FILE)) {
            throw new ConfigException(
                    "--fence-state-file cannot be combined with --data-dir: the data directory"
                            + " stores the fences");
        }
        if (folder != null && !values.isSet(Setting.CLUSTER)) {
            return alone(values, folder);
        }
        List<String> missing = new ArrayList<>();
        if (!values.isSet(Setting.NODE)) {
            missing.add("--node, the name of this node");
        }
        if (folder == null) {
            missing.add("--data-dir, where this node stores its log and snapshots");
        }
        if (folder == null || !missing.isEmpty()) {
            throw new ConfigException("--cluster requires " + String.join(", and ", missing));
        }
        return config(
                values,
                members(values),
                values.text(Setting.NODE),
                folder,
                values.isOn(Setting.JOIN),
                tls(values));
    }

    private static ClusterConfig alone(SettingValues values, Path folder) {
        String node = values.isSet(Setting.NODE) ? values.text(Setting.NODE) : NodeAddress.ALONE;
        NodeAddress self;
        try {
            self = NodeAddress.alone(node);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--node: " + e.getMessage());
        }
        return config(values, List.of(self), node, folder, false, null);
    }

    private static void refuseWhatNeeds(
            String other, SettingValues values, List<Setting> settings) {
        for (Setting setting : settings) {
            if (values.isSet(setting)) {
                throw new ConfigException("--" + setting.flag + " requires " + other);
            }
        }
    }

    private static List<NodeAddress> members(SettingValues values) {
        try {
            return NodeAddress.parseList(values.text(Setting.CLUSTER));
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--cluster: " + e.getMessage());
        }
    }

    private static ClusterConfig config(
            SettingValues values,
            List<NodeAddress> members,
            String node,
            Path folder,
            boolean joining,
            @Nullable ClusterTls tls) {
        try {
            return ClusterConfig.builder(members, node, folder)
                    .name(name(values))
                    .requestTimeout(values.seconds(Setting.CLUSTER_WAIT))
                    .sessionTimeout(values.seconds(Setting.SESSION_TIMEOUT))
                    .joining(joining)
                    .tls(tls)
                    .secret(secret(values))
                    .bind(bind(values, node))
                    .checkInterval(values.seconds(Setting.CLUSTER_CHECK_INTERVAL))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--cluster: " + e.getMessage());
        }
    }

    private static @Nullable ClusterSecret secret(SettingValues values) {
        if (!values.isSet(Setting.CLUSTER_SECRET_FILE)) {
            return null;
        }
        byte[] secret =
                SecretFile.read(values.text(Setting.CLUSTER_SECRET_FILE), "the cluster secret");
        try {
            return new ClusterSecret(secret);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--cluster-secret-file: " + e.getMessage());
        }
    }

    private static @Nullable NodeAddress bind(SettingValues values, String node) {
        if (!values.isSet(Setting.CLUSTER_BIND)) {
            return null;
        }
        try {
            return NodeAddress.parse(node + "=" + values.text(Setting.CLUSTER_BIND));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    "--cluster-bind must be HOST:PORT (got "
                            + values.text(Setting.CLUSTER_BIND)
                            + ")");
        }
    }

    private static String name(SettingValues values) {
        String name = values.text(Setting.CLUSTER_NAME);
        if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
            throw new ConfigException(
                    "--cluster-name must not be blank or contain control characters (got "
                            + name
                            + ")");
        }
        return name;
    }

    private static @Nullable ClusterTls tls(SettingValues values) {
        Path certificate = values.path(Setting.CLUSTER_TLS_CERT);
        Path key = values.path(Setting.CLUSTER_TLS_KEY);
        Path authority = values.path(Setting.CLUSTER_TLS_CA);
        if (certificate == null && key == null && authority == null) {
            return null;
        }
        if (certificate == null || key == null || authority == null) {
            throw new ConfigException(
                    "--cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca must be given"
                            + " together");
        }
        return new ClusterTls(certificate, key, authority);
    }
}
