package io.holdfast.verification.soak;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of another JVM. */
final class JavaCommand {
    private JavaCommand() {}

    /** Runs a program with the class path of this process; small, since many run at once. */
    static List<String> of(Class<?> program, String... arguments) {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xshare:auto",
                                "-Xmx64m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
