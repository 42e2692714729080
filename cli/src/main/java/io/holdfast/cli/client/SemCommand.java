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
        description = "Waits for a place of a semaphore and holds it while a command runs.")
final class SemCommand extends HoldingCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "The name of the semaphore.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Parameters(
            index = "1",
            paramLabel = "LIMIT",
            description = "How many may hold it at once; all users of the key must say the same.")
    private int limit;

    @Parameters(
            index = "2..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments, behind --.")
    private List<String> words = List.of();

    @Mixin private WaitOptions waiting = new WaitOptions();

    SemCommand(CommandContext commandContext) {
        super(commandContext);
    }

    static void checkLimit(ClientCommand command, int limit) {
        if (limit < 1) {
            throw command.wrong("A semaphore has at least 1 place, not " + limit);
        }
    }

    @Override
    List<String> childCommandLine() {
        return words;
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
