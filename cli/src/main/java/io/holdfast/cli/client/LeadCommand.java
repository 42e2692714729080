package io.holdfast.cli.client;

import io.holdfast.cli.process.SignalRelay;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;
import io.holdfast.client.OutcomeUnknownException;
import io.holdfast.client.RefusedException;
import io.holdfast.client.ServerUnreachableException;
import io.holdfast.console.output.Printer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.TimeUnit;

@Command(
        name = "lead",
        customSynopsis = "holdfast lead KEY [OPTIONS] -- COMMAND [ARGUMENTS...]",
        description = {
            "Waits until this client is the leader and runs a command while it is.",
            "",
            "When leadership is lost, the command is ended and the wait begins again. When the"
                + " command ends by itself, leadership is released and its exit status returned."
                + " Leadership is the lock of the same key: holdfast lock KEY excludes it."
        })
final class LeadCommand extends HoldingCommand {
    /** Pause between attempts while the server is unreachable or refuses. */
    private static final long PAUSE_SECONDS = 1;

    @Parameters(index = "0", paramLabel = "KEY", description = "The key of the leadership.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Parameters(
            index = "1..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments, after --.")
    private List<String> commandLine = List.of();

    @Option(
            names = "--once",
            defaultValue = "false",
            description = "Lead once: when leadership is lost, do not wait for it again.")
    private boolean once;

    LeadCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    @Override
    List<String> childCommandLine() {
        return commandLine;
    }

    @Override
    void check() {
        if (onLost() == ChildLossAction.IGNORE) {
            throw wrong("--on-lost ignore is not allowed for lead: use term or kill");
        }
    }

    @Override
    int hold(Holdfast client, SignalRelay signals) throws InterruptedException {
        HoldfastLock lock = configured(client.lock(key));
        while (true) {
            info("Waiting to lead " + key);
            CommandUnderHold.Ended ended =
                    run(reporting(client, key, false, () -> lead(lock)), signals);
            if (!ended.lost() || once || signals.commandEnded().isPresent()) {
                return ended.status();
            }
        }
    }

    private static Hold lead(HoldfastLock lock) throws InterruptedException {
        while (true) {
            try {
                return lock.acquire();
            } catch (RefusedException | ServerUnreachableException | OutcomeUnknownException e) {
                Printer.err("Retrying: " + e.getMessage());
                TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
            }
        }
    }
}
