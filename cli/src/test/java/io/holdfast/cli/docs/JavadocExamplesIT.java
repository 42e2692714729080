package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Every public type of the client has an example in its javadoc, and it prints what it shows. */
@DisplayName("Javadoc examples of the client")
class JavadocExamplesIT {
    private static final Path CLIENT =
            Path.of("..", "client", "src", "main", "java", "io", "holdfast", "client");
    private static final Path FAKE =
            Path.of("..", "client-testing")
                    .resolve(Path.of("src", "main", "java", "io", "holdfast", "client", "testing"));
    private static final Pattern TYPE =
            Pattern.compile(
                    "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@[^\\n]*\\n)*"
                            + "public (?:(?:final|abstract|sealed) )*"
                            + "(?:class|interface|record|enum) (\\w+)",
                    Pattern.DOTALL);
    private static final Pattern ANY_PUBLIC_TYPE =
            Pattern.compile(
                    "^public (?:\\w+ )*(?:class|interface|record|enum|@interface) \\w+",
                    Pattern.MULTILINE);
    private static final String BEGIN = "{@snippet :";

    /** Flags of the server that an example requires. */
    private static final Map<String, List<String>> FLAGS =
            Map.of("AuthenticationException", List.of("--auth-token", "open-sesame"));

    @TempDir private Path folder;

    @TestFactory
    Stream<DynamicTest> run() throws IOException {
        try (Stream<Path> client = Files.list(CLIENT);
                Stream<Path> fake = Files.list(FAKE)) {
            List<Path> sources =
                    Stream.concat(client, fake)
                            .filter(Files::isRegularFile)
                            .filter(file -> declaresPublicType(text(file)))
                            .sorted()
                            .toList();
            assertThat(sources).hasSizeGreaterThan(25);
            return sources.stream()
                    .map(file -> dynamicTest(typeName(file), () -> run(file)))
                    .toList()
                    .stream();
        }
    }

    private static String typeName(Path file) {
        return String.valueOf(file.getFileName()).replace(".java", "");
    }

    private static boolean declaresPublicType(String text) {
        return ANY_PUBLIC_TYPE.matcher(text).find();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void run(Path file) throws Exception {
        Matcher type = TYPE.matcher(text(file));
        assertThat(type.find()).as("a comment on the type").isTrue();
        String comment =
                type.group(1)
                        .lines()
                        .map(line -> line.replaceFirst("^ *\\* ?", ""))
                        .reduce("", (before, line) -> before + line + "\n");
        assertThat(comment).as("the comment on %s", type.group(2)).contains(BEGIN);
        new ClientExample(
                        type.group(2),
                        snippet(comment).lines().toList(),
                        FLAGS.getOrDefault(type.group(2), List.of()))
                .run(folder);
    }

    /** Returns the snippet up to its closing brace. */
    private static String snippet(String comment) {
        int begin = comment.indexOf(BEGIN) + BEGIN.length();
        int depth = 1;
        int end = begin;
        for (; depth > 0; end++) {
            switch (comment.charAt(end)) {
                case '{' -> depth++;
                case '}' -> depth--;
                default -> {}
            }
        }
        return comment.substring(begin, end - 1);
    }
}
