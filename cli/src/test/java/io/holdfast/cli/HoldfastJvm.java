package io.holdfast.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Builds the command lines with which tests start {@code holdfast} in a JVM of its own. */
public final class HoldfastJvm {
    private HoldfastJvm() {}

    /** Returns the command that runs {@code holdfast} with these arguments. */
    public static List<String> command(int heapMegabytes, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heapMegabytes + "m");
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.holdfast.cli.Main"));
        command.addAll(arguments);
        return command;
    }
}
