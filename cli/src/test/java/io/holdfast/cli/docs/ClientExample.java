package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.RunningServer;
import io.holdfast.cli.serve.StandardStreams;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Lines of Java that use the client, with a server of their own instead of the one on port 6388. A
 * client named {@code holdfast} is connected to it unless they create one. The comment after a line
 * that prints is the expected output:
 *
 * <pre>
 * System.out.println(holdfast.counter("hits").increment()); // 1
 * </pre>
 *
 * @param where position of the example, for messages
 * @param serverFlags command and flags of the server
 */
record ClientExample(String where, List<String> lines, List<String> serverFlags) {
    private static final String ADDRESS = "127.0.0.1:6388";
    private static final Pattern PRINTED =
            Pattern.compile("^.*System\\.out\\.println\\(.*\\); // (.*)$");

    void run(Path folder) throws Exception {
        String body = String.join("\n", lines);
        List<String> flags = List.copyOf(serverFlags);
        try (StandardStreams streams = new StandardStreams();
                RunningServer server = RunningServer.start(flags)) {
            String address = "127.0.0.1:" + server.address().getPort();
            String complaints =
                    new JavaSource("Example", source(body).replace(ADDRESS, address))
                            .compile(folder);
            assertThat(complaints).as(where).isEmpty();
            call(folder);
            assertThat(streams.out().lines()).as(where).containsExactlyElementsOf(printed());
        }
    }

    private List<String> printed() {
        return lines.stream()
                .flatMap(line -> PRINTED.matcher(line).results())
                .map((MatchResult line) -> line.group(1))
                .toList();
    }

    private static String source(String body) {
        boolean makesOne = body.contains("Holdfast holdfast =") || !body.contains("holdfast.");
        List<String> lines = body.lines().toList();
        return """
        import io.holdfast.client.*;
        import io.holdfast.client.testing.*;
        import java.nio.file.*;
        import java.time.*;
        import java.util.*;
        import java.util.concurrent.*;
        import java.util.concurrent.locks.Lock;
        %s
        class Example {
            static void deploy() {}

            static void cleanUp() {}

            static void run() throws Exception {
                %s
                %s
            }
        }
        """
                .formatted(
                        String.join("\n", lines.stream().filter(ClientExample::isImport).toList()),
                        makesOne
                                ? "{"
                                : "try (Holdfast holdfast = Holdfast.connect(\""
                                        + ADDRESS
                                        + "\")) {",
                        String.join("\n", lines.stream().filter(line -> !isImport(line)).toList())
                                + "\n}");
    }

    private static boolean isImport(String line) {
        return line.startsWith("import ");
    }

    private static void call(Path folder) throws Exception {
        try (URLClassLoader loader =
                new URLClassLoader(
                        new URL[] {folder.toUri().toURL()}, ClientExample.class.getClassLoader())) {
            var run = loader.loadClass("Example").getDeclaredMethod("run");
            run.setAccessible(true);
            run.invoke(null);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
