package io.holdfast.cli;

import io.holdfast.console.output.Printer;

import picocli.CommandLine.Command;

@Command(
        name = "version",
        mixinStandardHelpOptions = true,
        description = "Prints the version, as --version does.")
final class VersionCommand implements Runnable {
    @Override
    public void run() {
        Printer.out(Version.line());
    }
}
