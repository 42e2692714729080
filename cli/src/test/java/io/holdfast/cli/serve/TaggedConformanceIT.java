package io.holdfast.cli.serve;

import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.DisplayName;

import java.util.List;

@DisplayName("A client in tagged mode")
class TaggedConformanceIT extends RecordedConversations {
    TaggedConformanceIT() {
        super("tagged", 40);
    }

    @Override
    RunningServer start(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        return RunningServer.start(flags, driverChoice);
    }
}
