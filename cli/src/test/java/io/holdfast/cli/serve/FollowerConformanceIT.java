package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.bootstrap.TestCluster;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.server.ServerConfig;
import io.holdfast.testsupport.TestTier;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Recorded conversations of every protocol, through a follower in a cluster of three nodes.
 * Conversations with equal settings share a cluster, unless they could notice each other.
 */
@DisplayName("A client of a follower")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FollowerConformanceIT {
    private static final int CLUSTERS_AT_ONCE = 3;
    private static final int CONVERSATIONS_AT_ONCE = 12;
    private static final long TIMEOUT_SECONDS = 240;
    private static final int MIN_CONVERSATIONS = TestTier.usually(150, 195);

    /** In a message that Ratis logs as an error if a node receives a request while it closes. */
    private static final String CLOSING = "current state is CLOS";

    /** Makes the settings of a server out of flags. */
    private interface Flags {
        ServerConfig read(List<String> args) throws GoFlags.FlagException;
    }

    @TempDir private static Path folder; // needed before the first test

    private final AtomicInteger names = new AtomicInteger();
    private final Map<String, Map<FollowerConversation, Future<?>>> played = new LinkedHashMap<>();
    private final ExecutorService players = Executors.newFixedThreadPool(CONVERSATIONS_AT_ONCE);
    private final ExecutorService clusters = Executors.newFixedThreadPool(CLUSTERS_AT_ONCE);
    private StandardStreams streams;

    @BeforeAll
    void play() throws Exception {
        streams = new StandardStreams();
        Flags dflockd =
                args -> {
                    args.addAll(List.of("--port", "0"));
                    return DflockdCommand.plan(
                                    GoFlags.parse(args, DflockdCommand::isSwitch), Map.of())
                            .server();
                };
        Flags socketlock =
                args -> {
                    args.addAll(List.of("-socket", path()));
                    return SocketlockdCommand.config(args);
                };
        Map<FollowerConversation, CompletableFuture<Void>> all = new LinkedHashMap<>();
        all.putAll(read("dflockd", "tcp", dflockd));
        all.putAll(read("tagged", "tcp", dflockd));
        all.putAll(read("lockd", "tcp", this::lockd));
        all.putAll(read("socketlock", "unix", socketlock));
        all.putAll(read("socketlock-safe", "unix", socketlock));
        all.putAll(read("socketlock-seed", "unix", socketlock));
        List<List<FollowerConversation>> alone = new ArrayList<>();
        for (List<FollowerConversation> group : groups(all.keySet())) {
            if (group.size() == 1) {
                alone.add(group);
            } else {
                clusters.execute(() -> playAll(group, all));
            }
        }
        // A cluster for one conversation costs seconds, so that the usual tier plays only some of
        // them.
        for (int i = 0; i < alone.size(); i++) {
            List<FollowerConversation> group = alone.get(i);
            if (i % TestTier.usually(4, 1) == 0) {
                clusters.execute(() -> playAll(group, all));
            } else {
                played.values().forEach(results -> results.remove(group.getFirst()));
            }
        }
        clusters.shutdown(); // runs the submitted tasks first
    }

    private Map<FollowerConversation, CompletableFuture<Void>> read(
            String protocol, String defaultListener, Flags flags)
            throws IOException, URISyntaxException, GoFlags.FlagException {
        var resource = FollowerConformanceIT.class.getResource("/vectors/" + protocol);
        Map<FollowerConversation, CompletableFuture<Void>> found = new LinkedHashMap<>();
        try (Stream<Path> files = Files.list(Path.of(Objects.requireNonNull(resource).toURI()))) {
            for (Path file : files.sorted().toList()) {
                ConversationScript conversationScript = ConversationScript.read(file);
                if (hasShortLease(conversationScript)) {
                    continue;
                }
                List<String> args = new ArrayList<>(conversationScript.serve());
                args.addAll(List.of("--event-loops", "1"));
                String listener =
                        conversationScript.connect().isEmpty()
                                ? defaultListener
                                : conversationScript.connect();
                found.put(
                        FollowerConversation.of(
                                protocol, conversationScript, flags.read(args), listener),
                        new CompletableFuture<>());
            }
        }
        played.put(protocol, new LinkedHashMap<>(found));
        return found;
    }

    /**
     * A follower refuses a grant if half of its lease may have passed, which can happen to short
     * leases on a busy machine.
     */
    private static boolean hasShortLease(ConversationScript conversationScript) {
        return conversationScript.lines().stream()
                .anyMatch(line -> line.matches(".* ok \\{\\w+:token} \\d{1,3}ms"));
    }

    private ServerConfig lockd(List<String> args) throws GoFlags.FlagException {
        boolean elsewhere = args.contains("--unix") || args.contains("--ws");
        args.replaceAll(word -> word.equals("PORT") ? "0" : word.equals("PATH") ? path() : word);
        if (!elsewhere) {
            args.addAll(List.of("--tcp", "0"));
        }
        return LockdCommand.config(args.toArray(String[]::new));
    }

    private String path() {
        return folder.resolve("s" + names.incrementAndGet()).toString();
    }

    /** Groups the conversations that share a cluster, the largest groups first. */
    private static List<List<FollowerConversation>> groups(
            Collection<FollowerConversation> conversations) {
        Map<Object, List<FollowerConversation>> groups = new LinkedHashMap<>();
        for (FollowerConversation conversation : conversations) {
            Object group =
                    conversation.needsOwnCluster()
                            ? conversation
                            : conversation.replicatedSettings();
            groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(conversation);
        }
        return groups.values().stream()
                .sorted((a, b) -> Integer.compare(b.size(), a.size()))
                .toList();
    }

    private void playAll(
            List<FollowerConversation> group,
            Map<FollowerConversation, CompletableFuture<Void>> results) {
        String name = "cluster" + names.incrementAndGet();
        DriverConfig settings = group.getFirst().replicatedSettings().toDriverConfig(group);
        try (TestCluster testCluster =
                new TestCluster(name, folder.resolve(name), settings, "n1", "n2", "n3")) {
            testCluster.start("n1", "n2", "n3");
            Driver follower = testCluster.follower().driver();
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (FollowerConversation conversation : group) {
                CompletableFuture<Void> result = Objects.requireNonNull(results.get(conversation));
                running.add(result);
                players.execute(
                        () -> {
                            try {
                                conversation.play(follower);
                                result.complete(null);
                            } catch (Throwable e) { // of any kind; the dynamic test reports it
                                result.completeExceptionally(e);
                            }
                        });
            }
            CompletableFuture.allOf(running.toArray(CompletableFuture[]::new))
                    .handle((_, _) -> true)
                    .join();
        } catch (RuntimeException e) {
            for (FollowerConversation conversation : group) {
                Objects.requireNonNull(results.get(conversation)).completeExceptionally(e);
            }
        }
    }

    @AfterAll
    void end() {
        clusters.shutdownNow();
        players.shutdownNow();
        streams.close();
    }

    @TestFactory
    @DisplayName("finds that")
    Stream<DynamicContainer> conversations() {
        return played.entrySet().stream()
                .map(
                        protocol ->
                                DynamicContainer.dynamicContainer(
                                        "with " + protocol.getKey(),
                                        protocol.getValue().entrySet().stream()
                                                .map(r -> test(r.getKey(), r.getValue()))));
    }

    private static DynamicTest test(FollowerConversation conversation, Future<?> result) {
        return DynamicTest.dynamicTest(
                conversation.vector().title(),
                () -> {
                    try {
                        result.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
                    } catch (ExecutionException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Whether Ratis has logged a failed send to a node that is being closed. */
    private static boolean isOfClosing(String line) {
        return line.contains(CLOSING)
                || line.contains("AlreadyClosedException")
                || line.contains("ServerNotReadyException");
    }

    @Test
    void every_conversation_is_played() {
        assertThat(played.values().stream().mapToInt(Map::size).sum())
                .isGreaterThanOrEqualTo(MIN_CONVERSATIONS);
    }

    @Test
    void no_node_logs_an_error_or_a_secret() throws Exception {
        assertThat(clusters.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(streams.err().lines())
                .isNotEmpty()
                .noneMatch(line -> line.contains("level=ERROR") && !isOfClosing(line))
                .noneMatch(line -> line.contains("open-sesame"));
    }
}
