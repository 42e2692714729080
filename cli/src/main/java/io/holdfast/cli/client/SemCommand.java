package io.holdfast.cli.client;

import io.holdfast.cli.process.SignalRelay;
import io.holdfast.client.Holdfast;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.List;

@Command(
        name = "sem",
        customSynopsis = "holdfast sem KEY LIMIT [OPTIONS] -- COMMAND [ARGUMENTS...]",
        description = "Waits for a permit of a semaphore and holds it while a command runs.")
final class SemCommand extends HoldingCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "The key of the semaphore.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Parameters(
            index = "1",
            paramLabel = "LIMIT",
            description =
                    "Maximum number of holders; all clients of the key must use the same limit.")
    private int limit;

    @Parameters(
            index = "2..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments, after --.")
    private List<String> commandLine = List.of();

    @Mixin private WaitOptions waiting = new WaitOptions();

    SemCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    static void checkLimit(ClientCommand command, int limit) {
        if (limit < 1) {
            throw command.wrong("The limit of a semaphore must be at least 1, not " + limit);
        }
    }

    @Override
    List<String> childCommandLine() {
        return commandLine;
    }

    @Override
    void check() {
        checkLimit(this, limit);
    }

    @Override
    int hold(Holdfast client, SignalRelay signals) throws InterruptedException {
        return holdOnce(client, client.semaphore(key, limit), limit, waiting, signals);
    }
}
