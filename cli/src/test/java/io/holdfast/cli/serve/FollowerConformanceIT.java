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
 * Recorded conversations of every protocol, through a node that follows in a cluster of three. They
 * share clusters where the settings are the same and nobody counts.
 */
@DisplayName("A client of a follower")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FollowerConformanceIT {
    private static final int CLUSTERS_AT_ONCE = 3;
    private static final int CONVERSATIONS_AT_ONCE = 12;
    private static final long LONGEST_SECONDS = 240;
    private static final int LEAST = TestTier.usually(150, 195);

    /** Of a node that is told something while it ends, which Ratis takes for an error. */
    private static final String CLOSING = "current state is CLOS";

    /** Makes the settings of a server out of flags. */
    private interface Flags {
        ServerConfig read(List<String> words) throws GoFlags.FlagException;
    }

    @TempDir private static Path folder; // wanted before the first test

    private final AtomicInteger names = new AtomicInteger();
    private final Map<String, Map<FollowerConversation, Future<?>>> played = new LinkedHashMap<>();
    private final ExecutorService players = Executors.newFixedThreadPool(CONVERSATIONS_AT_ONCE);
    private final ExecutorService clusters = Executors.newFixedThreadPool(CLUSTERS_AT_ONCE);
    private StandardStreams streams;

    @BeforeAll
    void play() throws Exception {
        streams = new StandardStreams();
        Flags dflockd =
                words -> {
                    words.addAll(List.of("--port", "0"));
                    return DflockdCommand.plan(
                                    GoFlags.parse(words, DflockdCommand::isSwitch), Map.of())
                            .server();
                };
        Flags socketlock =
                words -> {
                    words.addAll(List.of("-socket", path()));
                    return SocketlockdCommand.config(words);
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
        // A cluster for one conversation costs seconds: usually some of them have to do.
        for (int i = 0; i < alone.size(); i++) {
            List<FollowerConversation> group = alone.get(i);
            if (i % TestTier.usually(4, 1) == 0) {
                clusters.execute(() -> playAll(group, all));
            } else {
                played.values().forEach(results -> results.remove(group.getFirst()));
            }
        }
        clusters.shutdown(); // after all of these
    }

    private Map<FollowerConversation, CompletableFuture<Void>> read(
            String protocol, String usualListener, Flags flags)
            throws IOException, URISyntaxException, GoFlags.FlagException {
        var resource = FollowerConformanceIT.class.getResource("/vectors/" + protocol);
        Map<FollowerConversation, CompletableFuture<Void>> found = new LinkedHashMap<>();
        try (Stream<Path> files = Files.list(Path.of(Objects.requireNonNull(resource).toURI()))) {
            for (Path file : files.sorted().toList()) {
                ConversationScript conversationScript = ConversationScript.read(file);
                if (hasShortLease(conversationScript)) {
                    continue;
                }
                List<String> words = new ArrayList<>(conversationScript.serve());
                words.addAll(List.of("--event-loops", "1"));
                String listener =
                        conversationScript.connect().isEmpty()
                                ? usualListener
                                : conversationScript.connect();
                found.put(
                        FollowerConversation.of(
                                protocol, conversationScript, flags.read(words), listener),
                        new CompletableFuture<>());
            }
        }
        played.put(protocol, new LinkedHashMap<>(found));
        return found;
    }

    /**
     * A follower refuses a grant of which half the lease may have passed: on a busy machine it is
     * right to refuse these.
     */
    private static boolean hasShortLease(ConversationScript conversationScript) {
        return conversationScript.lines().stream()
                .anyMatch(line -> line.matches(".* ok \\{\\w+:token} \\d{1,3}ms"));
    }

    private ServerConfig lockd(List<String> words) throws GoFlags.FlagException {
        boolean elsewhere = words.contains("--unix") || words.contains("--ws");
        words.replaceAll(word -> word.equals("PORT") ? "0" : word.equals("PATH") ? path() : word);
        if (!elsewhere) {
            words.addAll(List.of("--tcp", "0"));
        }
        return LockdCommand.config(words.toArray(String[]::new));
    }

    private String path() {
        return folder.resolve("s" + names.incrementAndGet()).toString();
    }

    /** Those that share a cluster, the largest groups first. */
    private static List<List<FollowerConversation>> groups(
            Collection<FollowerConversation> conversations) {
        Map<Object, List<FollowerConversation>> groups = new LinkedHashMap<>();
        for (FollowerConversation conversation : conversations) {
            Object group = conversation.wantsClusterAlone() ? conversation : conversation.terms();
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
        DriverConfig settings = group.getFirst().terms().toServe(group);
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
                            } catch (Throwable e) { // of any kind: it is told by the test
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
                        result.get(LONGEST_SECONDS, TimeUnit.SECONDS);
                    } catch (ExecutionException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Ratis tells what it could not send to a node that was being closed. */
    private static boolean isOfClosing(String line) {
        return line.contains(CLOSING)
                || line.contains("AlreadyClosedException")
                || line.contains("ServerNotReadyException");
    }

    @Test
    void holds_every_conversation() {
        assertThat(played.values().stream().mapToInt(Map::size).sum())
                .isGreaterThanOrEqualTo(LEAST);
    }

    @Test
    void never_makes_a_node_log_an_error_or_a_secret() throws Exception {
        assertThat(clusters.awaitTermination(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(streams.err().lines())
                .isNotEmpty()
                .noneMatch(line -> line.contains("level=ERROR") && !isOfClosing(line))
                .noneMatch(line -> line.contains("open-sesame"));
    }
}
