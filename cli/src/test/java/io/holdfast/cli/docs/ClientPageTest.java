package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import io.holdfast.client.ConnectionEvent;
import io.holdfast.client.Features;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.client.LockException;
import io.holdfast.client.LossReason;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

@DisplayName("docs/client.md")
class ClientPageTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private static Page page;

    @BeforeAll
    static void read() throws IOException {
        page = Page.read(Path.of("..", "docs", "client.md"));
    }

    /** Returns the first column, without the text in parentheses. */
    private static List<String> codeIn(String heading) {
        return page.rows(heading).stream()
                .flatMap(row -> CODE.matcher(row.getFirst()).results())
                .map((MatchResult found) -> found.group(1).replaceFirst("\\(.*", ""))
                .toList();
    }

    @Test
    void the_client_page_lists_each_connection_state() {
        assertThat(codeIn("When the connection is lost"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(ConnectionEvent.State.values()).map(Enum::name).toList());
    }

    @Test
    void the_client_page_lists_each_loss_reason() {
        assertThat(codeIn("When a hold is lost"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(LossReason.values()).map(Enum::name).toList());
    }

    @Test
    void the_client_page_lists_each_exception_and_whether_a_retry_is_safe() {
        List<String> types =
                new ClassFileImporter()
                        .importPackages(LockException.class.getPackageName()).stream()
                                .filter(type -> type.isAssignableTo(LockException.class))
                                .filter(
                                        type ->
                                                !type.getModifiers()
                                                        .contains(JavaModifier.ABSTRACT))
                                .map(JavaClass::getSimpleName)
                                .toList();
        assertThat(types).hasSizeGreaterThan(6);
        assertThat(codeIn("Failures")).containsExactlyInAnyOrderElementsOf(types);
    }

    @Test
    void the_client_page_lists_each_setting() {
        List<String> settings =
                Stream.of(HoldfastBuilder.class.getDeclaredMethods())
                        .filter(method -> Modifier.isPublic(method.getModifiers()))
                        .map(Method::getName)
                        .filter(name -> !name.equals("connect"))
                        .distinct()
                        .toList();
        assertThat(codeIn("Settings")).containsExactlyInAnyOrderElementsOf(settings);
    }

    @Test
    void the_client_page_shows_which_features_work_with_plain_dflockd() {
        assertThat(codeIn("Plain dflockd"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(Features.class.getRecordComponents())
                                .map(RecordComponent::getName)
                                .toList());
    }
}
