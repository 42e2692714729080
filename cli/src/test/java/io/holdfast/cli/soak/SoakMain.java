package io.holdfast.cli.soak;

import picocli.CommandLine;

import java.util.Map;

/** The soak command as a program of its own, to be sent signals. */
final class SoakMain {
    private SoakMain() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new SoakCommand(Map.of())).execute(arguments));
    }
}
