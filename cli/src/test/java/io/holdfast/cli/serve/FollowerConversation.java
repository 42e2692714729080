package io.holdfast.cli.serve;

import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverObserver;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.dflockd.DflockdOptions;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ListenerOptions;
import io.holdfast.server.lockd.LockdOptions;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A recorded conversation and the configuration of its server: a front end of a node that other
 * conversations use too, with a namespace of its own.
 *
 * @param listener the listener to connect to
 */
record FollowerConversation(ConversationScript vector, ServerConfig config, String listener) {
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** The replicated settings except the queue policies, which are set per key. */
    record ReplicatedSettings(
            EngineSettings settings,
            KeyCountLimits keyCountLimits,
            Duration collectEvery,
            int maxSubscriptions) {
        /** Returns the configuration of a cluster that serves these conversations. */
        DriverConfig toDriverConfig(List<FollowerConversation> conversations) {
            Map<Key, QueuePolicy> policies = new HashMap<>();
            conversations.forEach(c -> policies.putAll(c.config().engineSettings().policies()));
            return new DriverConfig(
                    with(settings, policies),
                    keyCountLimits,
                    collectEvery,
                    maxSubscriptions,
                    MemoryBudgets.UNLIMITED,
                    DriverObserver.NONE);
        }
    }

    static FollowerConversation of(
            String protocol,
            ConversationScript conversationScript,
            ServerConfig config,
            String listener) {
        return new FollowerConversation(
                conversationScript,
                in(new Namespace(protocol + "/" + conversationScript.name()), config),
                listener);
    }

    ReplicatedSettings replicatedSettings() {
        return new ReplicatedSettings(
                with(config.engineSettings(), Map.of()),
                config.limits().keys(),
                config.timeouts().collectEvery(),
                config.limits().maxSubscriptions());
    }

    /** Whether it could notice others on the same cluster: by statistics, or by a total limit. */
    boolean needsOwnCluster() {
        return vector.serve().contains("--max-locks")
                || vector.serve().contains("--max-keys")
                || vector.lines().stream()
                        .anyMatch(line -> line.startsWith("@fresh") || line.contains("stats"));
    }

    void play(Driver node) throws Exception {
        try (RunningServer server = RunningServer.startOn(config, _ -> lent(node))) {
            ConversationPlayer.play(vector, server.address(listener), SLACK);
        }
    }

    /** Returns the driver with a close method that does nothing. */
    private static Driver lent(Driver driver) {
        return (Driver)
                Proxy.newProxyInstance(
                        Driver.class.getClassLoader(),
                        new Class<?>[] {Driver.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                return null;
                            }
                            try {
                                return method.invoke(driver, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static EngineSettings with(
            EngineSettings engineSettings, Map<Key, QueuePolicy> policies) {
        return new EngineSettings(
                engineSettings.maxWaiters(),
                engineSettings.idleNanos(),
                engineSettings.autoRelease(),
                engineSettings.maxListLength(),
                engineSettings.keepsValues(),
                policies);
    }

    private static ServerConfig in(Namespace namespace, ServerConfig config) {
        return new ServerConfig(
                config.listeners().stream()
                        .map(
                                e ->
                                        new ListenEndpoint(
                                                e.scheme(),
                                                e.address(),
                                                in(namespace, e.options())))
                        .toList(),
                config.limits(),
                config.timeouts(),
                config.autoRelease(),
                config.keepsValues(),
                config.webSocketOrigins(),
                config.events(),
                config.secret(),
                config.tls(),
                config.fenceFile(),
                config.transport(),
                config.eventLoops());
    }

    /** A socketlock listener needs no namespace: its lock is not shared with other listeners. */
    private static ListenerOptions in(Namespace namespace, ListenerOptions options) {
        return switch (options) {
            case DflockdOptions _ -> new DflockdOptions(namespace);
            case LockdOptions lockd ->
                    new LockdOptions(namespace, lockd.allowDump(), lockd.enableRegistry());
            default -> options;
        };
    }
}
