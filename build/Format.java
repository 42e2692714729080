import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.JavaFormatterOptions.Style;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks or fixes the layout of every Java file: {@code Format.java check|fix ROOT}. The build runs
 * it as a source file on the selected JDK, because the formatter parses with the JVM it runs on.
 */
final class Format {
    private static final Formatter FORMATTER =
            new Formatter(JavaFormatterOptions.builder().style(Style.AOSP).build());

    private record Result(Path file, String problem) {}

    public static void main(String[] args) throws IOException {
        boolean fix = args[0].equals("fix");
        Path root = Path.of(args[1]);
        List<Result> results;
        try (Stream<Path> files = sources(root)) {
            results = files.parallel().map(file -> format(file, fix)).toList();
        }
        List<Result> bad = results.stream().filter(r -> !r.problem().isEmpty()).toList();
        if (bad.isEmpty()) {
            return;
        }
        StringBuilder message = new StringBuilder();
        for (Result result : bad) {
            message.append("  ")
                    .append(root.relativize(result.file()))
                    .append(result.problem())
                    .append('\n');
        }
        if (fix) {
            System.out.print("Could not be formatted:\n" + message);
        } else {
            System.out.print(
                    "Not formatted, fix with `./mvnw -q -N verify -Dformat=fix`:\n" + message);
        }
        System.exit(1);
    }

    /** The Java files of build/ and of every module's src/, in a stable order. */
    private static Stream<Path> sources(Path root) throws IOException {
        Stream.Builder<Path> folders = Stream.builder();
        folders.add(root.resolve("build"));
        for (Path parent : List.of(root, root.resolve("adapters"))) {
            try (Stream<Path> modules = Files.list(parent)) {
                modules.map(module -> module.resolve("src")).forEach(folders::add);
            }
        }
        return folders.build().filter(Files::isDirectory).flatMap(Format::javaFiles).sorted();
    }

    private static Stream<Path> javaFiles(Path folder) {
        try {
            return Files.walk(folder).filter(file -> file.toString().endsWith(".java"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** An empty problem means that the file is, or now is, well laid out. */
    private static Result format(Path file, boolean fix) {
        try {
            String before = Files.readString(file);
            String after = FORMATTER.formatSourceAndFixImports(before);
            if (after.equals(before)) {
                return new Result(file, "");
            }
            if (!fix) {
                return new Result(file, " ");
            }
            Files.writeString(file, after);
            return new Result(file, "");
        } catch (FormatterException e) {
            return new Result(file, ":" + e.getMessage());
        } catch (IOException e) {
            return new Result(file, ": " + e);
        }
    }
}
