package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Guard;
import io.holdfast.lockfile.LockFile;
import io.holdfast.lockfile.LockFileConfig;
import io.holdfast.lockfile.LockFileException;
import io.holdfast.lockfile.LockLostException;
import io.holdfast.lockfile.ReleaseCredential;
import io.holdfast.lockfile.StalePolicy;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

@DisplayName("docs/lockfile.md")
class LockfilePageTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern CALL = Pattern.compile("(\\w+)\\(");

    private static Page page;

    @BeforeAll
    static void read() throws IOException {
        page = Page.read(Path.of("..", "docs", "lockfile.md"));
    }

    private static List<String> code(String text) {
        return CODE.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
    }

    private static List<String> codeIn(String heading) {
        return page.rows(heading).stream().flatMap(row -> code(row.getFirst()).stream()).toList();
    }

    private static String defaultOf(String setting) {
        return page.rows("Settings").stream()
                .filter(row -> code(row.getFirst()).contains(setting))
                .map(row -> row.get(1))
                .findFirst()
                .orElseThrow();
    }

    // ---- the file

    @Test
    void the_example_file_matches_the_table_of_fields() {
        List<String> lines =
                page.blocks().stream()
                        .filter(block -> block.heading().equals("The file"))
                        .findFirst()
                        .orElseThrow()
                        .lines();
        byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        LockFile file = LockFile.parse(bytes, Instant.EPOCH);
        assertThat(Objects.requireNonNull(file.holder())).hasNoNullFieldsOrProperties();
        assertThat(lines)
                .extracting(line -> line.replaceFirst("=.*", ""))
                .containsExactlyElementsOf(codeIn("The file"));
    }

    @Test
    void the_page_shows_how_many_bytes_of_a_file_are_read() {
        assertThat(page.text()).contains("reads the first " + LockFile.READ_LIMIT / 1024 + " KiB");
    }

    // ---- the library

    @Test
    void the_lockfile_page_lists_each_setting() {
        List<String> settings =
                Stream.of(LockFileConfig.Builder.class.getDeclaredMethods())
                        .filter(method -> Modifier.isPublic(method.getModifiers()))
                        .map(Method::getName)
                        .filter(name -> !name.equals("build"))
                        .toList();
        assertThat(codeIn("Settings")).containsExactlyInAnyOrderElementsOf(settings);
    }

    @Test
    void the_lockfile_page_shows_the_defaults() {
        LockFileConfig usual = LockFileConfig.defaults();
        assertThat(defaultOf("staleTimeout"))
                .isEqualTo(usual.staleTimeout().orElseThrow().toHours() + " h");
        assertThat(defaultOf("stalePolicy")).isEqualTo("`" + usual.stalePolicy() + "`");
        assertThat(defaultOf("retryInterval")).isEqualTo(usual.retryInterval().toMillis() + " ms");
        assertThat(usual.acquireTimeout()).isEmpty();
        assertThat(usual.tag()).isEmpty();
        assertThat(usual.pid()).isEmpty();
        assertThat(defaultOf("maxTagLength")).isEqualTo(String.valueOf(usual.maxTagLength()));
        assertThat(defaultOf("settleTime"))
                .isEqualTo(String.valueOf(usual.settleTime().toMillis()));
        assertThat(defaultOf("heartbeat")).isEqualTo(usual.heartbeat() ? "on" : "off");
        assertThat(usual.heartbeatInterval())
                .isEqualTo(usual.staleTimeout().orElseThrow().dividedBy(4));
        assertThat(defaultOf("releaseOnExit")).isEqualTo(usual.releaseOnExit() ? "on" : "off");
        assertThat(defaultOf("followLinks")).isEqualTo(usual.followLinks() ? "on" : "off");
        assertThat(defaultOf("privateFile")).isEqualTo(usual.privateFile() ? "on" : "off");
    }

    @Test
    void the_page_lists_exactly_the_methods_of_a_lock_and_its_guard() {
        Set<String> shown = new TreeSet<>();
        for (List<String> row : page.rows("The library")) {
            for (String text : List.of(row.getFirst(), row.get(1))) {
                code(text)
                        .forEach(
                                call ->
                                        CALL.matcher(call)
                                                .results()
                                                .forEach(found -> shown.add(found.group(1))));
            }
        }
        Set<String> methods = new TreeSet<>();
        for (Class<?> type : List.of(FileSemaphore.class, Guard.class, ReleaseCredential.class)) {
            Stream.of(type.getDeclaredMethods())
                    .filter(method -> Modifier.isPublic(method.getModifiers()))
                    .map(Method::getName)
                    .filter(name -> !name.equals("toString"))
                    .forEach(methods::add);
        }
        assertThat(shown).isEqualTo(methods);
    }

    @Test
    void the_lockfile_page_lists_each_exception() {
        List<String> types =
                new ClassFileImporter()
                        .importPackages(LockFileException.class.getPackageName()).stream()
                                .filter(type -> type.isAssignableTo(LockFileException.class))
                                .filter(
                                        type ->
                                                !type.getModifiers()
                                                        .contains(JavaModifier.ABSTRACT))
                                .map(JavaClass::getSimpleName)
                                .toList();
        assertThat(types).hasSizeGreaterThan(6);
        assertThat(codeIn("Failures")).containsExactlyInAnyOrderElementsOf(types);
    }

    @ParameterizedTest
    @EnumSource
    void the_page_lists_each_policy_with_its_library_and_command_line_name(StalePolicy policy) {
        assertThat(page.text())
                .contains("`" + policy + "`")
                .contains("`" + policy.name().toLowerCase(Locale.ROOT).replace('_', '-') + "`");
    }

    @ParameterizedTest
    @EnumSource
    void the_page_lists_each_reason_of_a_loss(LockLostException.Reason reason) {
        String word = reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        assertThat(page.rows("Failures"))
                .anySatisfy(
                        row -> assertThat(row.toString()).contains("`LockLostException`", word));
    }

    // ---- examples

    @Test
    void the_page_uses_the_command_only_in_examples_that_are_run_or_in_scripts_and_cron() {
        assertThat(page.blocks())
                .filteredOn(block -> block.kind().isEmpty())
                .allSatisfy(
                        block ->
                                assertThat(block.lines())
                                        .noneMatch(line -> line.startsWith("./holdfast")));
    }
}
