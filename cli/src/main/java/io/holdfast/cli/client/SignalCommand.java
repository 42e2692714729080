package io.holdfast.cli.client;

import io.holdfast.cli.output.Printer;
import io.holdfast.client.Holdfast;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "signal",
        description = "Sends a signal to whoever listens now, and prints how many got it.")
final class SignalCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "CHANNEL", description = "Where to, like deploy.done.")
    @SuppressWarnings("NullAway.Init")
    private String channel;

    @Parameters(index = "1", paramLabel = "PAYLOAD", description = "A text on one line.")
    @SuppressWarnings("NullAway.Init")
    private String payload;

    SignalCommand(CommandContext commandContext) {
        super(commandContext);
    }

    @Override
    int work() {
        try (Holdfast client = open()) {
            Printer.out(Integer.toString(client.signals().send(channel, payload)));
            return DONE;
        }
    }
}
