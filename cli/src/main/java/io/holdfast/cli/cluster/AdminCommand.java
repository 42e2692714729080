package io.holdfast.cli.cluster;

import io.holdfast.console.output.Printer;
import io.holdfast.driver.FailureText;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;

/** A command that administers a cluster. Maps failures to messages and exit statuses. */
@Command(
        mixinStandardHelpOptions = true,
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:done", "1:the command failed", "2:wrong usage, nothing was done"})
abstract class AdminCommand implements Callable<Integer> {
    static final int DONE = 0;
    static final int FAILED = 1;

    private final Map<String, String> environment;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin private ClusterOptions options = new ClusterOptions();

    AdminCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Runs the command and returns the exit status. */
    abstract int work(ClusterOptions cluster, Map<String, String> variables) throws IOException;

    @Override
    public final Integer call() {
        try {
            return work(options, environment);
        } catch (ParameterException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        } catch (IOException | RuntimeException e) {
            Printer.err("Error: " + FailureText.withFile(e));
            return FAILED;
        }
    }
}
