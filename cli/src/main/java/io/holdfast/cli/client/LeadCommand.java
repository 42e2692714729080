package io.holdfast.cli.client;

import io.holdfast.cli.output.Printer;
import io.holdfast.cli.process.SignalRelay;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;
import io.holdfast.client.OutcomeUnknownException;
import io.holdfast.client.RefusedException;
import io.holdfast.client.ServerUnreachableException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.TimeUnit;

@Command(
        name = "lead",
        customSynopsis = "holdfast lead KEY [OPTIONS] -- COMMAND [ARGUMENTS...]",
        description = {
            "Waits to be the leader and runs a command while it is.",
            "",
            "When leadership is lost, the command is ended and the wait begins again. When the"
                    + " command ends by itself, leadership is given up and its exit status"
                    + " returned. The lock of the same key is the same thing."
        })
final class LeadCommand extends HoldingCommand {
    /** For a server that goes down or comes up. */
    private static final long PAUSE_SECONDS = 1;

    @Parameters(index = "0", paramLabel = "KEY", description = "What to be the leader of.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Parameters(
            index = "1..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments, behind --.")
    private List<String> words = List.of();

    @Option(
            names = "--once",
            defaultValue = "false",
            description = "Lead once: when leadership is lost, do not wait for it again.")
    private boolean once;

    LeadCommand(CommandContext commandContext) {
        super(commandContext);
    }

    @Override
    List<String> childCommandLine() {
        return words;
    }

    @Override
    void check() {
        if (onLost() == LossAction.IGNORE) {
            throw wrong("Who has lost leadership cannot go on: --on-lost is term or kill");
        }
    }

    @Override
    int hold(Holdfast client, SignalRelay signals) throws InterruptedException {
        HoldfastLock lock = configured(client.lock(key));
        while (true) {
            info("Waiting to lead " + key);
            CommandUnderHold.Ended ended =
                    run(reporting(client, key, false, () -> lead(lock)), signals);
            if (!ended.lost() || once || signals.takeBack().isPresent()) {
                return ended.status();
            }
        }
    }

    private static Hold lead(HoldfastLock lock) throws InterruptedException {
        while (true) {
            try {
                return lock.acquire();
            } catch (RefusedException | ServerUnreachableException | OutcomeUnknownException e) {
                Printer.err("Trying again: " + e.getMessage());
                TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
            }
        }
    }
}
