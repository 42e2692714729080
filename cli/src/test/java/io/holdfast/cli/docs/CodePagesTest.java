package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Compares the names in the pages about the code with the sources. */
@DisplayName("Pages about the code")
class CodePagesTest {
    private static final Path ROOT = Path.of("..");

    /** The modules whose threads and locks have a page. */
    private static final List<String> WITH_LOCKS =
            List.of(
                    "engine",
                    "driver",
                    "server",
                    "http",
                    "cluster",
                    "client",
                    "socketlock",
                    "lockd-client",
                    "lockfile");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** A type with its members, perhaps in its package, as in {@code web.ApiRouter.add}. */
    private static final Pattern NAME =
            Pattern.compile("(?:[a-z]+\\.)*([A-Z]\\w*[a-z]\\w*)((?:\\.\\w+)*)(?:\\(.*\\))?");

    private static final Pattern DECLARATION =
            Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*");
    private static final Pattern LOCK =
            Pattern.compile("\\bsynchronized\\b|\\bnew Reentrant(?:ReadWrite)?Lock\\b");
    private static final Pattern THREAD = Pattern.compile("\"(holdfast[- ][a-z -]*)\"");

    private static final List<String> JDK =
            List.of("java.lang.", "java.util.concurrent.", "java.util.concurrent.locks.");

    /** What is written like a type, and is none of ours. */
    private static final Set<String> OTHERS =
            Set.of("GuardedBy", "XDecoder", "XSyntax", "XEncoder", "XHandler", "Automatic");

    /** The text of each source file, by the simple names of the types in it. */
    private static final Map<String, String> SOURCES = new HashMap<>();

    @BeforeAll
    static void read() throws IOException {
        for (Path file : javaFiles(ROOT)) {
            String text = Files.readString(file);
            for (MatchResult type : DECLARATION.matcher(text).results().toList()) {
                SOURCES.merge(type.group(1), text, String::concat);
            }
        }
    }

    private static List<Path> javaFiles(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .toList();
        }
    }

    static Stream<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String name :
                List.of(
                        "architecture",
                        "a-request",
                        "threads-and-locks",
                        "glossary",
                        "making-changes")) {
            pages.add(ROOT.resolve("docs").resolve(name + ".md"));
        }
        pages.add(ROOT.resolve("CONTRIBUTING.md"));
        pages.addAll(readmes());
        return pages.stream();
    }

    private static List<Path> readmes() throws IOException {
        try (Stream<Path> all = Files.find(ROOT, 3, (file, _) -> file.endsWith("README.md"))) {
            return all.filter(file -> Files.exists(file.resolveSibling("pom.xml")))
                    .filter(file -> !file.equals(ROOT.resolve("README.md")))
                    .toList();
        }
    }

    /** The names of types, and of their members, that are in a text and not in the sources. */
    private static Set<String> missing(String text) {
        Set<String> missing = new TreeSet<>();
        for (MatchResult code : CODE.matcher(text).results().toList()) {
            Matcher name = NAME.matcher(code.group(1));
            if (name.matches() && !exists(name.group(1), name.group(2))) {
                missing.add(code.group(1));
            }
        }
        return missing;
    }

    private static boolean exists(String type, String members) {
        String source = SOURCES.get(type);
        if (source == null) {
            return OTHERS.contains(type) || JDK.stream().anyMatch(prefix -> isClass(prefix + type));
        }
        return Stream.of(members.split("\\."))
                .allMatch(member -> Pattern.compile("\\b" + member + "\\b").matcher(source).find());
    }

    private static boolean isClass(String name) {
        try {
            Class.forName(name, false, CodePagesTest.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void every_type_and_member_that_a_page_about_the_code_names_exists(Path page)
            throws IOException {
        assertThat(missing(Files.readString(page))).isEmpty();
    }

    @Test
    void every_module_has_a_readme_that_says_how_to_check_it() throws IOException {
        Map<String, String> modules = new TreeMap<>();
        Matcher module =
                Pattern.compile("<module>(.*)</module>")
                        .matcher(Files.readString(ROOT.resolve("pom.xml")));
        while (module.find()) {
            Path readme = ROOT.resolve(module.group(1)).resolve("README.md");
            modules.put(module.group(1), Files.exists(readme) ? Files.readString(readme) : "");
        }
        assertThat(modules).hasSizeGreaterThan(20);
        assertThat(modules)
                .allSatisfy(
                        (name, readme) ->
                                assertThat(readme)
                                        .contains("`./mvnw -pl " + name + " -am verify`"));
    }

    @Test
    void every_decision_is_in_the_index() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/decisions/README.md"));
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs/decisions"))) {
            assertThat(pages.map(page -> page.getFileName().toString()))
                    .filteredOn(name -> !name.equals("README.md"))
                    .hasSizeGreaterThan(10)
                    .allSatisfy(name -> assertThat(index).contains("](" + name + ")"));
        }
    }

    @Test
    void every_class_with_a_lock_is_on_the_page_about_locks() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : mainFiles(WITH_LOCKS)) {
            if (LOCK.matcher(code(file)).find()) {
                found.add("`" + file.getFileName().toString().replace(".java", "") + "`");
            }
        }
        assertThat(found).contains("`Shard`", "`FileFences`", "`SignalHub`");
        assertThat(locksPage()).contains(found);
    }

    @Test
    void every_name_of_a_thread_is_on_the_page_about_threads() throws IOException {
        Set<String> found = new TreeSet<>();
        List<String> modules = new ArrayList<>(WITH_LOCKS);
        modules.add("cli");
        for (Path file : mainFiles(modules)) {
            String code = code(file);
            if (code.contains("Thread")) {
                THREAD.matcher(code).results().forEach(name -> found.add("`" + name.group(1)));
            }
        }
        assertThat(found).contains("`holdfast-deadlines", "`holdfast-lockd ");
        assertThat(locksPage()).contains(found);
    }

    private static String locksPage() throws IOException {
        return Files.readString(ROOT.resolve("docs/threads-and-locks.md"));
    }

    private static List<Path> mainFiles(List<String> modules) {
        return modules.stream()
                .flatMap(
                        module -> {
                            try {
                                return javaFiles(ROOT.resolve(module).resolve("src/main")).stream();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        })
                .toList();
    }

    private static String code(Path file) throws IOException {
        return COMMENT.matcher(Files.readString(file)).replaceAll("");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "`LockMotor`",
                "`LockEngine.applyAll`",
                "`web.ApiRooter.add`",
                "`Command.Acquisition`",
                "`Connection.swallow(bytes)`"
            })
    void a_name_that_does_not_exist_is_detected(String name) {
        assertThat(missing("It is in " + name + ".")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "`LockEngine`",
                "`LockEngine.apply`",
                "`web.ApiRouter.add`",
                "`Command.Acquire`",
                "`RequestSlot.State`",
                "`System.nanoTime`",
                "`READY`",
                "`./mvnw verify`"
            })
    void a_name_that_exists_and_code_that_is_no_name_are_accepted(String name) {
        assertThat(missing("It is in " + name + ".")).isEmpty();
    }
}
