package io.holdfast.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** A program that belongs neither to the JDK nor to POSIX, and that some tests use. */
public enum Program {
    BASH,
    /** Also where the variable {@code CHROMIUM} says. */
    CHROMIUM,
    CURL,
    /** One that knows {@code -N}, as netcat-openbsd does. */
    NC,
    /** Version 3.10 or newer. */
    PYTHON3,
    /** That of util-linux, which knows {@code -e}. */
    SCRIPT;

    private static final Map<Program, Optional<Path>> FOUND = new ConcurrentHashMap<>();

    /** Where it is, if this machine has one that the tests can use. Looked up once per JVM. */
    public Optional<Path> find() {
        return FOUND.computeIfAbsent(this, program -> program.find(System.getenv()));
    }

    Optional<Path> find(Map<String, String> environment) {
        return candidates(environment).stream()
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .filter(this::isUsable)
                .findFirst();
    }

    private List<Path> candidates(Map<String, String> environment) {
        List<Path> files = new ArrayList<>();
        if (this == CHROMIUM && environment.containsKey("CHROMIUM")) {
            files.add(Path.of(environment.get("CHROMIUM")));
        }
        List<String> names =
                this == CHROMIUM
                        ? List.of("chromium", "chromium-browser", "google-chrome")
                        : List.of(toString());
        String[] folders =
                environment.getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator), -1);
        for (String name : names) {
            for (String folder : folders) {
                files.add(Path.of(folder, name));
            }
        }
        return files;
    }

    private boolean isUsable(Path file) {
        return switch (this) {
            case BASH, CHROMIUM, CURL -> true;
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

    /** As {@code -Drequire} and the summary of skipped tests call it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
