package io.holdfast.verification.soak;

import picocli.CommandLine;

import java.util.Map;

/** Runs the soak command in a process of its own, so that a test can send it signals. */
final class SoakMain {
    private SoakMain() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new SoakCommand(Map.of(), SoakMain.class)).execute(arguments));
    }
}
