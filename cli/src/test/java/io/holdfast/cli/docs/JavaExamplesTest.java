package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Compiles the Java blocks for the oldest supported Java, in a method if they are not whole files.
 */
@DisplayName("Java on a page")
class JavaExamplesTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/lockd.md",
                "docs/lockfile.md",
                "docs/recipes.md",
                "docs/socketlock.md"
            })
    void every_java_block_compiles(String name) throws IOException {
        List<Page.Block> blocks =
                Page.read(Path.of("..").resolve(name)).blocks().stream()
                        .filter(block -> block.kind().equals("java"))
                        .toList();
        assertThat(blocks).isNotEmpty();
        for (Page.Block block : blocks) {
            assertThat(new JavaSource("Example", source(block.lines())).compile(folder))
                    .as("line %d", block.line())
                    .isEmpty();
        }
    }

    private static String source(List<String> lines) {
        if (lines.stream().anyMatch(line -> line.startsWith("class "))) {
            return String.join("\n", lines);
        }
        return """
        %s
        import io.holdfast.client.Hold;
        import io.holdfast.client.Holdfast;
        import io.holdfast.socketlock.*;
        import java.nio.file.*;
        import java.time.*;

        class Example {
            void deploy() {}

            void run() throws Exception {
                %s
            }
        }
        """
                .formatted(
                        String.join(
                                "\n", lines.stream().filter(JavaExamplesTest::isImport).toList()),
                        String.join("\n", lines.stream().filter(line -> !isImport(line)).toList()));
    }

    private static boolean isImport(String line) {
        return line.startsWith("import ");
    }
}
