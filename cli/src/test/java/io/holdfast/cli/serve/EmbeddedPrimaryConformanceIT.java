package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.socketlock.LockConfig;
import io.holdfast.socketlock.SocketLockQueuePolicy;
import io.holdfast.socketlock.SocketLockServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The recorded conversations of socketlock, each with an embedded primary of its own. */
@DisplayName("A socketlock client of an embedded primary")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmbeddedPrimaryConformanceIT {
    private static final int AT_ONCE = 8;
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Map<String, Integer> FOLDERS =
            Map.of("socketlock", 33, "socketlock-safe", 6, "socketlock-seed", 4);

    private final Map<String, Map<ConversationScript, Future<?>>> played = new LinkedHashMap<>();
    private final ExecutorService players = Executors.newFixedThreadPool(AT_ONCE);

    @BeforeAll
    void play(@TempDir Path sockets) throws Exception {
        for (String folder : FOLDERS.keySet()) {
            Map<ConversationScript, Future<?>> results = new LinkedHashMap<>();
            for (Path file : files(folder)) {
                ConversationScript conversationScript = ConversationScript.read(file);
                Path socket = sockets.resolve(folder + results.size());
                results.put(
                        conversationScript, players.submit(() -> play(conversationScript, socket)));
            }
            played.put(folder, results);
        }
    }

    @AfterAll
    void end() {
        players.shutdownNow();
    }

    private static List<Path> files(String folder) throws Exception {
        var resource = EmbeddedPrimaryConformanceIT.class.getResource("/vectors/" + folder);
        try (Stream<Path> files = Files.list(Path.of(Objects.requireNonNull(resource).toURI()))) {
            return files.sorted().toList();
        }
    }

    private static Void play(ConversationScript conversationScript, Path socket) throws Exception {
        try (var _ = SocketLockServer.start(socket, config(conversationScript.serve()))) {
            ConversationPlayer.play(conversationScript, UnixDomainSocketAddress.of(socket), SLACK);
        }
        return null;
    }

    /** Makes the configuration of the flags of the recorded daemon. */
    private static LockConfig config(List<String> flags) {
        var config = LockConfig.builder();
        for (int i = 0; i < flags.size(); i += 2) {
            String value = flags.get(i + 1);
            switch (flags.get(i)) {
                case "-policy" -> config.policy(policy(value));
                case "-request-timeout" -> config.requestTimeout(duration(value));
                case "-confirm-timeout" -> config.confirmTimeout(duration(value));
                case "-max-ttl" -> config.maxTtl(duration(value));
                default -> throw new IllegalArgumentException(flags.get(i));
            }
        }
        return config.build();
    }

    private static SocketLockQueuePolicy policy(String name) {
        return switch (name) {
            case "fifo" -> SocketLockQueuePolicy.FIFO;
            case "reader" -> SocketLockQueuePolicy.READER_PREFERRED;
            case "writer" -> SocketLockQueuePolicy.WRITER_PREFERRED;
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Parses a duration in seconds or milliseconds. */
    private static Duration duration(String text) {
        return text.endsWith("ms")
                ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
                : Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)));
    }

    @TestFactory
    @DisplayName("finds that")
    Stream<DynamicContainer> conversations() {
        return played.entrySet().stream()
                .map(
                        results ->
                                DynamicContainer.dynamicContainer(
                                        "in " + results.getKey(),
                                        tests(results.getKey(), results.getValue())));
    }

    private static Stream<DynamicTest> tests(
            String folder, Map<ConversationScript, Future<?>> results) {
        return Stream.concat(
                Stream.of(
                        DynamicTest.dynamicTest(
                                "nothing is missing",
                                () ->
                                        assertThat(results)
                                                .hasSizeGreaterThanOrEqualTo(FOLDERS.get(folder)))),
                results.entrySet().stream().map(r -> test(r.getKey(), r.getValue())));
    }

    private static DynamicTest test(ConversationScript conversationScript, Future<?> result) {
        return DynamicTest.dynamicTest(
                conversationScript.title(),
                () -> {
                    try {
                        result.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                    } catch (ExecutionException e) {
                        throw e.getCause();
                    }
                });
    }
}
