package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import io.holdfast.cli.serve.ServeCommand;
import io.holdfast.cli.serve.SocketlockdCommand;
import io.holdfast.cli.serve.StandardStreams;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.protocol.socketlock.SocketlockDecoder;
import io.holdfast.protocol.socketlock.SocketlockFailure;
import io.holdfast.protocol.socketlock.SocketlockRequest;
import io.holdfast.protocol.socketlock.SocketlockSyntax;
import io.holdfast.socketlock.AcquireOptions;
import io.holdfast.socketlock.LockConfig;
import io.holdfast.socketlock.LockEvent;
import io.holdfast.socketlock.LockState;
import io.holdfast.socketlock.SocketLock;
import io.holdfast.socketlock.SocketLockClient;
import io.holdfast.socketlock.SocketLockException;
import io.holdfast.socketlock.SocketLockServer;
import io.holdfast.socketlock.internal.primary.PrimaryLock;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

@DisplayName("docs/socketlock.md")
class SocketlockPageTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern FLAG =
            Pattern.compile("(?m)^  --([a-z-]+) [A-Z]+\\n +.*?(?:\\(default (\\S+)\\))?$");
    private static final Pattern CALL = Pattern.compile("(?:(\\w+)?\\.)?(\\w+)\\(");

    private static Page page;

    @BeforeAll
    static void read() throws IOException {
        page = Page.read(Path.of("..", "docs", "socketlock.md"));
    }

    private static List<String> code(String text) {
        return CODE.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
    }

    /** Returns all code spans of a column. */
    private static List<String> codeIn(String heading, int column) {
        return page.rows(heading).stream().flatMap(row -> code(row.get(column)).stream()).toList();
    }

    private static String seconds(Duration time) {
        return time.isZero() ? "none" : time.toSeconds() + " s";
    }

    private static int constant(String className, String name) throws ReflectiveOperationException {
        Field field = Class.forName(className).getDeclaredField(name);
        field.setAccessible(true);
        return field.getInt(null);
    }

    // ---- the daemon, and serve

    @Test
    void the_socketlock_page_lists_each_flag_with_its_default() {
        String usage;
        try (StandardStreams streams = new StandardStreams()) {
            assertThat(SocketlockdCommand.run(List.of("--help"), "")).isZero();
            usage = streams.out();
        }
        Map<String, String> flags = new LinkedHashMap<>();
        FLAG.matcher(usage)
                .results()
                .forEach(
                        found ->
                                flags.put(
                                        found.group(1),
                                        found.group(2) == null ? "" : found.group(2)));
        assertThat(flags).hasSize(5).containsEntry("policy", "fifo");
        Map<String, String> shown = new LinkedHashMap<>();
        for (List<String> row : page.rows("As a daemon")) {
            List<String> names = code(row.getFirst());
            if (names.size() == 1) { // rows with several flags are shared with serve
                shown.put(
                        names.getFirst().replaceFirst("^-([a-z-]+) .*", "$1"),
                        row.get(1).replace("`", ""));
            }
        }
        assertThat(shown).isEqualTo(flags);
        assertThat(codeIn("As a daemon", 0))
                .contains("--max-connections", "--transport", "--event-loops", "--debug");
    }

    /** The error names the unknown parameter, so the others are known. */
    @Test
    void the_page_lists_url_parameters_that_serve_accepts() {
        List<String> settings =
                codeIn("In serve", 0).stream().filter(text -> text.contains("=")).toList();
        assertThat(settings)
                .extracting(text -> text.replaceFirst("=.*", ""))
                .containsExactlyInAnyOrder(
                        "policy",
                        "request-timeout",
                        "confirm-timeout",
                        "max-ttl",
                        "key",
                        "namespace",
                        "mode");
        String url = "socketlock:///run/s?" + String.join("&", settings) + "&nonsense=1";
        try (StandardStreams streams = new StandardStreams()) {
            assertThat(ServeCommand.create(Map.of()).execute("--listen", url)).isEqualTo(2);
            assertThat(streams.err()).contains("unknown setting: nonsense");
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_socketlock_page_lists_each_policy(QueuePolicy queuePolicy) {
        String word = queuePolicy.name().toLowerCase(Locale.ROOT).replace("_preferred", "");
        assertThat(codeIn("Policies", 0)).hasSize(QueuePolicy.values().length).contains(word);
        assertThat(codeIn("As a daemon", 2)).contains(word);
        assertThat(codeIn("In serve", 0)).containsAnyOf(word, "policy=" + word);
    }

    // ---- the client

    @Test
    void the_page_lists_each_field_of_the_configuration_with_its_default() {
        LockConfig usual = LockConfig.defaults();
        Map<String, String> fields = new LinkedHashMap<>();
        for (RecordComponent field : LockConfig.class.getRecordComponents()) {
            fields.put(field.getName(), "");
        }
        fields.put("policy", "`" + usual.policy() + "`");
        fields.put("requestTimeout", seconds(usual.requestTimeout()));
        fields.put("confirmTimeout", seconds(usual.confirmTimeout()));
        fields.put("maxTtl", seconds(usual.maxTtl()));
        fields.put("statusInterval", seconds(usual.statusInterval()));
        fields.put("heartbeat", seconds(usual.heartbeat()));
        fields.put("clientId", usual.clientId().isEmpty() ? "generated" : usual.clientId());
        fields.put("listener", "none");
        Map<String, String> shown = new LinkedHashMap<>();
        for (List<String> row : page.rows("Configuration")) {
            shown.put(row.getFirst().replace("`", ""), row.get(1));
        }
        assertThat(shown).containsExactlyEntriesOf(fields);
    }

    @Test
    void the_socketlock_page_names_existing_methods() {
        Set<String> methods =
                Stream.of(
                                SocketLockClient.class,
                                SocketLock.class,
                                AcquireOptions.class,
                                SocketLockServer.class)
                        .flatMap(type -> Stream.of(type.getMethods()))
                        .map(Method::getName)
                        .collect(Collectors.toSet());
        Set<String> shown = new TreeSet<>();
        for (List<String> row : page.rows("The client")) {
            code(row.getFirst())
                    .forEach(
                            text ->
                                    CALL.matcher(text)
                                            .results()
                                            .forEach(found -> shown.add(found.group(2))));
        }
        assertThat(shown)
                .hasSizeGreaterThan(12)
                .allSatisfy(name -> assertThat(methods).contains(name));
        assertThat(shown)
                .as("all of a client and a lock")
                .containsAll(publicNames(SocketLockClient.class))
                .containsAll(publicNames(SocketLock.class));
    }

    private static List<String> publicNames(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !name.equals("toString"))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void the_socketlock_page_lists_each_lock_state(LockState state) {
        assertThat(page.text()).contains("`" + state + "`");
    }

    @Test
    void the_socketlock_page_lists_each_exception() {
        List<String> types =
                new ClassFileImporter()
                        .importPackages(SocketLockException.class.getPackageName()).stream()
                                .filter(type -> type.isAssignableTo(SocketLockException.class))
                                .map(JavaClass::getSimpleName)
                                .toList();
        assertThat(types).hasSizeGreaterThan(4);
        assertThat(codeIn("Failures", 0)).containsExactlyInAnyOrderElementsOf(types);
    }

    @Test
    void the_socketlock_page_lists_each_event() {
        assertThat(codeIn("Events", 0))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(LockEvent.Type.values()).map(LockEvent.Type::text).toList());
    }

    @Test
    void the_page_shows_the_timeouts_of_the_client_and_of_a_new_primary() {
        assertThat(page.text())
                .contains("Fails after " + seconds(SocketLockClient.CONNECT_TIMEOUT))
                .contains("`" + seconds(LockConfig.GRACE) + "` is the *grace time*");
    }

    // ---- the protocol

    @Test
    void the_socketlock_page_lists_each_reason_of_a_refusal() {
        assertThat(codeIn("Refusals", 0))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(SocketlockFailure.values())
                                .map(SocketlockFailure::text)
                                .toList());
    }

    @Test
    void the_page_lists_exactly_the_lines_of_the_protocol() {
        Set<Class<?>> kinds = new HashSet<>();
        for (String line : codeIn("The protocol", 0)) {
            String typed =
                    line.replaceAll("[\\[\\]]", "")
                            .replaceFirst("READ\\\\\\|WRITE", "READ")
                            .replace("epoch", "1")
                            .replace("seconds", "5");
            SocketlockRequest request =
                    SocketlockSyntax.parse(typed.getBytes(StandardCharsets.US_ASCII));
            assertThat(request).as(line).isNotInstanceOf(SocketlockRequest.Ignored.class);
            kinds.add(request.getClass());
        }
        assertThat(kinds)
                .isEqualTo(
                        Stream.of(SocketlockRequest.class.getNestMembers())
                                .filter(Class::isRecord)
                                .filter(type -> type != SocketlockRequest.Ignored.class)
                                .collect(Collectors.toSet()));
    }

    // ---- limits

    @Test
    void the_socketlock_page_lists_the_limits_of_both_servers()
            throws ReflectiveOperationException {
        int requests = constant("io.holdfast.server.socketlock.SocketlockHandler", "MAX_LOCKS");
        assertThat(constant("io.holdfast.socketlock.LockTable", "MAX_REQUESTS"))
                .isEqualTo(requests);
        int bytes = constant("io.holdfast.server.socketlock.SocketlockHandler", "MAX_LOCK_BYTES");
        assertThat(constant("io.holdfast.socketlock.LockTable", "MAX_ID_BYTES")).isEqualTo(bytes);
        assertThat(limit("requests of one connection"))
                .isEqualTo(
                        "%d, and %d MiB of lock-ids; then `REQFAIL %s`"
                                .formatted(
                                        requests, bytes >> 20, SocketlockFailure.TOO_MANY.text()));
        assertThat(constant("io.holdfast.socketlock.PrimarySyntax", "MAX_BYTES"))
                .isEqualTo(SocketlockDecoder.MAX_LINE_BYTES);
        assertThat(limit("a line")).startsWith(SocketlockDecoder.MAX_LINE_BYTES / 1024 + " KiB");
        assertThat(limit("the path"))
                .startsWith(constant(PrimaryLock.class.getName(), "MAX_PATH_BYTES") + " bytes");
        int unread =
                constant("io.holdfast.server.socketlock.SocketlockHandler", "MAX_UNREAD_BYTES");
        assertThat(constant("io.holdfast.socketlock.PrimaryClientConnection", "MAX_OUTPUT_BYTES"))
                .isEqualTo(unread);
        assertThat(limit("unread answers")).contains(unread / (1 << 20) + " MiB");
    }

    private static String limit(String name) {
        return page.rows("Limits").stream()
                .filter(row -> row.getFirst().startsWith(name))
                .map(row -> row.get(1))
                .findFirst()
                .orElseThrow();
    }

    // ---- examples

    @Test
    void the_socketlock_page_uses_nc_only_in_examples_that_are_run() {
        assertThat(page.blocks())
                .filteredOn(block -> !block.kind().equals("console"))
                .allSatisfy(
                        block ->
                                assertThat(block.lines())
                                        .noneMatch(line -> line.matches(".*\\bnc .*")));
    }
}
