package io.holdfast.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** See docs/glossary.md. */
@DisplayName("Names of types")
class TypeNamesTest {
    private static final Pattern WORD = Pattern.compile("[A-Z][a-z0-9]*");

    /**
     * Words that the glossary replaces by other terms. "Line" (of text) and "Link" (of a file) are
     * allowed.
     */
    private static final Set<String> RULED_OUT =
            Set.of(
                    "Answer",
                    "Answers",
                    "Ask",
                    "Asked",
                    "Belonging",
                    "Claim",
                    "Desk",
                    "Doubts",
                    "Ear",
                    "Gatherer",
                    "Happening",
                    "Heir",
                    "Judge",
                    "Lane",
                    "Mutex",
                    "Outlet",
                    "Parcel",
                    "Past",
                    "Patience",
                    "Possessions",
                    "Pulse",
                    "Quietly",
                    "Room",
                    "Seat",
                    "Settled",
                    "Sighting",
                    "Spot",
                    "Stand",
                    "Steward",
                    "Stint",
                    "Talk",
                    "Tally",
                    "Tell",
                    "Teller",
                    "Told",
                    "Undisturbed",
                    "Wish");

    private static final List<JavaClass> OURS =
            new ClassFileImporter()
                            .withImportOption(new ImportOption.DoNotIncludeTests())
                            .importPackages("io.holdfast")
                            .stream()
                            .filter(type -> !type.getSimpleName().isEmpty())
                            .toList();

    static Set<String> ruledOutIn(String simpleName) {
        Set<String> found = new TreeSet<>();
        Matcher args = WORD.matcher(simpleName);
        while (args.find()) {
            if (RULED_OUT.contains(args.group())) {
                found.add(args.group());
            }
        }
        return found;
    }

    @Test
    void types_of_every_module_are_scanned() {
        assertThat(OURS)
                .extracting(JavaClass::getSimpleName)
                .contains("LockEngine", "HoldfastLock");
    }

    @Test
    void no_type_name_contains_a_word_that_the_glossary_replaces() {
        assertThat(OURS)
                .filteredOn(type -> !ruledOutIn(type.getSimpleName()).isEmpty())
                .extracting(JavaClass::getName)
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Stint", "NodeStint", "DeskState", "Told"})
    void a_replaced_word_in_a_type_name_is_detected(String name) {
        assertThat(ruledOutIn(name)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Standard", "StandardOutput", "Task", "NodeIncarnation", "Classroom"})
    void a_longer_word_that_contains_a_replaced_one_is_accepted(String name) {
        assertThat(ruledOutIn(name)).isEmpty();
    }

    /** Nested types are excepted, because they are written with their enclosing type. */
    @Test
    void names_of_public_types_are_unique_in_the_project() {
        Map<String, TreeSet<String>> byName =
                OURS.stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .collect(
                                groupingBy(
                                        JavaClass::getSimpleName,
                                        mapping(JavaClass::getName, toCollection(TreeSet::new))));
        assertThat(byName.values()).filteredOn(names -> names.size() > 1).isEmpty();
    }
}
