package io.holdfast.cli;

import io.holdfast.console.output.Printer;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Prints a completion script for bash or zsh.",
        footer = {
            "",
            "For the current shell:  eval \"$(holdfast completion bash)\"",
            "or put that line into ~/.bashrc, and with zsh into ~/.zshrc."
        })
final class CompletionCommand implements Callable<Integer> {
    /** Lower case, because picocli matches the argument with the constant's name. */
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
            case bash, zsh -> { // the bash script enables bash completion in zsh itself
                CommandLine all = Main.commandLine(Map.of());
                Printer.out(AutoComplete.bash("holdfast", all).stripTrailing());
                yield 0;
            }
        };
    }
}
