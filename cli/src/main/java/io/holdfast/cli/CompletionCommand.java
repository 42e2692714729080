package io.holdfast.cli;

import io.holdfast.cli.output.Printer;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Prints a script that makes a shell complete our commands and options.",
        footer = {
            "",
            "For the present shell:  eval \"$(holdfast completion bash)\"",
            "or put that line into ~/.bashrc, and with zsh into ~/.zshrc."
        })
final class CompletionCommand implements Callable<Integer> {
    /** The names as they are typed. */
    enum Shell {
        bash,
        zsh
    }

    @Parameters(index = "0", paramLabel = "SHELL", description = "bash or zsh.")
    @SuppressWarnings("NullAway.Init")
    private Shell shell;

    @Override
    public Integer call() {
        return switch (shell) {
            case bash, zsh -> { // the script brings along what zsh needs to understand it
                CommandLine all = Main.commandLine(Map.of());
                Printer.out(AutoComplete.bash("holdfast", all).stripTrailing());
                yield 0;
            }
        };
    }
}
