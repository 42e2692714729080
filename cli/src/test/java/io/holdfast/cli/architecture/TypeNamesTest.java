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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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
                    "Asking",
                    "Asks",
                    "Belonging",
                    "Belongings",
                    "Claim",
                    "Claims",
                    "Desk",
                    "Doubts",
                    "Ear",
                    "Gatherer",
                    "Happening",
                    "Hear",
                    "Heard",
                    "Hears",
                    "Heir",
                    "Heirs",
                    "Judge",
                    "Know",
                    "Knows",
                    "Lane",
                    "Mutex",
                    "Nobody",
                    "Outlet",
                    "Parcel",
                    "Past",
                    "Patience",
                    "Place",
                    "Places",
                    "Possession",
                    "Possessions",
                    "Pulse",
                    "Quietly",
                    "Room",
                    "Rooms",
                    "Said",
                    "Say",
                    "Says",
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
                    "Tells",
                    "Told",
                    "Undisturbed",
                    "Wish");

    private static final Pattern MODULE = Pattern.compile("<module>(.+)</module>");

    /** A declaration of a type; a line of a comment does not match. */
    private static final Pattern DECLARATION =
            Pattern.compile(
                    "^\\s*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\\s+)*"
                        + "(?:class|interface|record|enum|@interface)\\s+(\\w+)",
                    Pattern.MULTILINE);

    private static final List<JavaClass> OURS =
            new ClassFileImporter()
                            .withImportOption(new ImportOption.DoNotIncludeTests())
                            .importPackages("io.holdfast")
                            .stream()
                            .filter(type -> !type.getSimpleName().isEmpty())
                            .toList();

    static Set<String> ruledOutIn(String simpleName) {
        Set<String> found = new TreeSet<>();
        Matcher words = WORD.matcher(simpleName);
        while (words.find()) {
            if (RULED_OUT.contains(words.group())) {
                found.add(words.group());
            }
        }
        return found;
    }

    /** The simple names of the types in all modules, nested types included. */
    private static List<String> declaredIn(String sources) throws IOException {
        List<String> names = new ArrayList<>();
        for (MatchResult module : matches(MODULE, Path.of("..", "pom.xml"))) {
            Path folder = Path.of("..", module.group(1)).resolve(sources);
            if (Files.exists(folder)) {
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        matches(DECLARATION, file).forEach(type -> names.add(type.group(1)));
                    }
                }
            }
        }
        return names;
    }

    private static List<MatchResult> matches(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file)).results().toList();
    }

    @Test
    void types_of_every_module_are_scanned() throws IOException {
        assertThat(OURS)
                .extracting(JavaClass::getSimpleName)
                .contains("LockEngine", "HoldfastLock");
        assertThat(declaredIn("src/main/java")).contains("LockEngine", "Granted", "HoldfastLock");
        assertThat(declaredIn("src/test/java")).contains("LeaseEndTest", "TypeNamesTest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"src/main/java", "src/test/java"})
    void no_type_name_contains_a_word_that_the_glossary_replaces(String sources)
            throws IOException {
        assertThat(declaredIn(sources)).filteredOn(name -> !ruledOutIn(name).isEmpty()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Stint", "NodeStint", "DeskState", "Told", "SaysWhere", "RoomTest"})
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
