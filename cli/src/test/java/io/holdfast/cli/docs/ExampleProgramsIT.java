package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.holdfast.cli.serve.RunningServer;
import io.holdfast.cli.serve.StandardStreams;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

@DisplayName("The programs in examples/")
class ExampleProgramsIT {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final Pattern COMMAND =
            Pattern.compile("\\$ java -cp \\S+ examples/(\\w+)\\.java");

    @TempDir private Path folder;

    /** The expected output of each program, from the page. */
    private static Map<String, List<String>> outputs() throws IOException {
        Map<String, List<String>> outputs = new LinkedHashMap<>();
        for (Page.Block block : Page.read(EXAMPLES.resolve("README.md")).blocks()) {
            List<String> output = new ArrayList<>();
            for (String line : block.lines()) {
                Matcher command = COMMAND.matcher(line);
                if (command.matches()) {
                    output = new ArrayList<>();
                    outputs.put(command.group(1), output);
                } else {
                    output.add(line);
                }
            }
        }
        return outputs;
    }

    @Test
    void every_example_program_is_on_the_page() throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            assertThat(files.map(file -> String.valueOf(file.getFileName())))
                    .filteredOn(name -> name.endsWith(".java"))
                    .extracting(name -> name.replace(".java", ""))
                    .hasSizeGreaterThanOrEqualTo(4)
                    .containsExactlyInAnyOrderElementsOf(outputs().keySet());
        }
    }

    @TestFactory
    Stream<DynamicTest> example_programs_print_what_the_page_shows() throws IOException {
        return outputs().entrySet().stream()
                .map(
                        output ->
                                dynamicTest(
                                        output.getKey(),
                                        () -> run(output.getKey(), output.getValue())));
    }

    private void run(String name, List<String> output) throws Exception {
        String text = Files.readString(EXAMPLES.resolve(name + ".java"));
        assertThat(new JavaSource(name, text).compile(folder)).isEmpty();
        try (StandardStreams streams = new StandardStreams();
                RunningServer server = RunningServer.start(List.of());
                URLClassLoader loader =
                        new URLClassLoader(
                                new URL[] {folder.toUri().toURL()},
                                ExampleProgramsIT.class.getClassLoader())) {
            var main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[] {"127.0.0.1:" + server.address().getPort()});
            assertThat(streams.out().lines()).containsExactlyElementsOf(output);
        }
    }

    @Test
    void example_programs_can_be_started_as_source_files() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                EXAMPLES.resolve("LostHold.java").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("out").toFile())
                        .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(folder.resolve("out")).hasContent(String.join("\n", outputs().get("LostHold")));
    }
}
