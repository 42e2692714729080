package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.ClusterView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/** The state of the cluster as JSON, as seen by this node. */
final class ClusterJson {
    private ClusterJson() {}

    /**
     * @param cluster null if all state is in memory only
     */
    static JsonObject of(@Nullable Supplier<ClusterView> cluster) {
        if (cluster == null) {
            return new JsonObject().put("mode", "memory");
        }
        ClusterView view = cluster.get();
        JsonArray others = new JsonArray();
        for (ClusterView.Member other : view.others()) {
            others.add(
                    new JsonObject()
                            .put("node", other.node())
                            .put("address", other.address())
                            .put("match_index", known(other.matchIndex()))
                            .put("silence_ms", known(other.lastContactMillis())));
        }
        return new JsonObject()
                .put("mode", view.alone() ? "standalone" : "cluster")
                .put("cluster", view.cluster())
                .put("node", view.node())
                .put("role", view.role())
                .put("term", view.term())
                .put("leader", view.leader())
                .put("commit_index", view.commitIndex())
                .put("applied_index", view.appliedIndex())
                .put("lag", view.lag())
                .put("cluster_version", view.version())
                .put("known_version", view.knownVersion())
                .put("serving", view.isServing())
                .put("reason", view.unready())
                .put("others", others);
    }

    private static @Nullable Long known(long value) {
        return value < 0 ? null : value;
    }
}
