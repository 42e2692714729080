package io.holdfast.cli.client;

import io.holdfast.client.AuthenticationException;
import io.holdfast.client.Holdfast;
import io.holdfast.client.LockException;
import io.holdfast.console.output.Printer;
import io.holdfast.driver.FailureText;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/** A command that sends requests to a server. Maps failures to messages and exit statuses. */
@Command(
        mixinStandardHelpOptions = true,
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        exitCodeOnExecutionException = ClientCommand.FAILED,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done",
            "1:not found, or the timeout has passed",
            "2:wrong usage, nothing was done",
            "3:the server is unreachable, or has rejected the request"
        })
abstract class ClientCommand implements Callable<Integer> {
    static final int DONE = 0;
    static final int ABSENT = 1;
    static final int FAILED = 3;

    private final ClientEnvironment clientEnvironment;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin private ServerOptions server = new ServerOptions();

    ClientCommand(ClientEnvironment clientEnvironment) {
        this.clientEnvironment = clientEnvironment;
    }

    /** Sends the requests, prints the results and returns the exit status. */
    abstract int work() throws InterruptedException;

    @Override
    public final Integer call() {
        try {
            return work();
        } catch (ParameterException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed("interrupted");
        } catch (AuthenticationException e) {
            return failed(e.getMessage() + " (set it with --token-file)");
        } catch (LockException e) {
            String advice =
                    FailureText.isUntrusted(e) ? " (set the authority to trust with --tls-ca)" : "";
            return failed(e.getMessage() + advice);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        } catch (RuntimeException | Error e) {
            // picocli's exit status for exceptions would be 1, which means "not found"
            return failed(FailureText.of(e));
        }
    }

    final ServerTarget target() {
        return server.target(clientEnvironment.environment());
    }

    final Holdfast open(ServerTarget serverTarget) {
        return clientEnvironment.opener().open(serverTarget);
    }

    final Holdfast open() {
        return open(target());
    }

    static int failed(String message) {
        Printer.err("Error: " + message);
        return FAILED;
    }

    final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
