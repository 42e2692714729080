package io.holdfast.cli.watch;

import io.holdfast.console.output.Printer;
import io.holdfast.driver.FailureText;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.Map;
import java.util.concurrent.Callable;

/** A command that reads from a server over HTTP. Maps failures to messages and exit statuses. */
@Command(
        mixinStandardHelpOptions = true,
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        exitCodeOnExecutionException = InspectionCommand.FAILED,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done",
            "1:the key is not in use",
            "2:wrong usage, nothing was done",
            "3:the server is unreachable, or has rejected the request"
        })
abstract class InspectionCommand implements Callable<Integer> {
    static final int DONE = 0;
    static final int ABSENT = 1;
    static final int FAILED = 3;

    private final Map<String, String> environment;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin private HttpOptions url = new HttpOptions();

    InspectionCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Reads from the server, prints the result and returns the exit status. */
    abstract int work(HttpReader server) throws ReadException, InterruptedException;

    @Override
    public final Integer call() {
        try (HttpReader server = url.open(environment)) {
            return work(server);
        } catch (ParameterException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed("interrupted");
        } catch (ReadException e) {
            return failed(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        } catch (RuntimeException | Error e) {
            // picocli's exit status for exceptions would be 1, which means "not in use"
            return failed(FailureText.of(e));
        }
    }

    final Map<String, String> environment() {
        return environment;
    }

    final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static int failed(String message) {
        Printer.err("Error: " + TerminalText.escaped(message));
        return FAILED;
    }
}
