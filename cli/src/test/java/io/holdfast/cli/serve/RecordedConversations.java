package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.IoTransport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
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

/**
 * Recorded conversations of one protocol, each with a server of its own, over every available
 * transport, and once with a driver that applies commands later. They mostly wait, so many are
 * played concurrently; a dynamic test only checks the result of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RecordedConversations {
    private static final int AT_ONCE = 16;
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final String folder;
    private final int minimum;
    private final Map<IoTransport, Map<ConversationScript, Future<?>>> played =
            new EnumMap<>(IoTransport.class);
    private final Map<ConversationScript, Future<?>> playedLater = new LinkedHashMap<>();
    private ExecutorService players;
    private StandardStreams streams;

    /**
     * @param folder folder of the recordings
     * @param minimum minimum number of recordings
     */
    RecordedConversations(String folder, int minimum) {
        this.folder = folder;
        this.minimum = minimum;
    }

    /** Starts a server for one conversation. */
    abstract RunningServer start(List<String> flags, DriverChoice driverChoice) throws Exception;

    /** Returns the listener of conversations that specify none. */
    String defaultListener() {
        return "tcp";
    }

    /** Returns the number of conversations to play concurrently. */
    int atOnce() {
        return AT_ONCE;
    }

    @BeforeAll
    void play() throws IOException, URISyntaxException {
        streams = new StandardStreams();
        players = Executors.newFixedThreadPool(atOnce());
        List<ConversationScript> vectors = vectors();
        for (IoTransport ioTransport : IoTransport.values()) {
            if (ioTransport == IoTransport.AUTO || !works(ioTransport)) {
                continue;
            }
            Map<ConversationScript, Future<?>> results = new LinkedHashMap<>();
            vectors.forEach(
                    v ->
                            results.put(
                                    v,
                                    players.submit(
                                            () -> play(v, ioTransport, DriverChoice.LOCAL))));
            played.put(ioTransport, results);
        }
        vectors.forEach(
                v ->
                        playedLater.put(
                                v,
                                players.submit(
                                        () -> play(v, IoTransport.AUTO, DriverChoice.LAGGING))));
        players.shutdown(); // runs the submitted tasks first
    }

    @AfterAll
    void end() {
        players.shutdownNow();
        streams.close();
    }

    private List<ConversationScript> vectors() throws IOException, URISyntaxException {
        var resource = RecordedConversations.class.getResource("/vectors/" + folder);
        List<ConversationScript> vectors = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(Objects.requireNonNull(resource).toURI()))) {
            for (Path file : files.sorted().toList()) {
                vectors.add(ConversationScript.read(file));
            }
        }
        return vectors;
    }

    private boolean works(IoTransport ioTransport) {
        try (RunningServer server = start(flags(List.of(), ioTransport), DriverChoice.LOCAL)) {
            return server.address(defaultListener()) != null;
        } catch (Exception e) {
            return false;
        }
    }

    private Void play(
            ConversationScript conversationScript,
            IoTransport ioTransport,
            DriverChoice driverChoice)
            throws Exception {
        try (RunningServer server =
                start(flags(conversationScript.serve(), ioTransport), driverChoice)) {
            String listener =
                    conversationScript.connect().isEmpty()
                            ? defaultListener()
                            : conversationScript.connect();
            ConversationPlayer.play(conversationScript, server.address(listener), SLACK);
        }
        return null;
    }

    private static List<String> flags(List<String> given, IoTransport ioTransport) {
        List<String> flags = new ArrayList<>(given);
        flags.addAll(List.of("--transport", ioTransport.label(), "--event-loops", "1"));
        return flags;
    }

    @TestFactory
    @DisplayName("finds that")
    Stream<DynamicContainer> conversations() {
        return Stream.concat(
                played.entrySet().stream()
                        .map(r -> tests("over " + r.getKey().label(), r.getValue())),
                Stream.of(tests("from a driver that answers later", playedLater)));
    }

    private static DynamicContainer tests(String name, Map<ConversationScript, Future<?>> results) {
        return DynamicContainer.dynamicContainer(
                name, results.entrySet().stream().map(r -> test(r.getKey(), r.getValue())));
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

    @Test
    void nio_is_among_the_transports() {
        assertThat(played).containsKey(IoTransport.NIO);
        assertThat(played.get(IoTransport.NIO)).hasSizeGreaterThanOrEqualTo(minimum);
    }

    @Test
    void the_server_logs_no_error_and_no_secret() throws Exception {
        assertThat(players.awaitTermination(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(streams.err())
                .contains("level=INFO msg=listening")
                .doesNotContain("level=ERROR")
                .doesNotContain("open-sesame");
        assertThat(streams.out()).isEmpty();
    }
}
