package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;
import io.holdfast.console.output.Printer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "signal",
        description =
                "Sends a signal to the current listeners of a channel and prints how many received"
                        + " it.")
final class SignalCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "CHANNEL", description = "The channel, like deploy.done.")
    @SuppressWarnings("NullAway.Init")
    private String channel;

    @Parameters(index = "1", paramLabel = "PAYLOAD", description = "A text without line breaks.")
    @SuppressWarnings("NullAway.Init")
    private String payload;

    SignalCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    @Override
    int work() {
        try (Holdfast client = open()) {
            Printer.out(Integer.toString(client.signals().send(channel, payload)));
            return DONE;
        }
    }
}
