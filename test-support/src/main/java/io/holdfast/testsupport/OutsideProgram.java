package io.holdfast.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** A program that some tests use and that is part of neither the JDK nor POSIX. */
public enum OutsideProgram {
    BASH,
    /** The variable {@code CHROMIUM} may give the path or name of the program. */
    CHROMIUM,
    CURL,
    /** A netcat with the option {@code -N}, such as netcat-openbsd. */
    NC,
    /** The tool of Prometheus. */
    PROMTOOL,
    /** Version 3.10 or newer. */
    PYTHON3,
    /** The {@code script} of util-linux, which has the option {@code -e}. */
    SCRIPT;

    private static final Map<OutsideProgram, Optional<Path>> FOUND = new ConcurrentHashMap<>();

    /** The path of the program, if this machine has a usable one. Looked up once per JVM. */
    public Optional<Path> find() {
        return FOUND.computeIfAbsent(this, outsideProgram -> outsideProgram.find(System.getenv()));
    }

    Optional<Path> find(Map<String, String> environment) {
        return names(environment).stream()
                .flatMap(name -> started(name, environment).stream())
                .filter(this::isUsable)
                .findFirst();
    }

    private List<String> names(Map<String, String> environment) {
        if (this != CHROMIUM) {
            return List.of(toString());
        }
        List<String> names = new ArrayList<>();
        if (environment.containsKey("CHROMIUM")) {
            names.add(environment.get("CHROMIUM"));
        }
        names.addAll(List.of("chromium", "chromium-browser", "google-chrome"));
        return names;
    }

    /**
     * The file that a shell would start. A later one on the path is not used, because tests start
     * the program by its name.
     */
    private static Optional<Path> started(String name, Map<String, String> environment) {
        String path = environment.getOrDefault("PATH", "");
        return Arrays.stream(path.split(Pattern.quote(File.pathSeparator), -1))
                .map(folder -> Path.of(folder).resolve(name)) // unchanged if it is an absolute path
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    private boolean isUsable(Path file) {
        return switch (this) {
            case BASH, CHROMIUM, CURL, PROMTOOL -> true;
            case NC -> prints("\\s-N\\s.*hut", file, "-h");
            case PYTHON3 ->
                    prints("True", file, "-c", "import sys; print(sys.version_info >= (3, 10))");
            case SCRIPT -> prints("util-linux", file, "--version");
        };
    }

    private static boolean prints(String expected, Path program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            byte[] printed = process.getInputStream().readAllBytes();
            return Pattern.compile(expected)
                    .matcher(new String(printed, StandardCharsets.UTF_8))
                    .find();
        } catch (IOException e) {
            return false;
        }
    }

    /** The name in {@code -Drequire} and in the summary of skipped tests. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
